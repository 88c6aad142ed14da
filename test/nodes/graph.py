"""A test's own node on the ROS graph, and nodes beside it."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import rclpy
from geometry_msgs.msg import TransformStamped, Twist, Vector3
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from std_msgs.msg import Header
from tf2_ros import TransformBroadcaster

from cozmo_interfaces.msg import ConnectionState

from ..spinner import Spinner
from ..waiting import TIMEOUT, wait_until
from .node_process import DriverProcess

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_LATE = 5.0
"""s."""
_numbers = itertools.count(1)

_Message = TypeVar("_Message")


class Inbox(Generic[_Message]):
    """Messages of one topic with the ROS times at which they came, ns."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._changed = threading.Condition()
        self.messages: list[_Message] = []
        self.received_at: list[int] = []
        self._end = ""

    def end(self, why: str) -> None:
        """Expect no more: who waits fails, and says why nothing comes."""
        with self._changed:
            self._end = why
            self._changed.notify_all()

    def take(self, message: _Message) -> None:
        with self._changed:
            self.messages.append(message)
            self.received_at.append(self._graph.now())
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self.messages.clear()
            self.received_at.clear()

    def wait_for(self, condition: Callable[[_Message], Any], timeout: float = TIMEOUT) -> _Message:
        """Return the first message, old or new, that the condition holds for."""
        seen = 0
        end = time.monotonic() + timeout
        with self._changed:
            while True:
                for message in self.messages[seen:]:
                    if condition(message):
                        return message
                seen = len(self.messages)
                if self._end:
                    # What was sent before the end may still come, on another topic.
                    end = min(end, time.monotonic() + _LATE)
                if not self._changed.wait(max(0.0, end - time.monotonic())):
                    last = self.messages[-1:] or "nothing came"
                    how = self._end or f"within {timeout} s"
                    raise AssertionError(f"not among {seen} messages, {how}: {last}")

    def wait_for_new(self, condition: Callable[[_Message], Any] = lambda _: True) -> _Message:
        """Return the first message from now on that the condition holds for."""
        with self._changed:
            known = {id(message) for message in self.messages}
        return self.wait_for(lambda message: id(message) not in known and condition(message))

    def wait_for_latest(self, condition: Callable[[_Message], Any]) -> _Message:
        """Return the latest message once the condition holds for it, also where it does already.

        For what is published on a change only: it may come before a test waits for it.
        """
        with self._changed:
            fits = self._changed.wait_for(
                lambda: self.messages and condition(self.messages[-1]), TIMEOUT
            )
            assert fits, f"the latest of {len(self.messages)} does not fit: {self.messages[-1:]}"
            return self.messages[-1]

    def collect(self, count: int) -> list[_Message]:
        """Return the next ``count`` messages."""
        start = len(self.messages)
        with self._changed:
            enough = self._changed.wait_for(lambda: len(self.messages) >= start + count, TIMEOUT)
            got = self.messages[start : start + count]
        assert enough, f"only {len(got)} of {count} messages came"
        return got


class Graph:
    """A node in a context and executor thread of its own."""

    def __init__(self, namespace: str, name: str = "test") -> None:
        self.namespace = namespace
        self._publishers: dict[tuple[str, type], Any] = {}
        self.action_clients: list[Any] = []
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node(name, namespace=namespace, context=self._context)
        self._spinner = Spinner(self.node)

    def clear(self) -> None:
        """Leave every topic and action."""
        # The executor breaks off when something it is about to wait for goes in another thread.
        self.in_executor(self._leave_topics)

    def _leave_topics(self) -> None:
        for subscription in list(self.node.subscriptions):
            self.node.destroy_subscription(subscription)
        for publisher in self._publishers.values():
            self.node.destroy_publisher(publisher)
        self._publishers.clear()
        for client in self.action_clients:
            client.destroy()
        self.action_clients.clear()

    def close(self) -> None:
        self._spinner.end()
        self.node.destroy_node()
        self._context.try_shutdown()

    def now(self) -> int:
        return int(self.node.get_clock().now().nanoseconds)

    def in_executor(self, act: Callable[[], Any]) -> Any:
        """Return what ``act`` returns, called in the executor's thread.

        Action clients want that: elsewhere an answer can come before they know the request.
        """
        done = threading.Event()
        task = self._spinner.executor.create_task(act)
        task.add_done_callback(lambda _: done.set())
        assert done.wait(TIMEOUT), "the executor is stuck"
        return task.result()

    def listen(
        self, kind: type[_Message], topic: str, qos: QoSProfile | int = 200
    ) -> Inbox[_Message]:
        inbox: Inbox[_Message] = Inbox(self)
        self.node.create_subscription(kind, topic, inbox.take, qos)
        return inbox

    def connected(self, driver: str = "") -> Inbox[ConnectionState]:
        """Return the states of a driver's link once its robot is connected."""
        states = self.listen(ConnectionState, f"{driver}connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
        return states

    def publisher(self, kind: type, topic: str, qos: QoSProfile | int = 10) -> Any:
        """Return a publisher that somebody listens to, always the same one for a topic.

        What different publishers send may arrive in another order.
        """
        publisher = self._publishers.get((topic, kind))
        if publisher is None:
            publisher = self.node.create_publisher(kind, topic, qos)
            self._publishers[topic, kind] = publisher
        wait_until(publisher.get_subscription_count, f"nobody subscribes to {topic}")
        return publisher

    def set(self, node: str = "cozmo_driver", /, **values: Any) -> str:
        """Set parameters of a node; return why they are refused, empty where they are not."""
        request = SetParameters.Request(
            parameters=[
                Parameter(name, value=one).to_parameter_msg() for name, one in values.items()
            ]
        )
        results = self.call(SetParameters, f"{node}/set_parameters", request).results
        return "; ".join(result.reason for result in results if not result.successful)

    def get(self, name: str, node: str = "cozmo_driver") -> Any:
        """Return a parameter of a node."""
        request = GetParameters.Request(names=[name])
        [value] = self.call(GetParameters, f"{node}/get_parameters", request).values
        return parameter_value_to_python(value)

    def call(
        self, kind: Any, service: str, request: Any = None, again_after: float = TIMEOUT / 4
    ) -> Any:
        """Return what a service answers; it is asked once more after ``again_after``, s.

        The middleware drops the answer to a client that the server does not know yet.
        """
        client = self.in_executor(lambda: self.node.create_client(kind, service))
        answers: SimpleQueue[Future] = SimpleQueue()

        def ask() -> None:
            client.call_async(request or kind.Request()).add_done_callback(answers.put)

        try:
            assert client.wait_for_service(TIMEOUT), f"nobody offers {service}"
            for patience in (again_after, TIMEOUT):
                # In another thread the response could come before the client knows of the request.
                self.in_executor(ask)
                with suppress(Empty):
                    return answers.get(timeout=patience).result()
            raise AssertionError(f"{service} does not answer")
        finally:
            self.in_executor(lambda: self.node.destroy_client(client))


@contextmanager
def running_driver(port: int, namespace: str, **parameters: Any) -> Iterator[DriverProcess]:
    """Run the driver for the time of a ``with`` block; it must end well and complain of nothing."""
    chosen = {"robot_address": "127.0.0.1", "robot_port": port, **parameters}
    with running_node("driver_node", namespace, **chosen) as driver:
        yield driver


@contextmanager
def running_node(program: str, namespace: str, **parameters: Any) -> Iterator[DriverProcess]:
    """Run a node for the time of a ``with`` block; it must end well and complain of nothing."""
    with tempfile.TemporaryDirectory() as folder:
        driver = DriverProcess(namespace, parameters, Path(folder), program)
        try:
            yield driver
        finally:
            code = driver.stop()
        assert code == 0, f"it ended with {code}: {driver.log}"
        assert "Traceback" not in driver.log, driver.log


@contextmanager
def running_graph(namespace: str = "", name: str = "test") -> Iterator[Graph]:
    """Take part in the graph for the time of a ``with`` block, by default in an own namespace."""
    graph = Graph(namespace or f"/t{os.getpid()}_{next(_numbers)}", name)
    try:
        yield graph
    finally:
        graph.close()


def drive_until(graph: Graph, holds: Callable[[], Any], topic: str = "cmd_vel") -> None:
    """Command 0.05 m/s again and again until something holds.

    A first command may come before the node is connected or knows its publisher, and what a busy
    robot sees of one may be its end only.
    """
    publisher = graph.publisher(Twist, topic)

    def is_there() -> Any:
        publisher.publish(twist(0.05))
        return holds()

    wait_until(is_there, f"it never comes of {topic}")


def seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)


def twist(linear: float, angular: float = 0.0) -> Twist:
    return Twist(linear=Vector3(x=linear), angular=Vector3(z=angular))


@contextmanager
def broadcasting(graph: Graph, frame: str) -> Iterator[None]:
    """Say where a frame is in odom 30 times a second, with stamps of now."""
    broadcaster = TransformBroadcaster(graph.node)

    def say() -> None:
        place = TransformStamped(child_frame_id=frame)
        place.header = Header(frame_id="odom", stamp=graph.node.get_clock().now().to_msg())
        place.transform.translation.x, place.transform.rotation.w = 1.0, 1.0
        broadcaster.sendTransform(place)

    timer = graph.in_executor(lambda: graph.node.create_timer(1 / 30, say))
    try:
        yield
    finally:
        graph.in_executor(lambda: graph.node.destroy_timer(timer))
