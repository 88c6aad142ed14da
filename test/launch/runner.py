"""Runs launch files as ``ros2 launch`` runs them, and stand-ins for programs that are not here."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import PythonLaunchDescriptionSource

from ..waiting import TIMEOUT

FOLDER = Path(__file__).parents[2] / "launch"
_RUNNER = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
path, *words = sys.argv[1:]
service = LaunchService(argv=words)
source = PythonLaunchDescriptionSource(path)
arguments = [tuple(word.split(":=", 1)) for word in words]
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments)])
)
sys.exit(service.run())
"""
# A node that only takes what it is given: parameters and remappings, as a real one would.
_STAND_IN = """#!{python}
import signal, sys
# Whoever sees the line below may press Ctrl-C before the last line waits for it.
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
import rclpy
from rclpy.node import Node
rclpy.init(args=sys.argv, signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
node = Node("stand_in", automatically_declare_parameters_from_overrides=True)
own = ("use_sim_time", "start_type_description_service")
found = node.get_parameters_by_prefix("").items()
given = {{name: parameter.value for name, parameter in found if name not in own}}
topic = node.resolve_topic_name("cmd_vel")
print("STAND-IN", (node.get_fully_qualified_name(), topic, given), flush=True)
node.destroy_node()
rclpy.shutdown()
signal.sigwait([signal.SIGINT])
"""


def arguments_of(file: str) -> list[DeclareLaunchArgument]:
    source = PythonLaunchDescriptionSource(str(FOLDER / file))
    described: LaunchDescription = source.get_launch_description(LaunchContext())
    return [one for one in described.entities if isinstance(one, DeclareLaunchArgument)]


def refusal(file: str, **arguments: Any) -> str:
    """Return why a launch file starts nothing with these arguments."""
    words = [f"{name}:={value}" for name, value in arguments.items()]
    context = LaunchContext(argv=words)
    context.launch_configurations.update({name: str(one) for name, one in arguments.items()})
    source = PythonLaunchDescriptionSource(str(FOLDER / file))
    try:
        for entity in source.get_launch_description(context).entities:
            entity.visit(context)
    except Exception as refused:  # StartError, and what launch raises for a value that is no choice
        return str(refused)
    return ""


@contextmanager
def launched(
    file: str | Path, log: Path, *prefixes: Path, **arguments: Any
) -> Iterator[subprocess.Popen[str]]:
    """Run a launch file; its output goes to ``log``; ``prefixes`` hold further packages.

    Nothing of it is left behind.
    """
    words = [f"{name}:={value}" for name, value in arguments.items()]
    paths = [*map(str, prefixes), os.environ["AMENT_PREFIX_PATH"]]
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", _RUNNER, str(FOLDER / file), *words],
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **os.environ,
                "PYTHONUNBUFFERED": "1",
                "AMENT_PREFIX_PATH": os.pathsep.join(paths),
            },
            start_new_session=True,
        )
    try:
        yield process
    finally:
        try:
            if process.poll() is None:
                press_ctrl_c(process)
            process.wait(TIMEOUT)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def said_by_stand_ins(log: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Return what stand-ins were given: full name, topic of ``cmd_vel``, parameters."""
    lines = [line for line in log.read_text().splitlines() if "STAND-IN " in line]
    return [ast.literal_eval(line.split("STAND-IN ", 1)[1]) for line in lines]


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Send SIGINT as a terminal does: to the launch and to everything it started."""
    os.killpg(process.pid, signal.SIGINT)


def install_stand_in(prefix: Path, package: str, executable: str) -> None:
    """Install a program that says what it was given and waits for SIGINT."""
    index = prefix / "share/ament_index/resource_index/packages"
    folder = prefix / "lib" / package
    for one in (index, folder, prefix / "share" / package):
        one.mkdir(parents=True, exist_ok=True)
    (index / package).touch()
    program = folder / executable
    program.write_text(_STAND_IN.format(python=sys.executable))
    program.chmod(0o755)
