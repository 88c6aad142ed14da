"""Which programs drive the robot by hand."""

from __future__ import annotations

import shlex
import shutil

from . import processes
from .errors import StartError
from .processes import PACKAGE, Process


def keyboard(namespace: str, terminal: str, *, speed: float, turn: float) -> Process:
    """Return teleop_twist_keyboard in a terminal of its own. Raises ``StartError``.

    ``terminal`` is the command that opens it (launch gives its programs no keyboard); ``speed`` in
    m/s and ``turn`` in rad/s are what the keys start with.
    """
    words = shlex.split(terminal)
    if not words or shutil.which(words[0]) is None:
        raise StartError(
            f"there is no program '{terminal}' to open a terminal with: give another one, such as "
            "terminal:='gnome-terminal --', or run in this one: "
            "ros2 run teleop_twist_keyboard teleop_twist_keyboard"
        )
    return Process(
        "keyboard",
        "teleop_twist_keyboard",
        "teleop_twist_keyboard",
        namespace=namespace,
        parameters={"speed": speed, "turn": turn},
        prefix=terminal,
    )


def joystick(namespace: str, device_id: int, config_file: str) -> list[Process]:
    """Return the joystick's node and the one that makes velocities of it. Raises ``StartError``."""
    file = processes.existing(
        config_file or processes.shared_file(PACKAGE, "config/teleop_joy.yaml"),
        "the joystick's parameter file",
    )
    return [
        Process(
            "joy",
            "joy",
            "joy_node",
            namespace=namespace,
            parameter_files=(file,),
            parameters={"device_id": device_id},
        ),
        Process(
            "teleop_twist_joy",
            "teleop_twist_joy",
            "teleop_node",
            namespace=namespace,
            parameter_files=(file,),
        ),
    ]
