"""What every part of a node is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from builtin_interfaces.msg import Time
from rclpy.node import Node

from ..link import LoopThread
from ..robot import Robot
from .command_topic import CommandTopic
from .parameter_set import ParameterSet
from .stamps import Stamper, to_time
from .throttled_log import ThrottledLog

_Result = TypeVar("_Result")
_CALL_TIMEOUT = 10.0
"""s; whoever exceeds it fails, which a computer that is busy for a moment must not bring about."""
_NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class NodeContext:
    """A node, the thread of the loop that works for it, and its parameters."""

    node: Node
    thread: LoopThread
    parameters: ParameterSet

    def ros_now(self) -> int:
        """Return the ROS time, ns."""
        return int(self.node.get_clock().now().nanoseconds)

    def stamp_now(self) -> Time:
        """Return the stamp of this moment."""
        return self.node.get_clock().now().to_msg()

    def stamp_of(self, at: float) -> Time:
        """Return the stamp of a monotonic host time, s, for what happened once, in any order."""
        age = max(0, round((time.monotonic() - at) * _NANO))
        return to_time(self.ros_now() - age)

    def in_loop(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """Call a function in the loop's thread and return its result. Raises what it raises."""

        async def call() -> _Result:
            return function(*args)

        return self.thread.run(call(), _CALL_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Context(NodeContext):
    """The same of the driver, whose loop the robot lives in; ``stamp`` is that of the states."""

    robot: Robot
    stamp: Stamper
    commands: dict[str, CommandTopic] = field(default_factory=dict)
    """By topic; what became of the commands that came there."""

    def command_topic(self, name: str) -> CommandTopic:
        """Begin to count the commands of a topic, for the diagnostics."""
        log = ThrottledLog(self.node.get_logger())
        return self.commands.setdefault(name, CommandTopic(name, log))

    def frame(self, parameter: str) -> str:
        """Return the frame named by a parameter, with its prefix."""
        return str(self.parameters["frame_prefix"] + self.parameters[parameter])

    def new_stamper(self) -> Stamper:
        """Return the stamps of a further stream."""
        return Stamper(self.ros_now, time.monotonic)
