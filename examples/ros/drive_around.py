"""Drive to a place around known obstacles; needs the manipulation node (manipulation:=true).

python3 examples/ros/drive_around.py --ros-args -p x:=0.6
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import GoToPose, MoveHead

LOOK = 3.0
"""s to look ahead before it starts."""


def do(
    node: Node, kind: Any, name: str, goal: Any, tell: Callable[[Any], None] | None = None
) -> Any:
    """Send a goal and return its result, or end the program with the robot's reason."""
    client = ActionClient(node, kind, name)
    client.wait_for_server()
    sent = client.send_goal_async(goal, tell)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=10.0)
    if not sent.done():
        sys.exit(f"{name} does not answer: try again")
    done = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, done)
    result = done.result().result
    if not result.success:
        sys.exit(result.message)
    return result


def main() -> None:
    """Drive to a place around what is in the way."""
    rclpy.init()
    node = Node("drive_around")
    pose = PoseStamped()
    pose.header.frame_id = node.declare_parameter("frame", "base_footprint").value
    pose.pose.position.x = node.declare_parameter("x", 0.6).value
    pose.pose.position.y = node.declare_parameter("y", 0.0).value

    def tell(message: Any) -> None:
        to_go = message.feedback.distance_remaining
        node.get_logger().info(f"{to_go:.2f} m to go", throttle_duration_sec=0.5)

    # After a start the head is low: no cube is in the camera's image.
    do(node, MoveHead, "move_head", MoveHead.Goal(angle=math.radians(-10.0)))
    time.sleep(LOOK)
    goal = GoToPose.Goal(pose=pose, avoid=True, is_heading_ignored=True)
    node.get_logger().info(do(node, GoToPose, "go_to_pose", goal, tell).message)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
