"""Which programs drive the robot by hand."""

from __future__ import annotations

import shlex
import shutil

from . import processes
from .errors import StartError
from .processes import PACKAGE, Process


def keyboard(namespace: str, terminal: str, *, speed: float, turn: float) -> Process:
    """Return ``drive --keys`` in a terminal of its own. Raises ``StartError``.

    ``terminal`` is the command that opens it (launch gives its programs no keyboard); ``speed`` in
    m/s and ``turn`` in rad/s are what the keys start with. ROS 2's teleop_twist_keyboard sends once
    for a key, so that a held one pauses before it repeats, and knows no speeds before 2.4.1.
    """
    words = shlex.split(terminal)
    if not words or shutil.which(words[0]) is None:
        raise StartError(
            f"there is no program '{terminal}' to open a terminal with: give another one, such as "
            "terminal:='gnome-terminal --', or run in this one: ros2 run cozmo_driver drive --keys"
        )
    return Process(
        "keyboard",
        PACKAGE,
        "drive",
        ("--keys", "--linear", f"{speed:g}", "--angular", f"{turn:g}"),
        namespace=namespace,
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
