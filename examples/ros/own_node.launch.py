"""Start the driver with everything that belongs to it, and an own node beside it.

ros2 launch examples/ros/own_node.launch.py simulate:=true

Every argument of cozmo.launch.py is one of this file, too. It needs an installed ROS 2.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

DRIVER = Path(get_package_share_directory("cozmo_driver"), "launch", "cozmo.launch.py")
OWN = Path(__file__).with_name("cube_lights_on_tap.py")


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` asks for."""
    return LaunchDescription(
        [
            DeclareLaunchArgument("namespace", default_value="", description="of every node"),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(DRIVER))),
            # Of a node in a package: package="my_package", executable="my_node".
            Node(
                executable=sys.executable,
                arguments=[str(OWN)],
                namespace=LaunchConfiguration("namespace"),
                output="screen",
            ),
        ]
    )
