"""Drive along a curve, given as nav_msgs/Path from where the robot stands, and tell how far it is.

python3 examples/ros/follow_path.py --ros-args -p length:=0.3
"""

from __future__ import annotations

import math
import sys
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import FollowPath


def wave(length: float, frame: str) -> Path:
    """Return a bow to the left and back: points, and the heading of the last one."""
    path = Path()
    path.header.frame_id = frame
    for step in range(1, 9):
        share = step / 8
        pose = PoseStamped()
        pose.pose.position.x = length * share
        pose.pose.position.y = length / 8 * (1 - math.cos(math.tau * share))
        pose.pose.orientation.w = 1.0
        path.poses.append(pose)
    return path


def main() -> None:
    """Drive along a curve."""
    rclpy.init()
    node = Node("wave")
    length = node.declare_parameter("length", 0.3).value
    frame = node.declare_parameter("frame", "base_footprint").value
    client = ActionClient(node, FollowPath, "follow_path")
    client.wait_for_server()

    def tell(message: Any) -> None:
        to_go = message.feedback.distance_remaining
        node.get_logger().info(f"{to_go:.2f} m to go", throttle_duration_sec=0.5)

    sent = client.send_goal_async(FollowPath.Goal(path=wave(length, frame)), tell)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=10.0)
    if not sent.done():
        sys.exit("follow_path does not answer: try again")
    done = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, done)
    result = done.result().result
    if not result.success:
        sys.exit(result.message)
    node.get_logger().info(f"{result.distance_traveled:.2f} m driven")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
