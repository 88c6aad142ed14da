"""Frames that tf is asked for by a driver that has not listened to it before."""

from __future__ import annotations

import pytest
from rclpy.duration import Duration
from std_msgs.msg import Header

from cozmo_driver.robot import Pose2D, Refused
from cozmo_driver.ros.transforms import FrameLookup

from ..waiting import TIMEOUT
from .conftest import Bench
from .graph import broadcasting


def test_the_first_goal_in_a_frame_that_moves_needs_no_second_one(bench: Bench) -> None:
    node, run = bench.graph.node, bench.context.thread.run
    frames = FrameLookup(node, "odom", "base_footprint", Pose2D)
    with broadcasting(bench.graph, "tray"):
        now = node.get_clock().now()
        goal = Header(frame_id="tray", stamp=now.to_msg())
        found = run(frames.pose_of(goal, timeout=TIMEOUT), TIMEOUT)
        assert found.translation.x == 1.0
        # What no listener would have any more is no goal of now.
        old = Header(frame_id="tray", stamp=(now - Duration(seconds=60.0)).to_msg())
        with pytest.raises(Refused, match="from tray to odom"):
            run(frames.pose_of(old, timeout=0.1), TIMEOUT)
