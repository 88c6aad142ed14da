"""Find a cube, pick up the nearest one and put it down on the left, by the actions of the hands.

python3 examples/ros/pick_up_cube.py --ros-args -p left:=0.15
"""

from __future__ import annotations

import sys
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.node import Node

from cozmo_interfaces.action import HandleObject, PickUpCube, PlaceCube


def do(node: Node, kind: Any, name: str, goal: Any) -> Any:
    """Send a goal and return its result, or end the program with the robot's reason."""
    client = ActionClient(node, kind, name)
    client.wait_for_server()
    sent = client.send_goal_async(goal, lambda message: print(message.feedback.phase))
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
    """Find a cube, pick up the nearest one and put it down on the left."""
    rclpy.init()
    node = Node("cube_carrier")
    there = PoseStamped()
    there.header.frame_id = node.declare_parameter("frame", "base_footprint").value
    there.pose.position.y = node.declare_parameter("left", 0.15).value
    # After a start the head is low: no cube is in the camera's image.
    do(node, HandleObject, "find_object", HandleObject.Goal())
    picked = do(node, PickUpCube, "pick_up_cube", PickUpCube.Goal())
    goal = PlaceCube.Goal(target=PlaceCube.Goal.AT_POSE, pose=there)
    place = do(node, PlaceCube, "place_cube", goal).pose.pose.position
    print(f"{picked.object} stands at {place.x:.3f}, {place.y:.3f} m now")
    rclpy.shutdown()


if __name__ == "__main__":
    main()
