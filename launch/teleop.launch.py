"""Drive a running robot by keyboard or joystick."""

from __future__ import annotations

import math
from collections.abc import Mapping

from launch import LaunchDescription

from cozmo_driver.bringup import launching
from cozmo_driver.bringup.launching import argument, choice
from cozmo_driver.bringup.processes import Process, joystick, keyboard
from cozmo_driver.ros.errors import StartError

ARGUMENTS = (
    argument("namespace", "", "namespace of the robot to drive"),
    choice("device", "keyboard", "what to drive with", ("keyboard", "joystick")),
    argument("terminal", "xterm -e", "command that opens the keyboard's terminal"),
    argument("speed", "0.08", "speed the keyboard starts with, in m/s"),
    argument("turn", "1.5", "turn rate the keyboard starts with, in rad/s"),
    argument("joy_device_id", "0", "number of the joystick"),
    argument(
        "config_file",
        "",
        "parameters of the joystick; empty: config/teleop_joy.yaml of the package",
    ),
)


def plan(chosen: Mapping[str, str]) -> list[Process]:
    """Return what is to be started. Raises ``StartError``."""
    if chosen["device"] == "joystick":
        device_id = int(number(chosen, "joy_device_id"))
        return joystick(chosen["namespace"], device_id, chosen["config_file"])
    speed, turn = number(chosen, "speed"), number(chosen, "turn")
    return [keyboard(chosen["namespace"], chosen["terminal"], speed=speed, turn=turn)]


def number(chosen: Mapping[str, str], name: str) -> float:
    """Return the number an argument has. Raises ``StartError``."""
    try:
        value = float(chosen[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise StartError(f"{name} is a number, not '{chosen[name]}'")
    return value


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` asks for."""
    return launching.description(ARGUMENTS, plan)
