"""What launch files have in common: launch actions made of processes. Needs ``launch_ros``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile

from . import processes

SWITCH = ("true", "false")


def argument(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that takes any text."""
    return DeclareLaunchArgument(name, default_value=default, description=description)


def choice(
    name: str, default: str, description: str, choices: Iterable[str] = SWITCH
) -> DeclareLaunchArgument:
    """Return an argument that takes one of ``choices``."""
    return DeclareLaunchArgument(
        name, default_value=default, description=description, choices=list(choices)
    )


def action(process: processes.Process) -> ExecuteProcess:
    """Return what launch starts for a program."""
    common = {
        "output": "screen",
        "prefix": process.prefix or None,
        "on_exit": Shutdown(reason=f"{process.name} ended") if process.is_vital else None,
    }
    if not process.is_node:
        command = [processes.executable_path(process), *process.arguments]
        return ExecuteProcess(cmd=command, name=process.name, **common)
    files = [
        ParameterFile(file, allow_substs=process.has_substitutions)
        for file in process.parameter_files
    ]
    return Node(
        package=process.package,
        executable=process.executable,
        name=process.node_name or None,
        namespace=process.namespace,
        arguments=list(process.arguments),
        parameters=[*files, dict(process.parameters)],
        remappings=list(process.remappings),
        **common,
    )


def description(
    arguments: Sequence[DeclareLaunchArgument],
    plan: Callable[[Mapping[str, str]], Iterable[processes.Process]],
) -> LaunchDescription:
    """Return a launch description that starts what ``plan`` makes of the arguments' values.

    ``plan`` raises ``StartError`` for what cannot work; nothing has been started by then.
    """

    def start(context: LaunchContext) -> list[ExecuteProcess]:
        chosen = {one.name: LaunchConfiguration(one.name).perform(context) for one in arguments}
        planned = list(plan(chosen))
        for process in planned:
            processes.executable_path(process)
        return [action(process) for process in planned]

    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
