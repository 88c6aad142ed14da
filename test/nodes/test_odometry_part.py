"""When the covariances of odom grow, and by how much."""

from __future__ import annotations

import itertools

import pytest
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.parameter import Parameter

from cozmo_driver.driver.sensors import OdometryPart
from cozmo_driver.robot import OffTreads, Pose2D

from ..robot.states import state
from ..waiting import wait_until
from .conftest import Bench
from .graph import Inbox


class Robot:
    """Lets states come to an odometry part and tells the variances that were published."""

    def __init__(self, bench: Bench) -> None:
        OdometryPart(bench.context)
        self._robot = bench.robot
        self._node = bench.graph.node
        self._inbox: Inbox[OdometryMessage] = bench.graph.listen(OdometryMessage, "odom")
        bench.publisher("odom")
        self._times = itertools.count(100.0, 0.1)
        self._published = 0
        self.pose_variances: list[float] = []

    def set_odometry(self, pose: Pose2D) -> None:
        self._robot.localization.set_odometry(pose)

    def set(self, name: str, value: float) -> None:
        [result] = self._node.set_parameters([Parameter(name, value=value)])
        assert result.successful, result.reason

    @property
    def uncertainty(self) -> tuple[float, float]:
        uncertainty = self._robot.odometry_tracker.uncertainty
        return uncertainty.inflation, uncertainty.duration

    def step(self, posture: OffTreads = OffTreads.ON_TREADS, *, slips: bool = False) -> float:
        """Take a state, 0.1 s later; return the variance of the velocity over its default."""
        plain = state(time=next(self._times), off_treads=posture)
        odometry = self._robot.odometry_tracker.update(plain, is_slipping=slips)
        self._robot.on_odometry.emit(odometry)
        self._published += 1
        self._inbox.wait_for(lambda _: len(self._inbox.messages) == self._published)
        message = self._inbox.messages[-1]
        self.pose_variances.append(float(message.pose.covariance[0]))
        return float(message.twist.covariance[0]) / 1e-4


@pytest.fixture
def robot(bench: Bench) -> Robot:
    return Robot(bench)


@pytest.mark.covers("odom", "covariance_inflation", "covariance_inflation_time")
def test_off_the_treads_covariances_grow_and_only_those_of_the_velocity_fall_back(
    robot: Robot,
) -> None:
    assert robot.step() == pytest.approx(1.0)
    assert robot.step(OffTreads.ON_BACK) == pytest.approx(100.0)
    assert robot.step(OffTreads.IN_AIR) == pytest.approx(100.0)
    after = [robot.step() for _ in range(25)]
    assert after == sorted(after, reverse=True)
    assert after[9] == pytest.approx(10.0)
    assert 1.0 < after[18] < 1.3
    assert after[20:] == [pytest.approx(1.0)] * 5
    assert robot.pose_variances == [pytest.approx(1e-4), *[pytest.approx(1e-4 + 0.5**2)] * 27]


@pytest.mark.covers("odom", "set_odometry")
def test_a_robot_that_is_told_where_it_is_knows_it(robot: Robot) -> None:
    robot.step(OffTreads.IN_AIR)
    robot.set_odometry(Pose2D(1.0))
    robot.step()
    assert robot.pose_variances == [pytest.approx(1e-4 + 0.5**2), pytest.approx(1e-4)]


@pytest.mark.covers("covariance_inflation", "covariance_inflation_time")
def test_how_much_and_how_long_covariances_grow_is_set_while_the_node_runs(robot: Robot) -> None:
    assert robot.uncertainty == (100.0, 2.0)
    robot.set("covariance_inflation", 4.0)
    robot.set("covariance_inflation_time", 0.2)
    wait_until(lambda: robot.uncertainty == (4.0, 0.2), "the robot was not told")
    assert robot.step(slips=True) == pytest.approx(4.0)
    assert robot.step() == pytest.approx(2.0)
    assert robot.step() == pytest.approx(1.0)
