"""Driven as Nav2 drives: a stream of commands, and transforms that are young enough."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
from tf2_msgs.msg import TFMessage

from ..waiting import wait_until
from .conftest import running_world
from .graph import running_node

OLDEST = 0.1
"""Age of a transform that Nav2's tolerances allow, s."""
# Speed and turn rate, as a path with curves and a turn in place asks for them.
SEQUENCE = [(0.10, 0.0), (0.08, 0.8), (0.0, -1.2), (0.12, -0.4), (0.0, 0.0)]


def command(stamp: int, linear: float, angular: float) -> TwistStamped:
    message = TwistStamped()
    message.header.stamp = Time(sec=stamp // 10**9, nanosec=stamp % 10**9)
    message.twist.linear.x, message.twist.angular.z = linear, angular
    return message


@pytest.mark.covers("enable_stamped_cmd_vel", "cmd_vel", "camera_enabled")
def test_a_controllers_commands_are_followed_and_the_transform_stays_young() -> None:
    parameters = {"enable_stamped_cmd_vel": True, "frame_prefix": "nav/", "camera_enabled": False}
    with running_world(**parameters) as world:
        graph = world.graph
        odometry = graph.listen(Odometry, "odom")
        transforms = graph.listen(TFMessage, "/tf")
        publisher = graph.publisher(TwistStamped, "cmd_vel")
        odometry.collect(2)

        publisher.publish(command(graph.now() - 3 * 10**9, 0.05, 0.0))
        world.driver.wait_for_log("cmd_vel is rejected: its stamp is ")
        assert world.emulator.state().received.get("DriveWheels", 0) == 0

        for linear, angular in SEQUENCE:

            def is_followed(linear: float = linear, angular: float = angular) -> bool:
                publisher.publish(command(graph.now(), linear, angular))
                twist = odometry.messages[-1].twist.twist
                found = twist.linear.x, twist.angular.z
                return bool(found == pytest.approx((linear, angular), rel=0.15, abs=0.01))

            wait_until(is_followed, f"{linear} m/s and {angular} rad/s are not followed")

        def drives_without_a_stamp() -> bool:
            # It is never too old.
            publisher.publish(command(0, 0.05, 0.0))
            return world.emulator.state().left_speed > 0.0

        wait_until(drives_without_a_stamp, "a command without a stamp is not followed")
        with running_node("drive", graph.namespace) as drive:
            drive.wait_for_log("moved ")
            moved = float(drive.log.split("moved ")[1].split()[0])
        assert 0.01 < moved < 0.3
        assert world.emulator.state().images_sent == 0

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
