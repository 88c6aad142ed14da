"""What every part of the driver node is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from builtin_interfaces.msg import Time
from rclpy.node import Node

from ..link import LoopThread
from ..robot import Robot
from .parameter_set import ParameterSet
from .stamps import Stamper

_Result = TypeVar("_Result")
_CALL_TIMEOUT = 2.0


@dataclass(frozen=True, slots=True)
class Context:
    """Node, robot, the thread the robot lives in, parameters; ``stamp`` is that of the states."""

    node: Node
    robot: Robot
    thread: LoopThread
    parameters: ParameterSet
    stamp: Stamper

    def frame(self, parameter: str) -> str:
        """Return the frame named by a parameter, with its prefix."""
        return str(self.parameters["frame_prefix"] + self.parameters[parameter])

    def ros_now(self) -> int:
        """Return the ROS time, ns."""
        return int(self.node.get_clock().now().nanoseconds)

    def stamp_now(self) -> Time:
        """Return the stamp of this moment."""
        return self.node.get_clock().now().to_msg()

    def new_stamper(self) -> Stamper:
        """Return the stamps of a further stream."""
        return Stamper(self.ros_now, time.monotonic)

    def in_loop(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """Call a function in the robot's thread and return its result. Raises what it raises."""

        async def call() -> _Result:
            return function(*args)

        return self.thread.run(call(), _CALL_TIMEOUT)
