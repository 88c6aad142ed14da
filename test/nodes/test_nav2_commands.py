"""Driven as Nav2 drives: a stream of commands, and transforms that are young enough."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import Any

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from tf2_msgs.msg import TFMessage

from ..waiting import wait_until
from .conftest import running_world
from .graph import Graph

OLDEST = 0.1
"""Age of a transform that Nav2's tolerances allow, s."""
# Speed and turn rate, as a path with curves and a turn in place asks for them.
SEQUENCE = [(0.10, 0.0), (0.08, 0.8), (0.0, -1.2), (0.12, -0.4), (0.0, 0.0)]


def command(graph: Graph, is_stamped: bool, linear: float, angular: float) -> Any:
    twist = Twist()
    twist.linear.x, twist.angular.z = linear, angular
    if not is_stamped:
        return twist
    stamped = TwistStamped(twist=twist)
    stamped.header.stamp = graph.node.get_clock().now().to_msg()
    return stamped


@pytest.mark.covers("enable_stamped_cmd_vel", "cmd_vel")
@pytest.mark.parametrize("is_stamped", [True])
def test_a_controllers_commands_are_followed_and_the_transform_stays_young(
    is_stamped: bool,
) -> None:
    parameters = {"enable_stamped_cmd_vel": is_stamped, "frame_prefix": "nav/"}
    with running_world(camera_enabled=False, **parameters) as world:
        graph = world.graph
        odometry = graph.listen(Odometry, "odom")
        transforms = graph.listen(TFMessage, "/tf")
        publisher = graph.publisher(TwistStamped if is_stamped else Twist, "cmd_vel")
        odometry.collect(2)

        for linear, angular in SEQUENCE:

            def is_followed(linear: float = linear, angular: float = angular) -> bool:
                publisher.publish(command(graph, is_stamped, linear, angular))
                twist = odometry.messages[-1].twist.twist
                found = twist.linear.x, twist.angular.z
                return bool(found == pytest.approx((linear, angular), rel=0.15, abs=0.01))

            wait_until(is_followed, f"{linear} m/s and {angular} rad/s are not followed")

        stamps, ages = [], []
        for message, at in zip(transforms.messages, list(transforms.received_at), strict=False):
            for transform in message.transforms:
                if transform.child_frame_id == "nav/base_footprint":
                    stamp = transform.header.stamp
                    # Whole ns: those of states that came late together are 1 apart.
                    stamps.append(stamp.sec * 10**9 + stamp.nanosec)
                    ages.append((at - stamps[-1]) * 1e-9)

    # A busy computer holds up some; a driver that stamps too early or sends too seldom, all.
    assert 0.0 <= min(ages) < OLDEST / 2
    steps = [b - a for a, b in pairwise(stamps)]
    assert min(steps) > 0
    assert median(steps) * 1e-9 < OLDEST / 2
