"""The launch file for driving by hand, with stand-ins for the programs it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")

from ..waiting import TIMEOUT, wait_until
from .runner import install_stand_in, launched, press_ctrl_c, refusal, said_by_stand_ins

FILE = "teleop.launch.py"
CONFIG = Path(__file__).parents[2] / "config"


def test_the_joysticks_nodes_get_their_parameters(tmp_path: Path) -> None:
    prefix, log = tmp_path / "prefix", tmp_path / "log"
    install_stand_in(prefix, "joy", "joy_node")
    install_stand_in(prefix, "teleop_twist_joy", "teleop_node")
    arguments = {
        "device": "joystick",
        "namespace": "one",
        "joy_device_id": 3,
        "config_file": CONFIG / "teleop_joy.yaml",
    }
    with launched(FILE, log, prefix, **arguments) as process:
        wait_until(lambda: len(said_by_stand_ins(log)) == 2, "the stand-ins did not start")
        press_ctrl_c(process)
        process.wait(TIMEOUT)
    names, topics, parameters = zip(*said_by_stand_ins(log), strict=True)
    assert (set(names), set(topics)) == ({"/one/stand_in"}, {"/one/cmd_vel"})
    assert [given["device_id"] for given in parameters if "device_id" in given] == [3]


def test_the_keyboard_runs_in_the_terminal_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    terminal = "env TERMINAL_WAS_HERE=1 echo"
    arguments = {"terminal": terminal, "speed": 0.1, "turn": 2.0, "namespace": "one"}
    with launched(FILE, log, **arguments) as process:
        process.wait(TIMEOUT)
    words = "/drive --keys --linear 0.1 --angular 2 --ros-args -r __ns:=/one"
    assert words in log.read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"terminal": "no-such-terminal"}, "there is no program 'no-such-terminal'"),
        ({"device": "wheel"}, "wheel"),
        ({"speed": "fast"}, "speed is a number, not 'fast'"),
        ({"device": "joystick", "joy_device_id": "nan"}, "joy_device_id is a number, not 'nan'"),
        (
            {"device": "joystick", "config_file": "/no.yaml"},
            "the joystick's parameter file is missing: there is no file /no.yaml",
        ),
    ],
)
def test_mistakes_stop_the_launch_before_anything_runs(
    arguments: dict[str, str], reason: str
) -> None:
    assert reason in refusal(FILE, **arguments)
