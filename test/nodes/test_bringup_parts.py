"""What bringup is made of: the status line, the screen, the programs, the child processes."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState

from cozmo_driver.bringup import processes
from cozmo_driver.bringup.bringup import Child, how_to_drive
from cozmo_driver.bringup.child import ending_with_this
from cozmo_driver.bringup.live_status import LiveStatus, Screen
from cozmo_driver.bringup.processes import Options
from cozmo_driver.ros.errors import StartError
from cozmo_interfaces.msg import ConnectionState

from ..waiting import TIMEOUT


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_line_tells_connection_rates_pose_and_battery() -> None:
    status = LiveStatus()
    assert status.line(10.0) == (
        "driver not heard yet | odom  0.0, imu  0.0, camera  0.0 Hz | no pose | no battery"
    )
    status.update("connection_state", ConnectionState(state=ConnectionState.CONNECTED))
    odometry = Odometry()
    odometry.pose.pose.position.x = 0.1
    odometry.pose.pose.orientation.z, odometry.pose.pose.orientation.w = 1.0, 0.0
    for _ in range(67):
        status.update("odom", odometry)
        status.update("imu/data_raw", None)
    for _ in range(30):
        status.update("camera/image_raw/compressed", None)
    status.update("battery_state", BatteryState(voltage=3.9, percentage=0.77))
    assert status.line(12.0) == (
        "connected | odom 33.5, imu 33.5, camera 15.0 Hz"
        " | x +0.100 y +0.000 m +180 deg | 3.90 V 77 %"
    )
    assert "odom  0.0," in status.line(13.0)
    status.update("battery_state", BatteryState(voltage=4.5, percentage=math.nan))
    assert status.line(14.0).endswith("4.50 V charging")


def test_on_a_terminal_the_status_stays_below_the_log_and_is_cut_to_its_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    stream = Terminal()
    screen = Screen(stream)
    screen.print("first")
    screen.show("status 1")
    screen.print("second")
    screen.show("status 2 is long")
    screen.close()
    assert stream.getvalue() == (
        "first\n\r\x1b[Kstatus 1\r\x1b[Ksecond\nstatus 1\r\x1b[Kstatus 2 \n"
    )


def test_elsewhere_the_status_is_a_line() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.show("status")
    screen.print("log")
    screen.close()
    assert stream.getvalue() == "status\nlog\n"


def test_the_driver_is_told_only_what_was_chosen(tmp_path: Path) -> None:
    process = processes.own_node("driver", Options())
    assert process.parameters == {}
    assert process.parameter_files[0].endswith("share/cozmo_driver/config/cozmo.yaml")
    options = Options(robot_address="127.0.0.1", robot_port=99, namespace="a", frame_prefix="b/")
    words = processes.command(processes.own_node("driver", options), tmp_path)
    assert words[0].endswith("lib/cozmo_driver/driver_node")
    assert words[1:4] == ["--ros-args", "-r", "__ns:=/a"]
    chosen = yaml.safe_load(Path(words[-1]).read_text())["/**"]["ros__parameters"]
    assert chosen == {"robot_address": "127.0.0.1", "robot_port": 99, "frame_prefix": "b/"}


@pytest.mark.parametrize(
    ("text", "is_stamped"),
    [
        ("/**: {ros__parameters: {enable_stamped_cmd_vel: true}}", True),
        ("one: {cozmo_driver: {ros__parameters: {enable_stamped_cmd_vel: true}}}", True),
        ("/**: {ros__parameters: {enable_stamped_cmd_vel: false}}", False),
        ("/**: {ros__parameters: {camera_enabled: false}}", False),
        # The driver tells what is wrong with these.
        ("", False),
        ("- enable_stamped_cmd_vel", False),
        ("/**: {", False),
    ],
)
def test_who_publishes_and_hears_cmd_vel_takes_its_type_from_the_drivers_file(
    tmp_path: Path, text: str, is_stamped: bool
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    options = Options(config_file=str(file))
    for name in ("behavior", "cockpit"):
        given = processes.own_node(name, options).parameters
        assert given.get("enable_stamped_cmd_vel", False) is is_stamped, name
    assert "enable_stamped_cmd_vel" not in processes.own_node("driver", options).parameters


def test_perception_gets_its_parameters_and_the_prefix() -> None:
    process = processes.own_node("vision", Options(frame_prefix="b/", vision_config=__file__))
    assert (process.executable, process.parameter_files) == ("vision_node", (__file__,))
    assert process.parameters == {"frame_prefix": "b/"}


def test_perception_localizes_in_the_world_that_has_tags_without_more_words() -> None:
    own = processes.tag_map_of("landmarks")
    assert Path(own).is_file()
    options = processes.Options(localizes=True, tag_map=own)
    chosen = processes.own_node("vision", options).parameters
    assert chosen == {"localization": True, "tag_map": own}
    # Elsewhere the node's own file counts.
    assert processes.tag_map_of("room") == processes.tag_map_of("") == ""
    assert processes.tag_map_of("../landmarks") == ""


def test_robot_state_publisher_gets_the_description_and_the_prefix() -> None:
    process = processes.robot_state_publisher(Options(frame_prefix="b/"))
    assert process.parameters["frame_prefix"] == "b/"
    assert "base_footprint" in process.parameters["robot_description"]
    assert not process.is_vital


def test_the_cockpit_listens_where_it_is_told_and_shows_the_emulator() -> None:
    pytest.importorskip("starlette", reason="the cockpit's web library is not installed")
    assert "cockpit_host" not in processes.cockpit(Options()).parameters
    parameters = processes.cockpit(Options(), "0.0.0.0:9000", 5551).parameters
    wanted = {"cockpit_host": "0.0.0.0", "cockpit_port": 9000, "emulator_port": 5551}
    assert wanted.items() <= parameters.items()
    assert processes.cockpit(Options(cockpit_config=__file__)).parameter_files == (__file__,)
    with pytest.raises(StartError, match="is not HOST or HOST:PORT"):
        processes.cockpit(Options(), "0.0.0.0:http")


def test_the_emulator_is_no_node(tmp_path: Path) -> None:
    emulator = processes.emulator(0, hardware="1.0", port_option="--port")
    words = processes.command(emulator, tmp_path)
    assert words[1:] == ["emulator", "--host", "127.0.0.1", "--port", "0", "--hardware", "1.0"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    lost = processes.Process("lost", "no_such_package", "x")
    with pytest.raises(StartError, match="the package no_such_package is not installed"):
        processes.command(lost, tmp_path)
    unknown = processes.Process("unknown", "cozmo_driver", "no_such_executable")
    with pytest.raises(StartError, match="the executable no_such_executable of cozmo_driver"):
        processes.command(unknown, tmp_path)


def test_a_terminal_that_is_missing_is_named_with_one_that_stays_as_long_as_the_keys() -> None:
    message = "no program 'no-such-terminal -e' .*'gnome-terminal --wait --'"
    with pytest.raises(StartError, match=message):
        processes.keyboard("", "no-such-terminal -e", speed=0.1, turn=1.0)


def test_the_way_to_drive_fits_domain_and_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    monkeypatch.setenv("COZMO_DRIVER_ENV", "somewhere")
    text = "\n".join(how_to_drive("/a"))
    assert "ROS_DOMAIN_ID=7 scripts/env drive --linear 0.05 --seconds 2 --namespace /a" in text
    assert "ROS_DOMAIN_ID=7 ros2 topic pub -r 10 /a/cmd_vel geometry_msgs/msg/Twist" in text
    monkeypatch.setenv("ROS_DOMAIN_ID", "0")
    monkeypatch.delenv("COZMO_DRIVER_ENV")
    text = "\n".join(how_to_drive("/"))
    assert "  ros2 run cozmo_driver drive --linear 0.05 --seconds 2\n" in text
    assert " /cmd_vel geometry_msgs/msg/Twist '{linear: {x: 0.05}}'" in text
    text = "\n".join(how_to_drive("/", is_stamped=True))
    values = "{header: auto, twist: {linear: {x: 0.05}}}"
    assert f" /cmd_vel geometry_msgs/msg/TwistStamped '{values}'" in text


class Watched:
    """A child process running Python code, its output and its end."""

    def __init__(self, code: str) -> None:
        self.lines: list[str] = []
        self.line_came, self.ended = threading.Event(), threading.Event()
        self.code: int | None = None
        self.child = Child("it", [sys.executable, "-c", code], self._line, self._exit)

    def _line(self, line: str) -> None:
        self.lines.append(line)
        self.line_came.set()

    def _exit(self, _: Child, code: int) -> None:
        self.code = code
        self.ended.set()


def test_a_childs_output_and_end_are_noticed() -> None:
    watched = Watched("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert watched.ended.wait(30)
    assert sorted(watched.lines) == ["err", "out"]
    assert watched.code == 3
    assert not watched.child.is_stopping
    watched.child.stop()


def test_a_child_is_asked_to_end_before_it_is_made_to() -> None:
    watched = Watched(
        "import signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n"
        "print('ready')\n"
        "signal.pause()"
    )
    assert watched.line_came.wait(30)
    watched.child.stop()
    assert watched.ended.wait(30)
    assert watched.code == 0
    assert watched.child.is_stopping


# -- programs that end with the one that started them


_PARENT = """
import subprocess
from cozmo_driver.bringup.child import ending_with_this
subprocess.run(ending_with_this(["sh", "-c", "echo here; exec sleep 600"]))
"""


def test_a_child_ends_with_its_parent_however_that_dies() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "here\n"
        parent.kill()
        # Its output ends when nobody is left who could write to it.
        assert parent.communicate(timeout=TIMEOUT) == ("", None)


def test_a_child_whose_parent_died_before_never_runs() -> None:
    # The shell is its parent, and not this process.
    words = ["sh", "-c", '"$@"; exit', "sh", *ending_with_this(["echo", "here"])]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_command_is_run_as_it_is() -> None:
    done = subprocess.run(ending_with_this(["sh", "-c", 'exit "$0"', "7"]), check=False)
    assert done.returncode == 7
