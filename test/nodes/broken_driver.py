"""The driver with one fault in it, named by the variable FAULT."""

from __future__ import annotations

import os
import threading
from typing import Any, NoReturn

from cozmo_driver.driver import commands
from cozmo_driver.driver import node as driver_node
from cozmo_driver.robot import Cause, Motion, Robot, session
from cozmo_driver.robot.battery import BatteryTracker
from cozmo_driver.robot.motion.joints import JointControl
from cozmo_driver.ros.runtime import StopRequest

FAULTS: dict[str, tuple[Any, str]] = {
    "a callback of the node": (commands, "check_twist"),
    "a posted callback": (commands.VelocityTopic, "apply"),
    "a callback of a signal": (Motion, "_control_driving"),
    "a goal": (JointControl, "move"),
    "the watchdog": (commands.VelocityTopic, "_stop"),
    "the session": (session.Session, "_end_of_connection"),
    "the states": (BatteryTracker, "update"),
    "the emergency stop": (Motion, "emergency_stop"),
}


def fail(*_: object, **__: object) -> NoReturn:
    """Stand in for what is broken."""
    raise KeyError("a fault for the test")


def hold_up_the_end() -> None:
    """Let the goodbye block the loop until the driver has given up waiting for it."""
    given_up, stop, request = threading.Event(), Robot.stop, StopRequest.set

    def on_request(asked: StopRequest, exit_code: int = 0) -> None:
        request(asked, exit_code)
        if exit_code:
            given_up.set()

    async def block(robot: Robot, cause: Cause) -> None:
        given_up.wait()
        await stop(robot, cause)

    Robot.stop = block  # type: ignore[method-assign]
    StopRequest.set = on_request  # type: ignore[method-assign]
    driver_node._STOP_TIMEOUT, driver_node._LAST_TIMEOUT = 0.3, 30.0


def main() -> int:
    if os.environ["FAULT"] == "the end":
        hold_up_the_end()
    else:
        setattr(*FAULTS[os.environ["FAULT"]], fail)
    return driver_node.main()
