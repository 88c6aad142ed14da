"""Drive to a place around known obstacles; needs the manipulation node (manipulation:=true).

python examples/ros/drive_around.py --ros-args -p x:=0.4
"""

from __future__ import annotations

import sys
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import GoToPose


def main() -> None:
    """Drive to a place around what is in the way."""
    rclpy.init()
    node = Node("drive_around")
    pose = PoseStamped()
    pose.header.frame_id = node.declare_parameter("frame", "base_footprint").value
    pose.pose.position.x = node.declare_parameter("x", 0.4).value
    pose.pose.position.y = node.declare_parameter("y", 0.0).value
    client = ActionClient(node, GoToPose, "go_to_pose")
    client.wait_for_server()

    def tell(message: Any) -> None:
        to_go = message.feedback.distance_remaining
        node.get_logger().info(f"{to_go:.2f} m to go", throttle_duration_sec=0.5)

    goal = GoToPose.Goal(pose=pose, avoid=True, is_heading_ignored=True)
    sent = client.send_goal_async(goal, tell)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=10.0)
    if not sent.done():
        sys.exit("go_to_pose does not answer: try again")
    done = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, done)
    result = done.result().result
    if not result.success:
        sys.exit(result.message)
    node.get_logger().info(result.message)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
