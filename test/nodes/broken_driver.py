"""The driver with one fault in it, named by the variable FAULT."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, NoReturn

from cozmo_driver.link import LoopThread
from cozmo_driver.nodes import driver_node
from cozmo_driver.nodes.parts import commands
from cozmo_driver.robot import JointMotion, Motion, Robot, session
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


def hold_up_the_end() -> None:
    """Let the goodbye block the loop until nobody waits for it any more."""
    given_up, stop = threading.Event(), LoopThread.stop

    def on_stop(thread: LoopThread) -> None:
        given_up.set()
        stop(thread)

    async def block(*_: object) -> None:
        given_up.wait()

    Robot.stop = block  # type: ignore[method-assign, assignment]
    LoopThread.stop = on_stop  # type: ignore[method-assign, assignment]
    driver_node._STOP_TIMEOUT = 0.3


if __name__ == "__main__":
    if os.environ["FAULT"] == "the end":
        hold_up_the_end()
    else:
        setattr(*FAULTS[os.environ["FAULT"]], fail)
    sys.exit(driver_node.main())
