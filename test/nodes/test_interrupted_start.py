"""Programs that are told to end while they still import."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from ament_index_python.packages import get_package_prefix

from ..waiting import TIMEOUT

FOLDER = f"{get_package_prefix('cozmo_driver')}/lib/cozmo_driver"


def interrupted(program: str, module: str, number: int) -> tuple[int, str]:
    """Start a program, signal it when it has imported a module; return exit code and output."""
    process = subprocess.Popen(
        [f"{FOLDER}/{program}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
    )
    assert process.stderr is not None
    with process.stderr as output:
        lines = iter(output.readline, "")
        assert any(line.split("|")[-1].strip() == module for line in lines), f"no {module}"
        process.send_signal(number)
        rest = output.read()
    return process.wait(TIMEOUT), rest


# How they begin is the same for all (``cozmo_driver.programs``), what they import is not.
@pytest.mark.parametrize(
    ("program", "module", "number"),
    [
        ("driver_node", "rclpy.context", signal.SIGINT),
        ("driver_node", "rclpy.node", signal.SIGTERM),
        ("behavior_node", "rclpy.node", signal.SIGINT),
        ("bringup", "rclpy.context", signal.SIGTERM),
        ("drive", "rclpy.node", signal.SIGTERM),
    ],
)
def test_who_is_interrupted_while_it_imports_ends_quietly(
    program: str, module: str, number: int
) -> None:
    code, output = interrupted(program, module, number)
    assert code == 0, output
    assert "Traceback" not in output
