"""Say something, then play an animation; both are actions.

python3 examples/ros/say_and_play.py --ros-args -p text:="Hello" -p animation:=Greeting
"""

from __future__ import annotations

import sys
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import PlayAnimation, Say


def do(node: Node, client: ActionClient, goal: Any) -> Any:
    """Send a goal and return its result, or end the program with the robot's reason."""
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
    return result


def main() -> None:
    """Say something, then play an animation."""
    rclpy.init()
    node = Node("show")
    text = node.declare_parameter("text", "Hello. I am Cozmo.").value
    animation = node.declare_parameter("animation", "Greeting").value
    said = do(node, ActionClient(node, Say, "say"), Say.Goal(text=text))
    node.get_logger().info(f"spoke for {said.position:.1f} s")
    play = ActionClient(node, PlayAnimation, "play_animation")
    played = do(node, play, PlayAnimation.Goal(name=animation))
    node.get_logger().info(f"played {played.clip}")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
