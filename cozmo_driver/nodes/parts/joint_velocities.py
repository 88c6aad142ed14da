"""``cmd_head_velocity`` and ``cmd_lift_velocity``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from std_msgs.msg import Float64

from ...robot import MotionRefused
from ...robot.command_watchdog import CommandWatchdog
from ..context import Context
from ..qos import COMMAND


class JointVelocitiesPart:
    """Moves head and lift arm at rad/s, and stops them when the sender falls silent."""

    def __init__(self, context: Context) -> None:
        """Subscribe; the timeout is that of ``cmd_vel``."""
        joints = context.robot.joints
        self._topics = [
            _VelocityTopic(context, "cmd_head_velocity", joints.set_head_velocity),
            _VelocityTopic(context, "cmd_lift_velocity", joints.set_lift_velocity),
        ]


class _VelocityTopic:
    def __init__(self, context: Context, topic: str, command: Callable[[float], None]) -> None:
        self._thread, self._topic, self._command = context.thread, topic, command
        self._logger = context.node.get_logger()
        self._watchdog = CommandWatchdog(context.parameters["cmd_vel_timeout"])
        self._timer: asyncio.TimerHandle | None = None
        context.parameters.on_change("cmd_vel_timeout", self._change_timeout)
        self._subscription = context.node.create_subscription(Float64, topic, self._take, COMMAND)

    # -- in the executor's thread

    def _take(self, message: Float64) -> None:
        if math.isfinite(message.data):
            self._thread.post(self._apply, message.data)
        else:
            self._logger.warning(
                f"{self._topic} is rejected: {message.data}", throttle_duration_sec=5.0
            )

    def _change_timeout(self, timeout: float) -> None:
        self._thread.post(setattr, self._watchdog, "timeout", timeout)

    # -- in the robot's thread

    def _apply(self, speed: float) -> None:
        try:
            self._command(speed)
        except MotionRefused as error:
            self._watchdog.command(False, 0.0)
            self._logger.warning(f"{self._topic} is refused: {error}", throttle_duration_sec=5.0)
            return
        self._watchdog.command(bool(speed), asyncio.get_running_loop().time())
        self._arm()

    def _arm(self) -> None:
        due = self._watchdog.due
        if due is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(due, self._look)

    def _look(self) -> None:
        timer, self._timer = self._timer, None
        assert timer is not None
        # The loop may call within its clock resolution too early; what was due is due.
        if not self._watchdog.expire(max(asyncio.get_running_loop().time(), timer.when())):
            self._arm()
            return
        self._command(0.0)
        self._logger.warning(
            f"stopped: no {self._topic} for {self._watchdog.timeout:g} s", throttle_duration_sec=5.0
        )
