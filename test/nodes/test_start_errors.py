"""What keeps a program from starting: exit code 2 and a sentence, before anything takes part."""

from __future__ import annotations

from pathlib import Path

import pytest

from cozmo_driver.behavior import node as behavior_node
from cozmo_driver.bringup import bringup, drive
from cozmo_driver.driver import node as driver_node

PROGRAMS = {
    "driver_node": driver_node,
    "behavior_node": behavior_node,
    "bringup": bringup,
    "drive": drive,
}


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
