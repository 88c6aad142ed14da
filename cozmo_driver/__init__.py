"""ROS 2 driver for the robot Cozmo, its protocol engine and its emulator."""

from __future__ import annotations

__version__ = "0.1.0"
