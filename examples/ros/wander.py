"""Wander about, and turn back at edges with a face that shows it.

python3 examples/ros/wander.py --ros-args -p speed:=0.04
"""

from __future__ import annotations

import signal
from typing import Any

import rclpy
from geometry_msgs.msg import Twist
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from cozmo_interfaces.action import DriveDistance, TurnInPlace
from cozmo_interfaces.msg import Expression, RobotEvent


class Wanderer(Node):
    """Drives ahead by ``cmd_vel``; while it turns back, nothing else of it runs."""

    def __init__(self) -> None:
        super().__init__("wanderer")
        self.ahead = Twist()
        self.ahead.linear.x = self.declare_parameter("speed", 0.04).value
        group = ReentrantCallbackGroup()
        self.drive = ActionClient(self, DriveDistance, "drive_distance", callback_group=group)
        self.turn = ActionClient(self, TurnInPlace, "turn_in_place", callback_group=group)
        self.face = self.create_publisher(Expression, "face/expression", 10)
        self.wheels = self.create_publisher(Twist, "cmd_vel", 10)
        self.create_subscription(RobotEvent, "events", self.take, 10)
        self.create_timer(0.1, lambda: self.wheels.publish(self.ahead))

    async def take(self, event: RobotEvent) -> None:
        """Turn back at an edge, where the robot has stopped by itself."""
        if event.type == RobotEvent.CLIFF_DETECTED:
            self.get_logger().info(event.description)
            self.face.publish(Expression(name="Surprise", blend_time=0.1, hold_time=2.0))
            await self.do(self.drive, DriveDistance.Goal(distance=-0.06))
            await self.do(self.turn, TurnInPlace.Goal(angle=2.5))

    async def do(self, client: ActionClient, goal: Any) -> None:
        """Send a goal and wait for its end."""
        result = (await (await client.send_goal_async(goal)).get_result_async()).result
        if not result.success:
            self.get_logger().warning(result.message)


def main() -> None:
    """Wander until Ctrl-C."""
    # An end by rclpy itself, amid a message or a wait, would be an error now and then.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    node = Wanderer()
    while not ended:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == "__main__":
    main()
