"""Fixtures of the node tests: one driver on one emulator for each test module."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from rclpy.publisher import Publisher

from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.firmware import EmulatorState
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.link import LoopThread
from cozmo_driver.robot import Robot, RobotOptions
from cozmo_driver.ros.context import Context
from cozmo_driver.ros.parameter_set import ParameterSet

from ..waiting import wait_until
from .graph import DriverProcess, Graph, running_driver, running_graph


@dataclass(frozen=True)
class World:
    """A robot, its driver, and the test's node beside it."""

    emulator: RunningEmulator
    driver: DriverProcess
    graph: Graph


@contextmanager
def running_world(**parameters: Any) -> Iterator[World]:
    """Run a driver that is connected to an emulator, for the time of a ``with`` block.

    The emulator calibrates at once; ``emulated`` are further options of it.
    """
    emulated = {"calibration_time": 0.0, **parameters.pop("emulated", {})}
    with (
        running_emulator(**emulated) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, **parameters) as driver,
    ):
        graph.connected()
        yield World(emulator, driver, graph)


def stands(state: EmulatorState) -> bool:
    return state.left_speed == state.right_speed == 0.0


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with running_world() as world:
        yield world


@dataclass(frozen=True)
class Bench:
    """What a single part needs: a robot that nobody is linked to, on the test's own node."""

    graph: Graph
    robot: Robot
    context: Context

    def publisher(self, topic: str) -> Publisher:
        """Return the part's publisher of a topic once somebody has subscribed."""
        [found] = [p for p in self.graph.node.publishers if p.topic_name.endswith(f"/{topic}")]
        wait_until(found.get_subscription_count, f"nobody subscribes to {topic}")
        return found


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Return what a single part can be tried on."""
    thread = LoopThread()
    try:
        with running_graph() as graph:
            # No loop runs in which files could be read.
            robot = Robot(RobotOptions(calibration_directory=None))
            parameters = ParameterSet(graph.node, PARAMETERS)
            context = Context(graph.node, thread, parameters, robot)
            yield Bench(graph, robot, context)
    finally:
        thread.stop()


@pytest.fixture(autouse=True)
def leave_topics(request: pytest.FixtureRequest) -> Iterator[None]:
    """Take no more part in the topics of a test when it is over."""
    yield
    if "world" in request.fixturenames:
        request.getfixturevalue("world").graph.clear()


@pytest.fixture
def unused_udp_port() -> Iterator[int]:
    """Return a port at which nobody answers: it is taken for the time of the test."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]
