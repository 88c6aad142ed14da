"""``cmd_head`` and ``cmd_lift``."""

from __future__ import annotations

import math
from collections.abc import Callable

from std_msgs.msg import Float64

from ...robot import MotionRefused
from ..context import Context
from ..qos import COMMAND


class JointCommandsPart:
    """Moves head (rad, up positive) and lift (m above ground), clamped to what they can reach."""

    def __init__(self, context: Context) -> None:
        """Subscribe."""
        self._context = context
        self._logger = context.node.get_logger()
        motion = context.robot.motion
        self._subscriptions = [
            self._subscribe("cmd_head", motion.set_head_angle),
            self._subscribe("cmd_lift", motion.set_lift_height),
        ]

    def _subscribe(self, topic: str, command: Callable[[float], object]) -> object:
        def take(message: Float64) -> None:
            value = message.data
            if math.isfinite(value):
                self._context.thread.post(self._apply, topic, command, value)
            else:
                self._logger.warning(f"{topic} is rejected: {value}", throttle_duration_sec=5.0)

        return self._context.node.create_subscription(Float64, topic, take, COMMAND)

    def _apply(self, topic: str, command: Callable[[float], object], value: float) -> None:
        try:
            command(value)
        except MotionRefused as error:
            self._logger.warning(f"{topic} is refused: {error}", throttle_duration_sec=5.0)
