"""``drive``: publishes ``cmd_vel`` for a while or as keys say; tells how far the robot came."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from std_msgs.msg import Float64

from .command_line import parse, parser
from .conversions.geometry import yaw_of
from .keys import ANGULAR, HELP, LINEAR, Keys, key_by_key, read_keys
from .qos import COMMAND, SENSOR
from .runtime import StopRequest, run

_SPEED = 0.05
_RATE = 20.0
_KEY_PERIOD = 0.1
_PATIENCE = 10.0
"""How long to wait for the driver, s."""
_STANDSTILL = 0.001
"""Slower than this is standing still, m/s and rad/s."""
_SETTLE = 2.0


class Drive:
    """A node that drives and watches the odometry."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Publish and subscribe."""
        self._arguments = arguments
        self.node = Node("cozmo_drive", namespace=arguments.namespace)
        self._publisher = self.node.create_publisher(Twist, "cmd_vel", COMMAND)
        self._joints = {
            name: self.node.create_publisher(Float64, f"cmd_{name}_velocity", COMMAND)
            for name in ("head", "lift")
        }
        self._is_driving = False
        self._turning: frozenset[str] = frozenset()
        self._odometry: Odometry | None = None
        self._subscription = self.node.create_subscription(
            Odometry, "odom", self._take_odometry, SENSOR
        )

    def _take_odometry(self, message: Odometry) -> None:
        self._odometry = message

    def close(self) -> None:
        """Nothing but the node is to end."""

    def drive(self, stop: StopRequest) -> None:
        """Wait for the driver, drive, stop, tell the way."""
        if not self._wait_for_driver(stop):
            return
        start = self._odometry
        assert start is not None
        if self._arguments.keys:
            self._drive_by_keys(stop)
        else:
            self._drive_straight_on(stop)
        self._publisher.publish(Twist())
        self._publisher.wait_for_all_acked()
        self._settle()
        assert self._odometry is not None
        print(way(start, self._odometry))
        stop.set()

    def _drive_straight_on(self, stop: StopRequest) -> None:
        twist = Twist()
        linear, angular = self._arguments.linear, self._arguments.angular
        twist.linear.x = _SPEED if linear is None else linear
        twist.angular.z = angular or 0.0
        end = due = time.monotonic()
        end += self._arguments.seconds
        while (now := time.monotonic()) < end and not stop.is_set:
            self._publisher.publish(twist)
            due = max(due + 1 / _RATE, now)
            stop.wait(max(0.0, min(due, end) - time.monotonic()))

    def _drive_by_keys(self, stop: StopRequest) -> None:
        chosen = self._arguments
        keys = Keys(chosen.linear or LINEAR, chosen.angular or ANGULAR)
        try:
            with key_by_key() as terminal:
                print("\n".join(HELP), flush=True)
                while not (keys.is_ended or stop.is_set):
                    for key in read_keys(terminal, _KEY_PERIOD):
                        keys.press(key, time.monotonic())
                    self._publish_keys(keys)
        except EOFError:
            pass
        except OSError as error:
            print(f"cannot drive by keys: {error}", file=sys.stderr)
            stop.set(1)

    def _publish_keys(self, keys: Keys) -> None:
        """Publish what moves, and its end once; then others may drive."""
        now = time.monotonic()
        linear, angular = (keys.velocity(name, now) for name in ("linear", "angular"))
        moves = bool(linear or angular)
        if moves or self._is_driving:
            twist = Twist()
            twist.linear.x, twist.angular.z = linear, angular
            self._publisher.publish(twist)
        self._is_driving = moves
        for name, publisher in self._joints.items():
            velocity = keys.velocity(name, now)
            if velocity or name in self._turning:
                publisher.publish(Float64(data=velocity))
            self._turning = self._turning | {name} if velocity else self._turning - {name}

    def _wait_for_driver(self, stop: StopRequest) -> bool:
        topic = self._publisher.topic_name
        print(f"looking for a driver on {topic}", flush=True)
        if not self._wait(stop, self._publisher.get_subscription_count):
            print(f"nobody listens on {topic}: is the driver running?", file=sys.stderr)
            stop.set(1)
        elif not self._wait(stop, lambda: self._odometry):
            print(
                f"no odom within {_PATIENCE:g} s: is the driver connected to a robot? "
                "See the topic connection_state.",
                file=sys.stderr,
            )
            stop.set(1)
        return not stop.is_set

    def _wait(
        self, stop: StopRequest, condition: Callable[[], object], patience: float = _PATIENCE
    ) -> bool:
        """Wait for a condition; return False when it did not come true in time."""
        end = time.monotonic() + patience
        while not (condition() or stop.wait(0.02)):
            if time.monotonic() > end:
                return False
        return True

    def _settle(self) -> None:
        """Wait until the robot stands, even when the end was asked for: the way counts."""
        end = time.monotonic() + _SETTLE
        while not self._stands() and time.monotonic() < end:
            time.sleep(0.02)

    def _stands(self) -> bool:
        assert self._odometry is not None
        twist = self._odometry.twist.twist
        return abs(twist.linear.x) < _STANDSTILL and abs(twist.angular.z) < 50 * _STANDSTILL


def way(start: Odometry, end: Odometry) -> str:
    """Return in words how the robot moved between two poses."""
    a, b = start.pose.pose, end.pose.pose
    distance = math.hypot(b.position.x - a.position.x, b.position.y - a.position.y)
    turn = math.remainder(yaw_of(b.orientation) - yaw_of(a.orientation), 2 * math.pi)
    return f"moved {distance:.3f} m, turned {math.degrees(turn):+.1f} deg"


def _parser() -> argparse.ArgumentParser:
    made = parser("drive", "Drive the robot for a while or by keys, and tell how far it came.")
    add = made.add_argument
    add("--keys", action="store_true", help="drive by the keyboard, head and lift too")
    add(
        "--linear",
        type=_number,
        metavar="M/S",
        help=f"default {_SPEED:g}; with --keys what they start with, {LINEAR:g}",
    )
    add(
        "--angular",
        type=_number,
        metavar="RAD/S",
        help=f"default 0; with --keys what they start with, {ANGULAR:g}",
    )
    add("--seconds", type=_duration, default=2.0, metavar="S", help="default %(default)s")
    add("--namespace", default="", help="namespace of the driver")
    return made


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not finite")
    return number


def _duration(text: str) -> float:
    seconds = _number(text)
    if not 0.0 < seconds <= 3600.0:
        raise argparse.ArgumentTypeError("more than 0 and at most 3600 seconds")
    return seconds


def main(args: Sequence[str] | None = None) -> int:
    """Drive; 0 when the robot was told, 1 when nobody listened."""
    words = list(sys.argv if args is None else ["drive", *args])
    arguments = parse(_parser(), words)
    programs: list[Drive] = []

    def make(_: StopRequest) -> Drive:
        programs.append(Drive(arguments))
        return programs[0]

    return run(make, lambda stop: programs[0].drive(stop), args=words)


if __name__ == "__main__":
    sys.exit(main())
