"""``cmd_head_velocity`` and ``cmd_lift_velocity``."""

from __future__ import annotations

import math
from collections.abc import Callable

from std_msgs.msg import Float64

from ...protocol import NotConnected, SendQueueFull
from ...robot import Refused
from ...robot.motion.driving import CommandTimer
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
        self._thread, self._command = context.thread, command
        self._commands = context.command_topic(topic)
        stop = context.robot.session.guarded(f"the watchdog of {topic}", self._stop)
        self._timer = CommandTimer(context.parameters["cmd_vel_timeout"], stop)
        context.parameters.on_change("cmd_vel_timeout", self._change_timeout)
        self._subscription = context.node.create_subscription(Float64, topic, self._take, COMMAND)

    # -- in the executor's thread

    def _take(self, message: Float64) -> None:
        if math.isfinite(message.data):
            self._thread.post(self._apply, message.data)
        else:
            self._commands.reject(f"the speed is {message.data}")

    def _change_timeout(self, timeout: float) -> None:
        self._thread.post(self._timer.change_timeout, timeout)

    # -- in the robot's thread

    def _apply(self, speed: float) -> None:
        try:
            self._command(speed)
        except Refused as error:
            self._timer.command(False)
            self._commands.refuse(error)
            return
        except (NotConnected, SendQueueFull) as error:
            # What was commanded before stays watched.
            self._commands.refuse(error)
            return
        self._commands.accept()
        self._timer.command(bool(speed))

    def _stop(self) -> None:
        self._command(0.0)
        self._commands.expire(self._timer.timeout)
