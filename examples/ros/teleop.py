"""Drive by the keyboard: w a s d drive, any other key stops, q ends.

python3 examples/ros/teleop.py

Hold a key to go on: the driver stops the robot when no cmd_vel comes.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import tty

import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node

KEYS = {"w": (0.08, 0.0), "s": (-0.08, 0.0), "a": (0.0, 1.5), "d": (0.0, -1.5)}


def main() -> None:
    """Drive by the keyboard: w a s d drive, any other key stops, q ends."""
    rclpy.init()
    publisher = Node("keys").create_publisher(Twist, "cmd_vel", 10)
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard)
    print(main.__doc__, flush=True)
    try:
        key = ""
        while key != "q" and rclpy.ok():
            if select.select([keyboard], [], [], 0.1)[0]:
                key = os.read(keyboard, 1).decode()
                twist = Twist()
                twist.linear.x, twist.angular.z = KEYS.get(key, (0.0, 0.0))
                publisher.publish(twist)
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
