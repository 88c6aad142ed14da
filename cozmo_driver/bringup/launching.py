"""What launch files have in common: launch actions made of processes. Needs ``launch_ros``."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import yaml
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile

from ..ros.errors import StartError
from ..ros.file_urls import shared_file
from . import processes
from .child import ending_with_this

SWITCH = ("true", "false")
_SIMILAR = 0.6
"""A name that is this close to one of ours is taken for a mistyped one, 0 to 1."""


def argument(name: str, default: str, description: str) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(name, default_value=default, description=description)


def choice(
    name: str, default: str, description: str, choices: Iterable[str] = SWITCH
) -> DeclareLaunchArgument:
    """Return an argument that takes one of ``choices``, in any case."""
    return DeclareLaunchArgument(
        name, default_value=default, description=description, choices=list(choices)
    )


def action(process: processes.Process, *, is_tied: bool = True) -> ExecuteProcess:
    """Return what starts a program; one that is tied ends with launch, however that dies."""
    words = shlex.split(process.prefix)
    if is_tied and sys.platform == "linux":
        words = ending_with_this(words)
    common = {
        "output": "screen",
        "prefix": shlex.join(words) or None,
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
        # Else it was that of the prefix.
        exec_name=process.executable,
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

    def prepare(context: LaunchContext) -> None:
        given = context.launch_configurations
        _refuse_mistyped(given, context.argv, [one.name for one in arguments])
        for one in arguments:
            if one.choices and given.get(one.name, "").lower() in one.choices:
                given[one.name] = given[one.name].lower()

    def start(context: LaunchContext) -> list[ExecuteProcess]:
        chosen = {one.name: LaunchConfiguration(one.name).perform(context) for one in arguments}
        planned = list(plan(chosen))
        for process in planned:
            processes.executable_path(process)
        # A prefix of ours would replace the one that was asked for.
        is_tied = "launch-prefix" not in context.launch_configurations
        return [action(process, is_tied=is_tied) for process in planned]

    # Before the arguments are declared the context holds nothing but what was given.
    return LaunchDescription(
        [OpaqueFunction(function=prepare), *arguments, OpaqueFunction(function=start)]
    )


def _refuse_mistyped(given: Mapping[str, str], words: Iterable[str], names: Sequence[str]) -> None:
    """Raise ``StartError`` for an argument that is none, which launch itself ignores.

    A launch file that includes this one has arguments of its own: then more is given than was
    typed, and nothing is refused.
    """
    typed = {word.partition(":=")[0] for word in words}
    if set(given) != typed:
        return
    left = [name for name in names if name not in given]
    unknown = sorted(typed.difference(names))
    parameters = _parameters() if unknown else set()
    for name in unknown:
        if name in parameters:
            raise StartError(
                f"{name} is no argument but a parameter of the driver: put it into a copy of "
                "config/cozmo.yaml, and start cozmo.launch.py with config_file:=FILE"
            )
        if near := difflib.get_close_matches(name, left, 1, _SIMILAR):
            raise StartError(f"there is no argument {name}:=, did you mean {near[0]}:=?")


def _parameters() -> set[str]:
    """Return the names of the driver's parameters. Raises ``StartError``."""
    file = processes.existing(
        shared_file(processes.PACKAGE, "config/cozmo.yaml"), "the driver's parameter file"
    )
    return set(yaml.safe_load(Path(file).read_text(encoding="utf-8"))["/**"]["ros__parameters"])
