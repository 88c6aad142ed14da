"""The view that RViz is given: frames with a prefix, and what Nav2 publishes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cozmo_driver.bringup.processes import rviz, rviz_view
from cozmo_driver.ros.errors import StartError

FILE = Path(__file__).parents[2] / "cozmo_description" / "rviz" / "cozmo.rviz"


@pytest.fixture
def view() -> Any:
    return yaml.safe_load(FILE.read_text())


def frames(view: Any) -> tuple[str, str, str]:
    """Return the fixed frame, the prefix of the model and the frame that is looked at."""
    manager = view["Visualization Manager"]
    model = next(display for display in manager["Displays"] if "TF Prefix" in display)
    fixed = manager["Global Options"]["Fixed Frame"]
    return fixed, model["TF Prefix"], manager["Views"]["Current"]["Target Frame"]


def shows_navigation(view: Any) -> bool:
    displays = view["Visualization Manager"]["Displays"]
    return bool(next(display["Enabled"] for display in displays if "Displays" in display))


def test_every_frame_of_the_robot_gets_the_prefix(view: Any) -> None:
    shown = rviz_view(view, "one/")
    assert frames(shown) == ("one/odom", "one", "one/base_footprint")
    assert not shows_navigation(shown)
    assert rviz_view(view, "") == view


def test_with_nav2_the_map_holds_still_and_has_no_prefix(view: Any) -> None:
    shown = rviz_view(view, "one/", navigates=True)
    assert frames(shown) == ("map", "one", "one/base_footprint")
    assert shows_navigation(shown)


def test_a_prefix_that_rviz_cannot_show_is_refused(view: Any) -> None:
    with pytest.raises(StartError, match="'one_': let frame_prefix end in /"):
        rviz_view(view, "one_")


def test_rviz_reads_what_was_filled_in() -> None:
    process = rviz("one", "one/", use_sim_time=True)
    option, file = process.arguments
    try:
        assert option == "-d"
        assert frames(yaml.safe_load(Path(file).read_text()))[0] == "one/odom"
    finally:
        Path(file).unlink()
    assert (process.namespace, process.parameters) == ("one", {"use_sim_time": True})
