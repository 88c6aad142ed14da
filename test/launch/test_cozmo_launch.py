"""The launch file, run as ``ros2 launch`` runs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.launch_description_sources import PythonLaunchDescriptionSource
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CompressedImage, Imu, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from cozmo_interfaces.msg import ConnectionState

from ..nodes.graph import LATCHED, PATIENCE, running_graph

FILE = Path(__file__).parents[2] / "launch" / "cozmo.launch.py"
RUNNER = """
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


def description() -> LaunchDescription:
    """Return what the file describes."""
    return PythonLaunchDescriptionSource(str(FILE)).get_launch_description(LaunchContext())


def free_port() -> int:
    """Return a UDP port that was free a moment ago."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def launched(log: Path, **arguments: Any) -> Iterator[subprocess.Popen[str]]:
    """Run the launch file; its output goes to ``log``."""
    words = [f"{name}:={value}" for name, value in arguments.items()]
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(FILE), *words],
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            press_ctrl_c(process)
        process.wait(PATIENCE)


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Send SIGINT as a terminal does: to the launch and to everything it started."""
    os.killpg(process.pid, signal.SIGINT)


def test_the_emulator_is_driven_and_everything_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running_graph() as graph:
        arguments = {
            "namespace": graph.namespace,
            "simulate": "true",
            "robot_port": free_port(),
            "frame_prefix": "one/",
        }
        with launched(log, **arguments) as process:
            states = graph.listen(ConnectionState, "connection_state", LATCHED)
            states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
            odometry = graph.listen(Odometry, "odom").collect(1)[0]
            assert odometry.child_frame_id == "one/base_footprint"
            for kind, topic in (
                (Imu, "imu/data_raw"),
                (JointState, "joint_states"),
                (CompressedImage, "camera/image_raw/compressed"),
            ):
                graph.listen(kind, topic).collect(1)
            urdf = graph.listen(String, "robot_description", LATCHED).wait_for(lambda _: True)
            assert "base_footprint" in urdf.data
            # robot_state_publisher moves the head as joint_states has it.
            graph.listen(TFMessage, "/tf").wait_for(
                lambda tf: any(t.child_frame_id == "one/head_link" for t in tf.transforms)
            )
            press_ctrl_c(process)
            process.wait(PATIENCE)
    text = log.read_text()
    assert "Traceback" not in text, text
    assert text.count("process has finished cleanly") == 3, text


def test_every_argument_is_described() -> None:
    arguments = [e for e in description().entities if isinstance(e, DeclareLaunchArgument)]
    assert [argument.name for argument in arguments] == [
        "namespace",
        "robot_address",
        "robot_port",
        "network_interface",
        "simulate",
        "config_file",
        "use_sim_time",
        "frame_prefix",
        "rviz",
    ]
    assert all(len(argument.description.split()) >= 3 for argument in arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"config_file": "/no.yaml"}, "the parameter file is missing: there is no file /no.yaml"),
        ({"robot_port": "many"}, "robot_port is a number, not 'many'"),
        ({"simulate": "true", "robot_address": "172.31.1.1"}, "leave robot_address out"),
        ({"simulate": "perhaps"}, "perhaps"),
    ],
)
def test_mistakes_stop_the_launch_before_anything_runs(
    tmp_path: Path, arguments: dict[str, str], reason: str
) -> None:
    log = tmp_path / "log"
    with launched(log, **arguments) as process:
        assert process.wait(PATIENCE) != 0
    assert reason in log.read_text()
    assert "process started" not in log.read_text()
