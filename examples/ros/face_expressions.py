"""Show expressions one after the other; face_node draws them, with eyes that blink.

python3 examples/ros/face_expressions.py --ros-args -p names:="[Happiness, Surprise]"
"""

from __future__ import annotations

import time

import rclpy
from rclpy.node import Node

from cozmo_interfaces.msg import Expression
from cozmo_interfaces.srv import ListExpressions


def main() -> None:
    """Show expressions one after the other."""
    rclpy.init()
    node = Node("expressions")
    names = node.declare_parameter("names", ["all"]).value
    seconds = node.declare_parameter("seconds", 1.5).value
    known = node.create_client(ListExpressions, "list_expressions")
    known.wait_for_service()
    if names == ["all"]:
        asked = known.call_async(ListExpressions.Request())
        rclpy.spin_until_future_complete(node, asked)
        names = asked.result().names
    publisher = node.create_publisher(Expression, "face/expression", 10)
    while not publisher.get_subscription_count():
        rclpy.spin_once(node, timeout_sec=0.1)
    for name in names:
        node.get_logger().info(name)
        publisher.publish(Expression(name=name, blend_time=min(0.3, seconds / 2)))
        time.sleep(seconds)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
