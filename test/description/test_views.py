"""The model can be looked at: pictures, RViz configuration, launch file."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from .model import DESCRIPTION, REPOSITORY

SCRIPT = REPOSITORY / "docs" / "render_description.py"
IMAGES = REPOSITORY / "docs" / "images"
PICTURES = ["cozmo_model", "cozmo_model_raised", "cozmo_model_back", "cozmo_model_scene"]
TRIAL = """
import pyvista
plotter = pyvista.Plotter(off_screen=True, window_size=(32, 32))
plotter.add_mesh(pyvista.Sphere())
assert plotter.screenshot(return_img=True).std() > 1
plotter.close()
"""


def skip_without_renderer() -> None:
    """Skip where nothing can be drawn; a process of its own, for a driver may crash it."""
    trial = subprocess.run(
        [sys.executable, "-c", TRIAL], capture_output=True, text=True, timeout=120, check=False
    )
    if trial.returncode != 0:
        last = (trial.stderr.strip().splitlines() or [f"exit code {trial.returncode}"])[-1]
        pytest.skip(f"the renderer cannot draw a sphere here: {last}")


def colours(path: Path) -> dict[str, int]:
    """How many pixels of a picture are near which of the model's colours."""
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=float)
    red, green, blue = np.moveaxis(pixels, 2, 0)
    return {
        "all": red.size,
        "red": int(np.sum((red > 90) & (red > 2.5 * green) & (red > 2.5 * blue))),
        "cyan": int(np.sum((blue > 150) & (green > 130) & (red < 120))),
        "dark": int(np.sum(pixels.max(axis=2) < 50)),
    }


def test_the_drawn_robot_has_cyan_eyes_red_hubs_and_dark_treads(tmp_path: Path) -> None:
    for package in ("pyvista", "yourdfpy"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: no picture is drawn")
    drawn = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "--picture", "cozmo_model", "--width", "320"],
        timeout=300,
        check=False,
    )
    if drawn.returncode != 0:
        skip_without_renderer()
    assert drawn.returncode == 0
    counts = colours(tmp_path / "cozmo_model.png")
    assert counts["all"] == 320 * 240
    assert counts["dark"] > 0.04 * counts["all"]
    assert counts["cyan"] > 0.003 * counts["all"]
    assert counts["red"] > 0.001 * counts["all"]


@pytest.mark.parametrize("name", PICTURES)
def test_a_committed_picture_shows_the_robot(name: str) -> None:
    counts = colours(IMAGES / f"{name}.png")
    assert counts["dark"] > 0.02 * counts["all"]
    assert counts["red"] > 0.0005 * counts["all"]


def test_rviz_shows_the_topics_of_driver_and_nav2_in_any_namespace() -> None:
    config = yaml.safe_load((DESCRIPTION / "rviz" / "cozmo.rviz").read_text())
    manager = config["Visualization Manager"]
    groups = [display for display in manager["Displays"] if "Displays" in display]
    assert [(one["Name"], one["Enabled"]) for one in groups] == [
        ("Localization", False),
        ("Navigation", False),
    ]
    topics = {
        display["Class"].removeprefix("rviz_default_plugins/") + " " + topic["Value"]
        for display in (
            *manager["Displays"],
            *(one for group in groups for one in group["Displays"]),
        )
        for topic in (display.get("Topic"), display.get("Description Topic"))
        if topic is not None
    }
    assert topics == {
        "RobotModel robot_description",
        "Odometry odom",
        "Image camera/image_raw",
        "Image display/image",
        "MarkerArray object_markers",
        "MarkerArray landmark_markers",
        "PoseWithCovariance pose",
        "PointCloud2 hazards",
        "PointCloud2 obstacles",
        "LaserScan scan",
        "Map map_memory",
        "Map map",
        "Map global_costmap/costmap",
        "Map local_costmap/costmap",
        "Path plan",
        "Path lookahead_collision_arc",
        "Polygon local_costmap/published_footprint",
    }
    assert any(display["Class"].endswith("/TF") for display in manager["Displays"])
    assert manager["Global Options"]["Fixed Frame"] == "odom"


def test_the_launch_file_describes_each_argument() -> None:
    pytest.importorskip("launch_ros", reason="launch_ros is not installed: no launch file runs")
    from launch.actions import DeclareLaunchArgument

    path = DESCRIPTION / "launch" / "display.launch.py"
    spec = importlib.util.spec_from_file_location("display_launch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    entities = module.generate_launch_description().entities
    arguments = {e.name: e for e in entities if isinstance(e, DeclareLaunchArgument)}
    assert all(len(argument.description) > 10 for argument in arguments.values())
    executables = {e.node_executable for e in entities if hasattr(e, "node_executable")}
    assert {"robot_state_publisher", "joint_state_publisher_gui", "rviz2"} <= executables
