"""When the covariances of odom grow."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from nav_msgs.msg import Odometry as OdometryMessage

from cozmo_driver.nodes.parts.odometry import OdometryPart
from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.robot import Odometry, Pose2D, Vector3

from ..robot.states import state
from .conftest import Bench
from .graph import Inbox


class Robot:
    """Lets states come to an odometry part and tells the variance of yaw that was published."""

    def __init__(self, bench: Bench) -> None:
        OdometryPart(bench.context)
        self._robot = bench.robot
        self._inbox: Inbox[OdometryMessage] = bench.graph.listen(OdometryMessage, "odom")
        bench.publisher("odom")
        self._times = itertools.count(100.0, 0.03)
        self._published = 0

    def step(self, **changes: Any) -> float:
        time = next(self._times)
        plain = state(time=time, **changes)
        frozen = plain.has(RobotStatusFlag.IS_PICKED_UP)
        self._robot.on_state.emit(plain)
        self._robot.on_odometry.emit(Odometry(time, Pose2D(), 0.0, 0.0, frozen))
        self._published += 1
        self._inbox.wait_for(lambda _: len(self._inbox.messages) == self._published)
        return float(self._inbox.messages[-1].pose.covariance[35])


@pytest.fixture
def robot(bench: Bench) -> Robot:
    return Robot(bench)


def test_covariances_are_large_off_the_ground_and_for_two_seconds_after(robot: Robot) -> None:
    assert robot.step() == 1e-3
    assert robot.step(flags=int(RobotStatusFlag.IS_PICKED_UP)) == pytest.approx(0.1)
    after = [robot.step() for _ in range(70)]
    # 2 s are 66.7 states of 30 ms.
    assert after == [pytest.approx(0.1)] * 66 + [1e-3] * 4


def test_covariances_are_large_when_treads_turn_and_the_robot_does_not(robot: Robot) -> None:
    spin = {"left_wheel_speed": 0.11, "right_wheel_speed": -0.114}
    turning = Vector3(0.0, 0.0, -3.2)
    assert {robot.step(**spin, angular_velocity=turning) for _ in range(20)} == {1e-3}
    held = [robot.step(**spin) for _ in range(12)]
    assert held[0] == 1e-3
    assert held[-1] == pytest.approx(0.1)
