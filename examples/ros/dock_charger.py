"""Drive home onto the charger, and tell how far the robot is.

python3 examples/ros/dock_charger.py
"""

from __future__ import annotations

import sys
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import DockCharger


def main() -> None:
    """Drive home onto the charger."""
    rclpy.init()
    node = Node("dock")
    client = ActionClient(node, DockCharger, "dock_charger")
    client.wait_for_server()

    def tell(message: Any) -> None:
        feedback = message.feedback
        node.get_logger().info(f"attempt {feedback.attempt}: {feedback.phase}")

    sent = client.send_goal_async(DockCharger.Goal(), tell)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=10.0)
    if not sent.done():
        sys.exit("dock_charger does not answer: try again")
    done = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, done)
    result = done.result().result
    if not result.success:
        sys.exit(result.message)
    node.get_logger().info(result.message)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
