"""What keeps a program from starting: exit code 2 and a sentence, before anything takes part."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def refusal(program: str, capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a program that must not start; return what it says."""
    try:
        code = PROGRAMS[program].main(words)
    except SystemExit as end:
        code = end.code
    said = capfd.readouterr().err
    assert code == 2, said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize(
    ("program", "parameter", "reason"),
    [
        ("driver_node", "robot_address:=cozmo.local", "robot_address"),
        ("driver_node", "cmd_vel_timeout:=1", "a number with a decimal point"),
        ("driver_node", "reconnect_max_delay:=0.1", "back-off needs"),
        ("driver_node", "camera_info_url:=/nowhere.yaml", "cannot read the camera calibration"),
        ("behavior_node", "resource_dir:=/nowhere", "there is nothing to live by"),
        ("behavior_node", "spark:=Flying", "there is no spark 'Flying'"),
    ],
)
def test_a_node_does_not_start_with_a_bad_parameter_and_says_why(
    program: str, parameter: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert reason in refusal(program, capfd, "--ros-args", "-p", parameter)


@pytest.mark.covers("trace_tables_file")
def test_without_its_tables_the_driver_does_not_start(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tables.json"
    said = refusal("driver_node", capfd, "--ros-args", "-p", f"trace_tables_file:={file}")
    assert "trace_tables_file" in said
    assert "cannot read" in said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("bringup", "--config", "/no.yaml"), "the parameter file is missing"),
        (("bringup", "--port", "70000"), "a port is from 0 to 65535"),
        (("bringup", "--port", "0", "--world", "nowhere"), "there is no world nowhere"),
        (("bringup", "--port", "0", "--world", "/no.yaml"), "the world /no.yaml cannot be read"),
        (("bringup", "--robot", "127.0.0.1", "--world", "maze"), "are for the emulator"),
        (("bringup", "--port", "0", "--hardware", "2"), "the hardware is 1.0 or 1.5, not 2"),
        (("bringup", "--port", "0", "--wifi", "none"), "the Wi-Fi is home, not none"),
        (
            ("bringup", "--port", "0", "--namespace", "1st"),
            "must not have a token that starts with",
        ),
        (("drive", "--namespace", "one/"), "namespace must not end with a '/'"),
        (("drive", "--seconds", "-1"), "more than 0 and at most 3600 seconds"),
        (("drive", "--linear", "nan"), "nan is not finite"),
    ],
)
def test_mistakes_of_the_user_are_explained(
    words: tuple[str, ...], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    program, *arguments = words
    assert reason in refusal(program, capfd, *arguments)


def test_a_taken_port_is_said(unused_udp_port: int, capfd: pytest.CaptureFixture[str]) -> None:
    said = refusal("bringup", capfd, "--port", str(unused_udp_port))
    assert f"UDP port {unused_udp_port} of 127.0.0.1 cannot be used" in said
    assert "choose another port with --port" in said


# -- command lines, before anything takes part in a graph


@pytest.fixture
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
@pytest.mark.usefixtures("no_graph")
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
@pytest.mark.usefixtures("no_graph")
def test_arguments_that_nobody_knows_or_ros_cannot_read_are_refused_with_a_sentence(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(name, "--adress", "127.0.0.1") == 2
    assert f"{name}: error: unrecognized arguments: --adress 127.0.0.1" in capsys.readouterr().err
    assert code_of(name, "--ros-args", "-r", "__ns:=no namespace") == 2
    assert f"{name}: the ROS arguments cannot be read: " in capsys.readouterr().err
