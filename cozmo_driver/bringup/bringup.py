"""``bringup``: everything that makes a robot run, with a live status, until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, CompressedImage, Imu

from cozmo_interfaces.msg import ConnectionState

from ..ros.errors import StartError
from ..ros.runtime import StopRequest, parse, parser, run
from ..ros.topics import LATCHED, SENSOR
from . import processes
from .child import ending_with_this
from .live_status import LiveStatus, Screen
from .processes import Options, Process

_EMULATOR_TIMEOUT = 30.0
_LINE_PERIOD = 5.0
_TERMINAL_PERIOD = 0.5
_DEFAULT_PORT = 5551
_STOP_TIMEOUT = 10.0
"""Time a child gets to end by itself, s: more than the driver takes whose robot is not answering.
"""


class Child:
    """A process in a session of its own, so that a terminal's Ctrl-C reaches only its parent.

    It ends with its parent.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        on_line: Callable[[str], object],
        on_exit: Callable[[Child, int], object],
    ) -> None:
        """Start it. ``on_line`` gets its output, ``on_exit`` its end, both in another thread."""
        self.name = name
        self.is_stopping = False
        self._on_line, self._on_exit = on_line, on_exit
        self._process = subprocess.Popen(
            ending_with_this(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._reader = threading.Thread(target=self._read, name=f"{name} output", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._on_line(line.rstrip("\n"))
        self._on_exit(self, self._process.wait())

    def stop(self) -> None:
        """Ask it to end, insist after a while, wait for the end."""
        self.is_stopping = True
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_STOP_TIMEOUT)


def describe_exit(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class Bringup:
    """The programs, and a node that watches what they publish."""

    def __init__(self, arguments: argparse.Namespace, screen: Screen, stop: StopRequest) -> None:
        """Start everything. Raises ``StartError``; what was started has ended then."""
        self._screen, self._stop = screen, stop
        self._folder = tempfile.TemporaryDirectory(prefix="cozmo_bringup_")
        self._children: list[Child] = []
        self._emulator_ready = threading.Event()
        self._emulator_at = (processes.EMULATOR_HOST, 0)
        self._status = LiveStatus()
        self._is_stamped = False
        self.node = Node("cozmo_bringup", namespace=arguments.namespace)
        try:
            self._start(arguments)
        except StartError:
            self.close()
            self.node.destroy_node()
            raise
        self._subscribe()

    # -- programs

    def _start(self, arguments: argparse.Namespace) -> None:
        options = Options(
            robot_address=arguments.robot,
            robot_port=arguments.port or 0,
            network_interface=arguments.network_interface,
            namespace=arguments.namespace,
            config_file=arguments.config,
            behavior_config=arguments.behavior_config,
            vision_config=arguments.vision_config,
            cockpit_config=arguments.cockpit_config,
            localizes=arguments.localization,
            tag_map=arguments.tag_map or processes.tag_map_of(arguments.world),
        )
        # Localization is a part of perception.
        arguments.vision |= arguments.localization
        optional = ("face", "behavior", "vision", "manipulation")
        nodes = ["driver", *(name for name in optional if getattr(arguments, name))]
        self._is_stamped = processes.is_cmd_vel_stamped(options)
        for name in nodes:
            # Mistakes in what was asked for show before anything runs.
            processes.own_node(name, options)
        emulated = arguments.world, arguments.view, arguments.hardware, arguments.wifi
        if arguments.robot and any(emulated):
            raise StartError(
                "--world, --view, --hardware and --wifi are for the emulator: leave --robot out"
            )
        if not arguments.robot:
            address, port = self._start_emulator(arguments)
            options = replace(options, robot_address=address, robot_port=port)
        if self._stop.is_set:
            return
        for name in nodes:
            self._launch(processes.own_node(name, options))
        self._launch_if_there(
            "robot_state_publisher", partial(processes.robot_state_publisher, options)
        )
        if arguments.cockpit is not None:
            emulator_port = 0 if arguments.robot else options.robot_port
            self._launch_if_there(
                "cockpit", partial(processes.cockpit, options, arguments.cockpit, emulator_port)
            )

    def _launch_if_there(self, name: str, process: Callable[[], Process]) -> None:
        try:
            self._launch(process())
        except StartError as error:
            self._screen.print(f"without {name}: {error}")

    def _start_emulator(self, arguments: argparse.Namespace) -> tuple[str, int]:
        port = _DEFAULT_PORT if arguments.port is None else arguments.port
        chosen = arguments.world, arguments.view, arguments.hardware, arguments.wifi
        self._launch(processes.emulator(port, *chosen, port_option="--port"))
        end = time.monotonic() + _EMULATOR_TIMEOUT
        while not self._emulator_ready.wait(0.1) and not self._stop.is_set:
            if time.monotonic() > end:
                raise StartError(f"the emulator is not ready after {_EMULATOR_TIMEOUT:g} s")
        return self._emulator_at

    def _launch(self, process: Process) -> None:
        def show(line: str) -> None:
            if found := processes.EMULATOR_READY.search(line):
                self._emulator_at = found[1], int(found[2])
                self._emulator_ready.set()
            self._screen.print(f"[{process.name}] {line}")

        command = processes.command(process, Path(self._folder.name))
        self._children.append(Child(process.name, command, show, self._on_exit))

    def _on_exit(self, child: Child, code: int) -> None:
        if child.is_stopping or self._stop.is_set:
            return
        self._screen.print(f"{child.name} ended by itself ({describe_exit(code)}); stopping")
        self._stop.set(code if code > 0 else 1)

    def close(self) -> None:
        """Stop the programs: what uses the driver before it, that before the robot."""
        turn = {"driver": 1, "face": 2, "robot_state_publisher": 2, "emulator": 3}
        for child in sorted(self._children, key=lambda child: turn.get(child.name, 0)):
            child.stop()
        self._screen.close()
        self._folder.cleanup()
        if self._stop.exit_code:
            # Fast DDS 2.14 may crash as it leaves shared memory while it replaces a port that it
            # took for dead: a killed process or a busy computer is enough. The code would be lost.
            sys.stdout.flush()
            os._exit(self._stop.exit_code)

    # -- status

    def _subscribe(self) -> None:
        for kind, topic, qos in (
            (ConnectionState, "connection_state", LATCHED),
            (Odometry, "odom", SENSOR),
            (Imu, "imu/data_raw", SENSOR),
            (CompressedImage, "camera/image_raw/compressed", SENSOR),
            (BatteryState, "battery_state", SENSOR),
        ):
            self.node.create_subscription(kind, topic, partial(self._status.update, topic), qos)

    def run(self, stop: StopRequest) -> None:
        for line in how_to_drive(self.node.get_namespace(), is_stamped=self._is_stamped):
            self._screen.print(line)
        period = _TERMINAL_PERIOD if self._screen.is_terminal else _LINE_PERIOD
        self._status.line(time.monotonic())
        while not stop.wait(period):
            self._screen.show(self._status.line(time.monotonic()))


def how_to_drive(namespace: str, *, is_stamped: bool = False) -> list[str]:
    """Return the commands that drive the robot from another terminal."""
    domain = os.environ.get("ROS_DOMAIN_ID", "")
    prefix = f"ROS_DOMAIN_ID={domain} " if domain not in ("", "0") else ""
    runner = (
        "scripts/env drive" if "COZMO_DRIVER_ENV" in os.environ else "ros2 run cozmo_driver drive"
    )
    own = f"{prefix}{runner} --linear 0.05 --seconds 2"
    if namespace != "/":
        own += f" --namespace {namespace}"
    topic = f"{namespace.rstrip('/')}/cmd_vel"
    by_keys = own.replace("--linear 0.05 --seconds 2", "--keys")
    kind, values = "Twist", "{linear: {x: 0.05}}"
    if is_stamped:
        kind, values = "TwistStamped", f"{{header: auto, twist: {values}}}"
    publish = f"ros2 topic pub -r 10 {topic} geometry_msgs/msg/{kind} '{values}'"
    here = "" if shutil.which("ros2") else " (not on this machine)"
    return [
        "",
        "Drive from another terminal:",
        f"  {own}",
        f"  or by the keyboard: {by_keys}",
        f"  or with the ros2 tool{here}:",
        f"  {prefix}{publish}",
        "Ctrl-C ends everything.",
        "",
    ]


def _parser() -> argparse.ArgumentParser:
    made = parser(
        "bringup",
        "Start the driver, the face and robot_state_publisher, with an emulator unless --robot is\n"
        "given, and show how the robot does. Parameters of the driver: see driver_node --help.",
    )
    add = made.add_argument

    def text(name: str, metavar: str, about: str) -> None:
        add(f"--{name}", default="", metavar=metavar, help=about)

    def switch(name: str, about: str) -> None:
        add(f"--{name}", action="store_true", help=about)

    text("robot", "ADDRESS", "a real robot: 172.31.1.1")
    add(
        "--port",
        type=_port,
        help=f"UDP port of the robot (default as in the configuration) or of the emulator "
        f"(default {_DEFAULT_PORT}; 0 for any free one)",
    )
    text("network-interface", "NAME", "adapter to the robot, e.g. wlan1")
    text("namespace", "NAMESPACE", "namespace of every node and topic")
    text("world", "NAME|FILE", "where the emulator is: room, maze, table")
    text("view", "FOLDER", "pictures of what the emulator sees and shows")
    text("hardware", "VERSION", "real robot the emulator errs like: 1.0, 1.5")
    text("wifi", "NAME", "how bad the link to the emulator is: home")
    about = "leave the face to others: without this it blinks and looks around"
    add("--no-face", dest="face", action="store_false", help=about)
    about = "start the personality too; it does nothing before behavior/enable, or enabled: true"
    switch("behavior", about)
    text("behavior-config", "FILE", "parameters of the personality (default config/behavior.yaml)")
    switch("manipulation", "start manipulation too: charger, cubes, driving around obstacles")
    switch("vision", "start perception too: where cubes, the charger and printed tags are")
    text("vision-config", "FILE", "parameters of perception (default config/vision_node.yaml)")
    about = "start perception, and know where the robot is on a map by printed tags"
    switch("localization", about)
    about = "map of tags of cozmo map (default that of the world, or of learn_map)"
    text("tag-map", "FILE", about)
    about = "start the page for a browser (default 127.0.0.1:8080)"
    add("--cockpit", nargs="?", const="", metavar="HOST[:PORT]", help=about)
    text("cockpit-config", "FILE", "parameters of the page (default config/cockpit.yaml)")
    text("config", "FILE", "parameters (default config/cozmo.yaml)")
    return made


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is from 0 to 65535")
    return port


def main(args: Sequence[str] | None = None) -> int:
    """Run until SIGINT, SIGTERM or SIGHUP; 0 unless a program ended by itself."""
    words = list(sys.argv if args is None else ["bringup", *args])
    arguments = parse(_parser(), words)
    screen = Screen(sys.stdout)
    return run(lambda stop: Bringup(arguments, screen, stop), words)


if __name__ == "__main__":
    sys.exit(main())
