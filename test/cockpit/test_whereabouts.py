"""Where the robot is on the map, as the page draws it in the frame of the odometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from geometry_msgs.msg import PoseWithCovarianceStamped

from cozmo_driver.cockpit.ros_whereabouts import landmarks, place_value, state_value
from cozmo_driver.localization import MapTag, TagMap, pose_of
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.geometry import quaternion
from cozmo_interfaces.msg import LocalizationState


def test_a_map_and_the_ellipse_are_placed_in_odom() -> None:
    odom_on_map, here = Pose2D(1.0, -0.5, math.pi / 2), Pose2D(0.3, 0.1, 0.7)
    on_map = odom_on_map.compose(here)
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.x, message.pose.pose.position.y = on_map.x, on_map.y
    message.pose.pose.orientation = quaternion(on_map.yaw)
    # 30 mm along y of the map, which is x of odom; 10 mm across.
    message.pose.covariance[:] = np.diag([0.01**2, 0.03**2, 0, 0, 0, 0.01]).ravel()
    value = place_value(message, here)
    assert value["odom"] == pytest.approx([1.0, -0.5, math.pi / 2], abs=1e-3)
    x, y, angle, along, across = value["ellipse"]
    assert (x, y, along, across) == pytest.approx((0.3, 0.1, 0.06, 0.02), abs=1e-3)
    assert math.sin(angle) == pytest.approx(0.0, abs=1e-3)


def test_a_robot_that_is_lost_has_no_figures() -> None:
    lost = LocalizationState(position_deviation=math.inf, yaw_deviation=math.inf, landmarks=12)
    value = state_value(lost)
    assert (value["status"], value["is_known"], value["position"]) == ("lost", False, None)
    lost.status, lost.position_deviation, lost.yaw_deviation = lost.TRACKING, 0.004, 0.01
    value = state_value(lost)
    assert (value["status"], value["position"], value["yaw"]) == ("known", 0.004, 0.01)


def test_tags_are_told_from_what_is_drawn_beside_them() -> None:
    from cozmo_driver.perception.ros_landmarks import LandmarkMarkers

    class Paper:
        def create_publisher(self, *_: object) -> Paper:
            return self

        def publish(self, message: object) -> None:
            self.message = message

    paper = Paper()
    tags = [MapTag(f"36h11:{n}", 0.06, pose_of((n, 0.0, 0.05), 0.0, 0.0, 0.0)) for n in (1, 2)]
    LandmarkMarkers(paper, "map").publish(TagMap.of(tags), {"36h11:2"})
    found = landmarks(paper.message)
    assert [(one["name"], one["size"], one["is_doubted"]) for one in found] == [
        ("36h11:1", 0.06, False),
        ("36h11:2", 0.06, True),
    ]
    assert found[0]["place"] == [1.0, 0.0, 0.05]
