"""The driver with one fault in it, named by the variable FAULT."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from cozmo_driver.nodes.driver_node import main
from cozmo_driver.nodes.parts import commands
from cozmo_driver.robot import JointMotion, Motion, session
from cozmo_driver.robot.battery import BatteryTracker

FAULTS: dict[str, tuple[Any, str]] = {
    "a callback of the node": (commands, "check_twist"),
    "a posted callback": (commands.VelocityTopic, "apply"),
    "a callback of a signal": (Motion, "_control_driving"),
    "a goal": (JointMotion, "move_head"),
    "the watchdog": (commands.VelocityTopic, "_stop"),
    "the session": (session.Session, "_end_of_connection"),
    "the states": (BatteryTracker, "update"),
    "the emergency stop": (Motion, "emergency_stop"),
}


def fail(*_: object, **__: object) -> NoReturn:
    """Stand in for what is broken."""
    raise KeyError("a fault for the test")


if __name__ == "__main__":
    setattr(*FAULTS[os.environ["FAULT"]], fail)
    sys.exit(main())
