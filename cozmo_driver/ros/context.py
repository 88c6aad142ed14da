"""What every part of a node is given."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from ..link import LoopThread
from ..protocol import SendQueueFull
from ..robot import Reason, Robot
from .errors import explain
from .jobs import Jobs
from .logs import LogBridge, ThrottledLog
from .parameter_set import ParameterSet
from .rclpy_compat import DeferredEvents
from .runtime import StopRequest
from .topics import COMMAND, CommandTopic

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")
_JOBS_TIMEOUT, _TIMEOUT = 5.0, 10.0
"""s in which jobs are answered, and the robot stands still, at the end of a node."""
_NANO = 1_000_000_000
_CLOCK_STEP = _NANO
"""Going back further than this means that the ROS clock was set, and is followed."""


class NodeContext:
    """A node, the thread of the loop that works for it, and its parameters."""

    def __init__(
        self, node: Node, thread: LoopThread, parameters: ParameterSet, what: str = "the driver"
    ) -> None:
        """Run jobs in ``thread``; ``what`` is the node for people."""
        self.node, self.thread, self.parameters = node, thread, parameters
        self.jobs = Jobs(node, thread, what)
        self.log = ThrottledLog()
        self.action_servers: list[Any] = []

    def ros_now(self) -> int:
        """Return the ROS time, ns."""
        return int(self.node.get_clock().now().nanoseconds)

    def stamp_now(self) -> Time:
        return self.node.get_clock().now().to_msg()

    def stamp_of(self, at: float) -> Time:
        """Return the stamp of a monotonic host time, s, for what happened once, in any order."""
        age = max(0, round((time.monotonic() - at) * _NANO))
        return to_time(self.ros_now() - age)

    def in_loop(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """Call a function in the loop's thread and wait for its result; before the node spins."""

        async def call() -> _Result:
            return function(*args)

        return self.thread.run(call())

    def listen(
        self, kind: type, topic: str, callback: Callable[[Any], object], qos: QoSProfile
    ) -> Subscription:
        """Call ``callback`` in the loop's thread with every message of a topic.

        A ``ValueError``, for what the message holds, is logged.
        """

        def on_message(message: Any) -> None:
            try:
                callback(message)
            except ValueError as error:
                self.log.warning(f"{topic} is not understood: {error}")

        return self.node.create_subscription(
            kind, topic, lambda message: self.thread.post(on_message, message), qos
        )

    def has_publisher(self, topic: str) -> bool:
        """Return whether somebody publishes a topic, under the name that it is remapped to."""
        return bool(self.node.count_publishers(self.node.resolve_topic_name(topic)))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the loop's thread; what it raises is logged."""
        if not self.thread.post(asyncio.ensure_future, work):
            work.close()

    def defer_events(self) -> None:
        """Spare the executor work; call once all publishers and subscriptions have been made."""
        DeferredEvents(self.node, self.thread, self.jobs.wake)

    def on_parameter(self, name: str, callback: Callable[[Any], object]) -> None:
        """Call ``callback`` in the loop's thread with every later value of a parameter."""

        def on_value(value: Any) -> None:
            try:
                callback(value)
            except SendQueueFull as error:
                text = f"{name} is sent again with the next connection: {explain(error)[1]}"
                self.log.warning(text)

        self.parameters.on_change(name, lambda value: self.thread.post(on_value, value))

    def close(self) -> None:
        """End the thread; call when the executor spins no more, before the node is destroyed."""
        self.thread.stop()
        # With any of them the node would stay in the graph for 20 s after it is destroyed.
        for server in self.action_servers:
            server.destroy()


class LoopContext(NodeContext):
    """The same of a node that is a program of its own, which hands its log to ROS meanwhile."""

    def __init__(self, node: Node, parameters: ParameterSet, loop: str, what: str) -> None:
        """Start the thread of a ``loop`` of this name."""
        self._log_bridge = LogBridge(node.get_logger())
        self._log_bridge.attach()
        super().__init__(node, LoopThread(loop), parameters, what)
        self.faults = self._log_bridge.faults

    def come_to_rest(self, end: Coroutine[Any, Any, None], stop: StopRequest) -> None:
        """End the jobs, and what moves the robot by ``end``; call while the executor spins."""
        self.jobs.close(_JOBS_TIMEOUT)
        if not self.thread.finish(end, _TIMEOUT):
            _log.error("the robot was not brought to rest within %g s", _TIMEOUT)
            stop.set(1)

    def close(self) -> None:
        super().close()
        self._log_bridge.detach()


class Context(NodeContext):
    """The same of the driver, whose loop the robot lives in."""

    def __init__(
        self, node: Node, thread: LoopThread, parameters: ParameterSet, robot: Robot
    ) -> None:
        super().__init__(node, thread, parameters)
        self.robot = robot
        self.stamp = Stamper(self.ros_now)
        """Stamps of the robot's states."""
        self.commands: dict[str, CommandTopic] = {}
        """By topic; what became of the commands that came there."""

    def command_topic(self, name: str) -> CommandTopic:
        """Count the commands of a topic, for the diagnostics."""
        return self.commands.setdefault(name, CommandTopic(name, self.log))

    def subscribe(
        self,
        kind: type,
        topic: str,
        read: Callable[[Any], Any],
        apply: Callable[[Any], object],
        qos: QoSProfile = COMMAND,
    ) -> None:
        """Take commands: ``read`` makes values of messages, ``apply`` does them in the loop.

        What makes no sense is rejected (``ValueError``, ``INVALID``, ``NOT_FOUND``); what else
        ``errors.explain`` knows is refused.
        """
        counts = self.command_topic(topic)

        def on_message(message: Any) -> None:
            try:
                value = read(message)
            except ValueError as error:
                counts.reject(error)
            else:
                self.thread.post(run, value)

        def run(value: Any) -> None:
            try:
                apply(value)
            except Exception as error:
                is_senseless = explain(error)[0] in (Reason.INVALID, Reason.NOT_FOUND)
                (counts.reject if is_senseless else counts.refuse)(error)
            else:
                counts.accept()

        self.node.create_subscription(kind, topic, on_message, qos)

    def frame(self, parameter: str) -> str:
        """Return the frame named by a parameter, with its prefix."""
        return str(self.parameters["frame_prefix"] + self.parameters[parameter])


def to_time(nanoseconds: int) -> Time:
    """Return a stamp; negative times become zero."""
    seconds, rest = divmod(max(0, nanoseconds), _NANO)
    return Time(sec=seconds, nanosec=rest)


class Stamper:
    """Gives the stamps of one stream: they rise, and none lies in the future.

    Equal times give the same stamp, so that what belongs together is stamped alike. ``ros_now``
    returns the ROS time in ns. Not thread-safe.
    """

    def __init__(
        self, ros_now: Callable[[], int], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._ros_now, self._monotonic = ros_now, monotonic
        self._time = math.nan
        self._last = -1
        self._stamp = Time()

    def __call__(self, at: float) -> Time:
        """Return the stamp of a monotonic host time, s."""
        if at == self._time:
            return self._stamp
        age = max(0, round((self._monotonic() - at) * _NANO))
        nanoseconds = max(0, self._ros_now() - age)
        if nanoseconds <= self._last < nanoseconds + _CLOCK_STEP:
            nanoseconds = self._last + 1
        self._time, self._last = at, nanoseconds
        self._stamp = to_time(nanoseconds)
        return self._stamp
