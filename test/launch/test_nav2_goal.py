"""The real Nav2 drives the emulated robot to goals; skipped where Nav2 is not installed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")
pytest.importorskip("nav2_msgs", reason="Nav2 is not installed here")

from geometry_msgs.msg import Point, Pose, PoseStamped
from nav2_msgs.action import ComputePathToPose, NavigateToPose
from std_msgs.msg import Header

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import quaternion

from ..nodes.goals import Action
from ..nodes.graph import Graph, running_graph
from ..waiting import wait_until
from .runner import launched

CONFIG = Path(__file__).parents[2] / "config"
NO_VALID_PATH = ComputePathToPose.Result.NO_VALID_PATH
START_TIME = 120.0


@contextmanager
def navigating(tmp_path: Path, **names: str) -> Iterator[tuple[RunningEmulator, Graph]]:
    """Run the emulator in the world ``room``, the driver and Nav2, until the block ends."""
    world = World(load_layout(find_world("room")), seed=5)
    nav2 = {"map": CONFIG / "maps/room.yaml", "params_file": CONFIG / "nav2_params.yaml"}
    with (
        running_emulator(calibration_time=0.0, world=world, seed=5) as emulator,
        running_graph(names.get("namespace", "/")) as graph,
        launched(
            "cozmo.launch.py",
            tmp_path / "driver.log",
            robot_address="127.0.0.1",
            robot_port=emulator.port,
            face="false",
            **names,
        ),
        launched("nav2.launch.py", tmp_path / "nav2.log", **nav2, **names),
    ):
        log = tmp_path / "nav2.log"

        def is_active() -> bool:
            return "Managed nodes are active" in log.read_text()

        wait_until(is_active, "Nav2 did not become active", START_TIME)
        yield emulator, graph


def go(graph: Graph, goal: Pose2D) -> tuple[str, Any]:
    """Navigate to a pose in the map; return the goal's status and its result."""
    action = Action(graph, NavigateToPose, "navigate_to_pose")
    pose = Pose(position=Point(x=goal.x, y=goal.y), orientation=quaternion(goal.yaw))
    return action.do(pose=PoseStamped(header=Header(frame_id="map"), pose=pose))


@pytest.mark.parametrize("names", [{}, {"namespace": "one", "frame_prefix": "one/"}])
def test_goals_are_reached_and_what_cannot_be_reached_says_why(
    tmp_path: Path, names: dict[str, str]
) -> None:
    with navigating(tmp_path, **names) as (emulator, graph):
        for goal in (Pose2D(0.3, -0.2, 2.0), Pose2D(0.1, 0.3, -2.5)):
            status, _ = go(graph, goal)
            assert status == "succeeded"
            pose = emulator.state().pose
            truth = Pose2D(pose.x / 1000, pose.y / 1000, pose.angle).compose(Pose2D(-0.020))
            off = truth.inverse().compose(goal)
            # The tolerances, and what dead reckoning loses in a metre.
            assert math.hypot(off.x, off.y) < 0.06
            assert abs(off.yaw) < 0.2
        # Within the chest.
        status, result = go(graph, Pose2D(-0.9, 0.7, 0.0))
        assert (status, result.error_code) == ("aborted", NO_VALID_PATH)
