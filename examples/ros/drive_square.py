"""Drive a square by two actions, one after the other.

python3 examples/ros/drive_square.py --ros-args -p side:=0.2
"""

from __future__ import annotations

import math
import sys
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import DriveDistance, TurnInPlace


def do(node: Node, client: ActionClient, goal: Any) -> None:
    """Send a goal and wait for its end, or end the program with the robot's reason."""
    client.wait_for_server()
    sent = client.send_goal_async(goal)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=10.0)
    if not sent.done():
        sys.exit("the goal was not answered: try again")
    done = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, done)
    result = done.result().result
    if not result.success:
        sys.exit(result.message)


def main() -> None:
    """Drive a square."""
    rclpy.init()
    node = Node("square")
    side = node.declare_parameter("side", 0.2).value
    drive = ActionClient(node, DriveDistance, "drive_distance")
    turn = ActionClient(node, TurnInPlace, "turn_in_place")
    for number in range(4):
        do(node, drive, DriveDistance.Goal(distance=side))
        do(node, turn, TurnInPlace.Goal(angle=math.pi / 2))
        node.get_logger().info(f"side {number + 1} of 4 is done")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
