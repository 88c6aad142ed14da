"""The launch file, run as ``ros2 launch`` runs it."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")

from nav_msgs.msg import Odometry
from sensor_msgs.msg import CompressedImage, Imu, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from cozmo_driver.emulator import running_emulator
from cozmo_interfaces.msg import ConnectionState

from ..nodes.graph import LATCHED, drive_until, running_graph
from ..waiting import TIMEOUT, wait_until
from .runner import FOLDER, arguments_of, launched, press_ctrl_c, refusal

FILE = "cozmo.launch.py"


@contextlib.contextmanager
def free_port() -> Iterator[int]:
    """Yield a free UDP port of 127.0.0.1 that no node is given for a socket of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere:
        # The port is taken on another address of this computer.
        elsewhere.bind(("127.0.0.2", 0))
        yield int(elsewhere.getsockname()[1])


def test_the_emulator_is_driven_and_everything_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running_graph() as graph, free_port() as port:
        arguments = {
            "namespace": graph.namespace,
            "simulate": "true",
            "robot_port": port,
            "frame_prefix": "one/",
        }
        with launched(FILE, log, **arguments) as process:
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
            process.wait(TIMEOUT)
    text = log.read_text()
    assert "Traceback" not in text, text
    assert text.count("process has finished cleanly") == 4, text


def test_what_was_started_ends_with_launch_however_that_dies(tmp_path: Path) -> None:
    with running_emulator(calibration_time=0.0) as emulator, running_graph() as graph:
        arguments = {
            "namespace": graph.namespace,
            "robot_address": "127.0.0.1",
            "robot_port": emulator.port,
        }
        with launched(FILE, tmp_path / "log", **arguments) as process:
            states = graph.listen(ConnectionState, "connection_state", LATCHED)
            states.wait_for(lambda message: message.state == ConnectionState.CONNECTED)
            drive_until(graph, lambda: emulator.state().left_speed > 0.0)
            nodes = psutil.Process(process.pid).children(recursive=True)
            assert len(nodes) == 3
            process.kill()
            wait_until(lambda: not any(node.is_running() for node in nodes), "nodes live on")
            state = emulator.wait_for(lambda state: not state.connected)
            assert state.left_speed == state.right_speed == 0.0


def test_a_prefix_that_was_asked_for_is_the_only_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with launched(FILE, log, **{"launch-prefix": "echo RUN"}) as process:
        process.wait(TIMEOUT)
    assert re.search(r"\[driver_node-\d+\] RUN \S+/driver_node --ros-args", log.read_text())


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.launch.py")))
def test_every_argument_is_described(file: str) -> None:
    arguments = arguments_of(file)
    assert arguments
    assert all(len(argument.description.split()) >= 3 for argument in arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"behavior": "true", "behavior_config": "/no.yaml"}, "there is no file /no.yaml"),
        ({"robot_port": "many"}, "robot_port is a number, not 'many'"),
        ({"simulate": "true", "robot_address": "172.31.1.1"}, "leave robot_address out"),
        ({"simulate": "perhaps"}, "perhaps"),
        ({"simulat": "true"}, "there is no argument simulat:=, did you mean simulate:=?"),
        ({"cmd_vel_timeout": "0.8"}, "cmd_vel_timeout is no argument but a parameter"),
        ({"simulate": "TRUE", "world": "nowhere"}, "there is no world nowhere"),
        ({"world": "maze"}, "world is for the emulator: say simulate:=true"),
        ({"hardware": "1.0"}, "hardware is for the emulator: say simulate:=true"),
        ({"wifi": "home"}, "wifi is for the emulator: say simulate:=true"),
    ],
)
def test_mistakes_stop_the_launch_before_anything_runs(
    arguments: dict[str, str], reason: str
) -> None:
    assert reason in refusal(FILE, **arguments)


def test_a_launch_file_that_includes_this_one_has_arguments_of_its_own(tmp_path: Path) -> None:
    outer, log = tmp_path / "outer.launch.py", tmp_path / "log"
    outer.write_text(f"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("worlds"),
        DeclareLaunchArgument("robots", default_value="2"),
        IncludeLaunchDescription({str(FOLDER / FILE)!r}, launch_arguments=[("config_file", "/no")]),
    ])
""")
    with launched(outer, log, worlds="all") as process:
        assert process.wait(TIMEOUT) != 0
    assert "there is no file /no" in log.read_text()
