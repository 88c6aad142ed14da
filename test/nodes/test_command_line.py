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
@pytest.mark.parametrize("word", ["--help"])
def test_help_ends_well_and_starts_nothing(
    name: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(name, word) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: {name}")


def test_the_drivers_help_tells_how_to_set_every_parameter(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert code_of("driver_node", "--help") == 0
    text = capsys.readouterr().out
    assert "driver of the robot Cozmo" in text
    assert "driver_node --ros-args -p NAME:=VALUE" in text
    assert "--params-file" in text
    for spec in PARAMETERS:
        assert parameter_text(spec) in text
    assert "cmd_vel_timeout: 0.5 s, between 0.05 and 10 s" in text
    assert "robot_address*: 172.31.1.1, an IPv4 address" in text


def test_a_parameter_is_told_with_default_unit_range_and_meaning() -> None:
    speed = ParameterSpec("speed", 0.5, "how fast", "m/s", low=0.1, high=1.0)
    assert parameter_text(speed) == "speed: 0.5 m/s, between 0.1 and 1 m/s\n      how fast"
    on = ParameterSpec("on", True, "whether", fixed=True)
    assert parameter_text(on) == "on*: true\n      whether"
    sizes = ParameterSpec("sizes", (1.0, 2.0), "how big", low=0.0, rule="two numbers")
    assert parameter_text(sizes) == "sizes: [1.0, 2.0], at least 0, two numbers\n      how big"
    assert parameter_text(ParameterSpec("name", "", "which")) == "name: ''\n      which"


@each_program
@pytest.mark.parametrize("words", [("--adress", "127.0.0.1")])
def test_what_is_not_for_ros_and_not_known_is_refused_with_a_sentence(
    name: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(name, *words) == 2
    error = capsys.readouterr().err
    assert f"{name}: error: unrecognized arguments: {' '.join(words)}" in error


@each_program
@pytest.mark.parametrize(("words", "said"), [(("-r", "__ns:=no namespace"), "no namespace")])
def test_ros_arguments_that_are_none_are_refused_with_a_sentence(
    name: str, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(name, "--ros-args", *words) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{name}: the ROS arguments cannot be read: ")
    assert said in error
