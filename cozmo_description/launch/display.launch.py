"""Show the robot model with sliders for its joints."""

from __future__ import annotations

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import Command, FindExecutable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PACKAGE = FindPackageShare("cozmo_description")
SWITCH = ["true", "false", "True", "False"]

ARGUMENTS = [
    DeclareLaunchArgument("namespace", default_value="", description="Namespace of every node."),
    DeclareLaunchArgument(
        "prefix", default_value="", description="Put before every link and joint name of the model."
    ),
    DeclareLaunchArgument(
        "frame_prefix",
        default_value="",
        description="Put before every frame published on TF; the view shows the model without one.",
    ),
    DeclareLaunchArgument(
        "eyes",
        default_value="true",
        choices=SWITCH,
        description="Draw the eyes on the screen.",
    ),
    DeclareLaunchArgument(
        "gui",
        default_value="true",
        choices=SWITCH,
        description="Sliders for the joints; without them every joint stands at zero.",
    ),
    DeclareLaunchArgument("rviz", default_value="true", choices=SWITCH, description="Start RViz."),
    DeclareLaunchArgument(
        "rviz_config",
        default_value=PathJoinSubstitution([PACKAGE, "rviz", "cozmo.rviz"]),
        description="RViz configuration file.",
    ),
    DeclareLaunchArgument(
        "fixed_frame",
        default_value="base_footprint",
        description="Frame RViz holds still; `odom` once a driver runs.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Model publisher, joint sliders and RViz."""
    namespace = LaunchConfiguration("namespace")
    description = Command(
        [
            FindExecutable(name="xacro"),
            ' "',
            PathJoinSubstitution([PACKAGE, "urdf", "cozmo.urdf.xacro"]),
            '" "prefix:=',
            LaunchConfiguration("prefix"),
            '" eyes:=',
            LaunchConfiguration("eyes"),
        ]
    )
    nodes = [
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            namespace=namespace,
            parameters=[
                {
                    "robot_description": ParameterValue(description, value_type=str),
                    "frame_prefix": ParameterValue(
                        LaunchConfiguration("frame_prefix"), value_type=str
                    ),
                }
            ],
        ),
        Node(
            package="joint_state_publisher_gui",
            executable="joint_state_publisher_gui",
            namespace=namespace,
            condition=IfCondition(LaunchConfiguration("gui")),
        ),
        Node(
            package="joint_state_publisher",
            executable="joint_state_publisher",
            namespace=namespace,
            condition=UnlessCondition(LaunchConfiguration("gui")),
        ),
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=namespace,
            arguments=[
                "--display-config",
                LaunchConfiguration("rviz_config"),
                "--fixed-frame",
                LaunchConfiguration("fixed_frame"),
            ],
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]
    return LaunchDescription([*ARGUMENTS, *nodes])
