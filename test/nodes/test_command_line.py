"""Command lines of the programs, before anything takes part in a graph."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from cozmo_driver.behavior import node as behavior_node
from cozmo_driver.bringup import bringup, drive, nav2_guard
from cozmo_driver.driver import node as driver_node
from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.face import node as face_node
from cozmo_driver.ros.parameter_set import ParameterSpec
from cozmo_driver.ros.runtime import parameter_text

PROGRAMS = {
    "driver_node": driver_node,
    "face_node": face_node,
    "behavior_node": behavior_node,
    "bringup": bringup,
    "drive": drive,
    "nav2_guard": nav2_guard,
}
each_program = pytest.mark.parametrize("name", PROGRAMS)


@pytest.fixture(autouse=True)
def no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing come up: not the middleware, and so no node and no link."""

    def refuse(**_: object) -> None:
        raise AssertionError("the middleware was started")

    monkeypatch.setattr("rclpy.init", refuse)


def code_of(name: str, *words: str) -> int:
    """Return the exit code of a program that ends while it reads its command line."""
    with pytest.raises(SystemExit) as end:
        PROGRAMS[name].main(words)
    return int(end.value.code or 0)


@each_program
def test_help_ends_well_and_starts_nothing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(name, "--help") == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: {name}")
    assert name != "driver_node" or all(parameter_text(spec) in text for spec in PARAMETERS)


def test_a_parameter_is_told_with_default_unit_range_and_meaning() -> None:
    speed = ParameterSpec("speed", 0.5, "how fast", "m/s", low=0.1, high=1.0)
    assert parameter_text(speed) == "speed: 0.5 m/s, between 0.1 and 1 m/s\n      how fast"
    on = ParameterSpec("on", True, "whether", fixed=True)
    assert parameter_text(on) == "on*: true\n      whether"
    sizes = ParameterSpec("sizes", (1.0, 2.0), "how big", low=0.0, rule="two numbers")
    assert parameter_text(sizes) == "sizes: [1.0, 2.0], at least 0, two numbers\n      how big"
    assert parameter_text(ParameterSpec("name", "", "which")) == "name: ''\n      which"


@each_program
def test_arguments_that_nobody_knows_or_ros_cannot_read_are_refused_with_a_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(name, "--adress", "127.0.0.1") == 2
    assert f"{name}: error: unrecognized arguments: --adress 127.0.0.1" in capsys.readouterr().err
    assert code_of(name, "--ros-args", "-r", "__ns:=no namespace") == 2
    assert f"{name}: the ROS arguments cannot be read: " in capsys.readouterr().err
