"""``cmd_head`` and ``cmd_lift``."""

from __future__ import annotations

import math
from collections.abc import Callable

from std_msgs.msg import Float64

from ...protocol import NotConnected, SendQueueFull
from ...robot import Refused
from ..command_topic import CommandTopic
from ..context import Context
from ..qos import COMMAND


class JointCommandsPart:
    """Moves head (rad, up positive) and lift (m above ground), clamped to what they can reach."""

    def __init__(self, context: Context) -> None:
        """Subscribe."""
        self._context = context
        joints = context.robot.joints
        self._subscriptions = [
            self._subscribe("cmd_head", "angle", joints.set_head_angle),
            self._subscribe("cmd_lift", "height", joints.set_lift_height),
        ]

    def _subscribe(self, topic: str, quantity: str, command: Callable[[float], object]) -> object:
        commands = self._context.command_topic(topic)

        def take(message: Float64) -> None:
            value = message.data
            if math.isfinite(value):
                self._context.thread.post(self._apply, commands, command, value)
            else:
                commands.reject(f"the {quantity} is {value}")

        return self._context.node.create_subscription(Float64, topic, take, COMMAND)

    def _apply(
        self, commands: CommandTopic, command: Callable[[float], object], value: float
    ) -> None:
        try:
            command(value)
        except (Refused, NotConnected, SendQueueFull) as error:
            commands.refuse(error)
        else:
            commands.accept()
