"""Start the driver and robot_state_publisher, and the emulator or RViz when asked for."""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from cozmo_driver.nodes import processes
from cozmo_driver.nodes.errors import StartError

SWITCH = ["true", "false"]
ARGUMENTS = (
    DeclareLaunchArgument(
        "namespace", default_value="", description="namespace of every node and topic"
    ),
    DeclareLaunchArgument(
        "robot_address",
        default_value="",
        description="IPv4 address of the robot; empty: as in config_file (172.31.1.1)",
    ),
    DeclareLaunchArgument(
        "robot_port",
        default_value="",
        description="UDP port of the robot or the emulator; empty: as in config_file (5551)",
    ),
    DeclareLaunchArgument(
        "network_interface",
        default_value="",
        description="network adapter all traffic to the robot is bound to, e.g. wlan1; "
        "empty: as in config_file (by route)",
    ),
    DeclareLaunchArgument(
        "simulate",
        default_value="false",
        choices=SWITCH,
        description="start the emulator on this computer and drive that",
    ),
    DeclareLaunchArgument(
        "config_file",
        default_value="",
        description="parameters of the driver; empty: config/cozmo.yaml of the package",
    ),
    DeclareLaunchArgument(
        "use_sim_time",
        default_value="false",
        choices=SWITCH,
        description="take the time from the topic /clock",
    ),
    DeclareLaunchArgument(
        "frame_prefix",
        default_value="",
        description="put before every frame name, e.g. cozmo1/",
    ),
    DeclareLaunchArgument(
        "rviz", default_value="false", choices=SWITCH, description="start RViz with the robot"
    ),
)
DEFAULT_PORT = 5551


def start(context: LaunchContext) -> list[object]:
    """Return what is to be started. Raises ``StartError`` before anything is."""
    chosen = {
        argument.name: LaunchConfiguration(argument.name).perform(context) for argument in ARGUMENTS
    }
    simulate = chosen["simulate"] == "true"
    try:
        port = int(chosen["robot_port"] or 0)
    except ValueError:
        raise StartError(f"robot_port is a number, not '{chosen['robot_port']}'") from None
    if simulate and chosen["robot_address"]:
        raise StartError("simulate starts an emulator on this computer: leave robot_address out")
    options = processes.Options(
        robot_address=processes.EMULATOR_HOST if simulate else chosen["robot_address"],
        robot_port=port or (DEFAULT_PORT if simulate else 0),
        network_interface=chosen["network_interface"],
        namespace=chosen["namespace"],
        config_file=chosen["config_file"],
        use_sim_time=chosen["use_sim_time"] == "true",
        frame_prefix=chosen["frame_prefix"],
    )
    plan = [processes.emulator(options.robot_port)] if simulate else []
    plan += [processes.driver(options), processes.robot_state_publisher(options)]
    if chosen["rviz"] == "true":
        plan.append(processes.rviz(options))
    for process in plan:
        processes.executable_path(process)
    return [action(process) for process in plan]


def action(process: processes.Process) -> ExecuteProcess:
    """Return what launch starts for a program."""
    common = {
        "output": "screen",
        "on_exit": Shutdown(reason=f"{process.name} ended") if process.is_vital else None,
    }
    if not process.is_node:
        command = [processes.executable_path(process), *process.arguments]
        return ExecuteProcess(cmd=command, name=process.name, **common)
    return Node(
        package=process.package,
        executable=process.executable,
        namespace=process.namespace,
        arguments=list(process.arguments),
        parameters=[*process.parameter_files, dict(process.parameters)],
        **common,
    )


def generate_launch_description() -> LaunchDescription:
    """Return the description that ``ros2 launch`` asks for."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=start)])
