"""Goals with headings of all kinds, driven as Nav2's RegulatedPurePursuit drives to them.

What counts is the frame that the controller is given: it turns the robot to the goal's heading
only within the tolerance, so a frame that the turn moves out of there is turned to and fro.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.time import Time
from tf2_ros import Buffer, TransformListener

from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import plane_pose

from ..waiting import wait_until
from .conftest import running_world
from .graph import Graph

_CONTROLLER = yaml.safe_load((Path(__file__).parents[2] / "config/nav2_params.yaml").read_text())[
    "/**/controller_server"
]["ros__parameters"]
PURSUIT, CHECKER = _CONTROLLER["FollowPath"], _CONTROLLER["general_goal_checker"]


class Pursuit:
    """Drives to one goal after the other along straight paths, with every message of odom."""

    def __init__(self, graph: Graph) -> None:
        self.pose = Pose2D()
        self.goal: Pose2D | None = None
        self._path_from = Pose2D()
        self._publisher = graph.publisher(Twist, "cmd_vel")
        self._subscription = graph.node.create_subscription(Odometry, "odom", self._on_odometry, 10)

    def drive_to(self, goal: Pose2D) -> None:
        """Begin; ``goal`` is None when it is reached and the robot stands."""
        self._path_from, self.goal = self.pose, goal

    def _on_odometry(self, odometry: Odometry) -> None:
        self.pose = plane_pose(odometry.pose.pose)
        goal = self.goal
        if goal is None:
            return
        twist = odometry.twist.twist
        here = self.pose.inverse().compose(goal)
        is_there = math.hypot(here.x, here.y) <= CHECKER["xy_goal_tolerance"]
        is_still = (
            abs(twist.linear.x) <= CHECKER["trans_stopped_velocity"]
            and abs(twist.angular.z) <= CHECKER["rot_stopped_velocity"]
        )
        command = Twist()
        if is_there and abs(here.yaw) <= CHECKER["yaw_goal_tolerance"] and is_still:
            self.goal = None
        elif is_there:
            command.angular.z = _turn_rate(here.yaw, twist.angular.z)
        else:
            command.linear.x, command.angular.z = self._pursue(goal, twist.angular.z)
        self._publisher.publish(command)

    def _pursue(self, goal: Pose2D, rate: float) -> tuple[float, float]:
        carrot = self.pose.inverse().compose(self._carrot(goal))
        angle = math.atan2(carrot.y, carrot.x)
        if abs(angle) > PURSUIT["rotate_to_heading_min_angle"]:
            return 0.0, _turn_rate(angle, rate)
        left = math.dist((goal.x, goal.y), (self.pose.x, self.pose.y))
        share = min(1.0, left / PURSUIT["approach_velocity_scaling_dist"])
        speed = max(PURSUIT["desired_linear_vel"] * share, PURSUIT["min_approach_linear_velocity"])
        square = carrot.x**2 + carrot.y**2
        return speed, speed * 2 * carrot.y / square if square > 0.001 else 0.0

    def _carrot(self, goal: Pose2D) -> Pose2D:
        start = self._path_from
        length = math.dist((goal.x, goal.y), (start.x, start.y))
        heading = math.atan2(goal.y - start.y, goal.x - start.x)
        path = Pose2D(start.x, start.y, heading)
        along = path.inverse().compose(self.pose).x + PURSUIT["min_lookahead_dist"]
        return path.compose(Pose2D(min(along, length)))


def _turn_rate(angle: float, rate: float) -> float:
    """Return as rotateToHeading: limited by what can be braked away and by the acceleration."""
    most = PURSUIT["rotate_to_heading_angular_vel"]
    change = PURSUIT["max_angular_accel"] / _CONTROLLER["controller_frequency"]
    wanted = math.copysign(most, angle)
    wanted = min(max(wanted, rate - change), rate + change)
    stopping = math.sqrt(2 * PURSUIT["max_angular_accel"] * abs(angle))
    return math.copysign(min(abs(wanted), stopping), wanted)


def in_the_world(pose: object) -> Pose2D:
    return Pose2D(pose.x / 1000, pose.y / 1000, pose.angle)


@pytest.mark.covers("odom", "tf", "cmd_vel", "frame_prefix")
def test_goals_with_headings_of_all_kinds_are_reached() -> None:
    world = World(load_layout(find_world("room")), seed=7)
    emulated = {"world": world, "seed": 7}
    with running_world(emulated=emulated, camera_enabled=False, frame_prefix="one/") as running:
        emulator, graph = running.emulator, running.graph
        buffer = Buffer()
        _listener = TransformListener(buffer, graph.node)
        pursuit = Pursuit(graph)
        wait_until(
            lambda: buffer.can_transform("one/odom", "one/base_footprint", Time()), "no transform"
        )
        start = in_the_world(emulator.state().pose).compose(Pose2D(-0.020))
        for number, heading in enumerate((2.8, -1.6, 0.0)):
            bearing = 2.4 * number
            goal = Pose2D(0.1 * math.cos(bearing), 0.1 * math.sin(bearing), heading)
            pursuit.drive_to(start.compose(goal))
            wait_until(lambda: pursuit.goal is None, f"{goal} was not reached")
            truth = in_the_world(emulator.state().pose).compose(Pose2D(-0.020))
            off = truth.inverse().compose(start.compose(goal))
            # The tolerances, and what the treads' slip and late stop add over half a metre.
            assert math.hypot(off.x, off.y) < 0.035
            assert abs(off.yaw) < 0.20
            transform = buffer.lookup_transform("one/odom", "one/base_footprint", Time()).transform
            turned = 2 * math.atan2(transform.rotation.z, transform.rotation.w)
            assert math.remainder(turned - heading, math.tau) == pytest.approx(0.0, abs=0.12)
