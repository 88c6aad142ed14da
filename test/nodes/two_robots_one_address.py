"""Two robots with one address, two adapters, two drivers: a program for a network of its own.

Run by test_network_namespaces.py inside a fresh network namespace, whose adapters, addresses and
routes it makes itself; each robot lives in a further one. All of them vanish with their processes.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_interfaces.msg import RobotInfo

from ..waiting import wait_until
from .graph import LATCHED, Graph, running_driver, running_graph, twist

ROBOT = "172.31.1.1"
PORT = 5551
NOT_POSSIBLE = 77
"""Exit code of a system that does not let its networks be set up as a test needs it."""
NETWORK = Path("/proc/self/ns/net")


# -- the robot's side


def be_robot(serial: int) -> None:
    """Be a robot from a line on stdin to its end; then say how far it was driven, mm."""
    sys.stdin.readline()
    identity = Identity(head_serial=serial, cubes=())
    with running_emulator(
        host=ROBOT, port=PORT, calibration_time=0.0, identity=identity
    ) as emulator:
        print("ready", flush=True)
        sys.stdin.read()
        state = emulator.state()
        print(f"{state.driven} {state.sessions} {state.foreign_datagrams}", flush=True)


@dataclass(frozen=True)
class Fate:
    """What a robot tells of its life."""

    driven: float
    sessions: int
    foreign_datagrams: int


class RobotProcess:
    """A robot in a network namespace of its own, behind an adapter of this one."""

    def __init__(self, serial: int, adapter: str, own_address: str) -> None:
        self._process = subprocess.Popen(
            ["unshare", "--net", sys.executable, "-m", __spec__.name, "robot", str(serial)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            self._connect(adapter, own_address)
        except BaseException:
            self.kill()
            raise

    def _connect(self, adapter: str, own_address: str) -> None:
        # unshare becomes the program once it has left this namespace.
        self._network = Path(f"/proc/{self._process.pid}/ns/net")
        wait_until(
            lambda: self._network.readlink() != NETWORK.readlink(), "unshare makes no namespace"
        )
        self.join(adapter, own_address)
        self._stdin.write("go\n")
        self._stdin.flush()
        assert self._stdout.readline() == "ready\n", "the robot does not start"

    def join(self, adapter: str, own_address: str) -> None:
        """Add an adapter with an address to this network, that leads to the robot."""
        ip(f"link add {adapter} type veth peer name wlan0 netns {self._process.pid}")
        inside = ("nsenter", f"--net={self._network}")
        for words in ("link set lo up", f"addr add {ROBOT}/24 dev wlan0", "link set wlan0 up"):
            ip(words, *inside)
        ip(f"addr add {own_address}/24 dev {adapter}")
        ip(f"link set {adapter} up")

    @property
    def _stdin(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def end(self) -> Fate:
        """Switch the robot off and return what it tells."""
        self._stdin.close()
        driven, sessions, foreign = self._stdout.read().split()
        return Fate(float(driven), int(sessions), int(foreign))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._stdout.close()


@contextlib.contextmanager
def robot_process(serial: int, adapter: str, own_address: str) -> Iterator[RobotProcess]:
    """Run a robot behind ``adapter``, whose own address is ``own_address``."""
    robot = RobotProcess(serial, adapter, own_address)
    try:
        yield robot
    finally:
        robot.kill()


def ip(words: str, *before: str) -> None:
    """Change this network, or another one with ``before``."""
    subprocess.run([*before, "ip", *words.split()], check=True)


# -- the computer's side


def x_of(message: Odometry) -> float:
    """Return where a robot is along its first direction, m."""
    return float(message.pose.pose.position.x)


def drive(graph: Graph, robot: str, other: str, speed: float) -> None:
    """Drive one robot by 2 cm: it must move in that direction, and the other not at all."""
    ways = {name: graph.listen(Odometry, f"{name}/odom") for name in (robot, other)}
    before = {name: x_of(inbox.collect(1)[0]) for name, inbox in ways.items()}
    publisher = graph.publisher(Twist, f"{robot}/cmd_vel")

    def has_moved() -> bool:
        # Again and again: what one command drives depends on when its timeout is noticed.
        publisher.publish(twist(speed))
        return abs(x_of(ways[robot].messages[-1]) - before[robot]) > 0.02

    wait_until(has_moved, f"{robot} does not move")
    assert (x_of(ways[robot].messages[-1]) - before[robot]) * speed > 0.0
    publisher.publish(Twist())
    ways[robot].wait_for_new(lambda odom: odom.twist.twist.linear.x == 0.0)
    moved = abs(x_of(ways[other].collect(1)[0]) - before[other])
    # Its yaw wanders, and treads that have stopped roll back by a tick.
    assert moved < 1e-3, f"{other} moves with {robot}"
    graph.clear()


def set_filter(adapter: str, mode: int) -> None:
    """Set the reverse path filter of this network: 1 is strict, 2 is loose."""
    file = Path(f"/proc/sys/net/ipv4/conf/{adapter}/rp_filter")
    try:
        if int(file.read_text()) != mode:
            file.write_text(str(mode))
    except OSError as error:
        print(f"the reverse path filter cannot be set here: {error}")
        raise SystemExit(NOT_POSSIBLE) from error


def check(own_addresses: tuple[str, str], is_strict: bool) -> None:
    """Drive both robots, each through its adapter.

    With a strict filter the second driver must first say what to do, and that must help.
    """
    ip("link set lo up")
    # Adapters begin with the default.
    for adapter in ("all", "default"):
        set_filter(adapter, 1 if is_strict else 0)
    with (
        robot_process(0x11, "wlan1", own_addresses[0]) as first,
        robot_process(0x22, "wlan2", own_addresses[1]) as second,
        running_graph() as graph,
        running_driver(
            PORT, f"{graph.namespace}/left", robot_address=ROBOT, network_interface="wlan1"
        ),
        running_driver(
            PORT, f"{graph.namespace}/right", robot_address=ROBOT, network_interface="wlan2"
        ) as filtered,
    ):
        if is_strict:
            advice = "sysctl -w net.ipv4.conf.wlan2.rp_filter=2"
            filtered.wait_for_log(advice)
            set_filter("wlan2", 2)
        for name, serial in (("left", 0x11), ("right", 0x22)):
            info = graph.listen(RobotInfo, f"{name}/robot_info", LATCHED)
            known = info.wait_for(lambda message: message.head_serial)
            assert known.head_serial == serial, f"{name} reached the wrong robot: {known}"
        drive(graph, "left", "right", 0.05)
        drive(graph, "right", "left", -0.05)
        fates = first.end(), second.end()
    for fate in fates:
        assert fate.sessions == 1, fates
        assert fate.foreign_datagrams == 0, fates
        assert 20.0 < abs(fate.driven) < 100.0, fates


def main() -> None:
    """Be one side or the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    sides = parser.add_subparsers(dest="side", required=True)
    robot = sides.add_parser("robot")
    robot.add_argument("serial", type=int)
    computer = sides.add_parser("computer")
    computer.add_argument("outside", help="the network namespace that must not be touched")
    computer.add_argument("own_address", nargs=2)
    computer.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    if str(NETWORK.readlink()) == getattr(arguments, "outside", ""):
        raise SystemExit("this is no network namespace of its own: nothing is done")
    if arguments.side == "robot":
        be_robot(arguments.serial)
    else:
        check(tuple(arguments.own_address), arguments.strict)


if __name__ == "__main__":
    main()
