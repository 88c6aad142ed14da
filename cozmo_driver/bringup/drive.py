"""``drive``: publishes ``cmd_vel`` for a while or by keys; prints how far the robot came."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from std_msgs.msg import Float64

from ..ros.geometry import velocity_message, yaw_of
from ..ros.runtime import StopRequest, parse, parser, run
from ..ros.topics import COMMAND, SENSOR

_SPEED = 0.05
_RATE = 20.0
_KEY_PERIOD = 0.1
_TIMEOUT = 10.0
"""How long to wait for the driver, s."""
_KINDS = {"geometry_msgs/msg/Twist": Twist, "geometry_msgs/msg/TwistStamped": TwistStamped}
"""What a driver takes as cmd_vel, by its parameter enable_stamped_cmd_vel."""
_STANDSTILL = 0.001
"""Slower than this is standing still, m/s and rad/s."""
_SETTLE = 2.0
HELP = (
    "w s or arrows: forward, back    a d or arrows: turn    e q: faster, slower",
    "r f: head up, down    t g: lift up, down    space: stop    x: end",
    "Hold a key to go on: without one the robot stops.",
)
HOLD = 0.75
"""A key counts for this time, s: longer than X waits before it repeats one, 0.66 s."""
_STEP = 1.25
_GEARS = range(-4, 5)
"""A lower one does not start a real robot's treads in place by itself (20 mm/s, spec 14)."""
_ARROWS = {"\x1b[A": "w", "\x1b[B": "s", "\x1b[C": "d", "\x1b[D": "a"}
_KEY = re.compile("|".join(map(re.escape, _ARROWS)) + "|.", re.DOTALL)
# Velocity, and its share of the speed.
_MOVES = {
    "w": ("linear", 1.0),
    "s": ("linear", -1.0),
    "a": ("angular", 1.0),
    "d": ("angular", -1.0),
    "r": ("head", 1.0),
    "f": ("head", -1.0),
    "t": ("lift", 1.0),
    "g": ("lift", -1.0),
}
LINEAR, ANGULAR = 0.08, 1.5
"""In the middle gear, m/s and rad/s."""
_JOINTS = 0.8
"""Head and lift, rad/s."""
_GEARED = frozenset({"linear", "angular"})


@dataclass(slots=True)
class Keys:
    """Turns keys into velocities; time is a parameter, s. The speeds are the middle gear's."""

    linear: float = LINEAR
    angular: float = ANGULAR
    gear: int = 0
    is_ended: bool = False
    _until: dict[str, float] = field(default_factory=dict)
    _share: dict[str, float] = field(default_factory=dict)

    def press(self, key: str, now: float) -> None:
        """Apply a key; unknown ones stop the robot."""
        if key == "x":
            self.is_ended = True
        elif key in ("e", "q"):
            gear = self.gear + (1 if key == "e" else -1)
            self.gear = min(max(gear, _GEARS.start), _GEARS.stop - 1)
        elif key in _MOVES:
            name, self._share[name] = _MOVES[key][0], _MOVES[key][1]
            self._until[name] = now + HOLD
        else:
            self._until.clear()

    def velocity(self, name: str, now: float) -> float:
        """Return the velocity of ``linear`` (m/s), ``angular``, ``head``, ``lift`` (rad/s)."""
        if now >= self._until.get(name, now):
            return 0.0
        if name not in _GEARED:
            return self._share[name] * _JOINTS
        full = self.linear if name == "linear" else self.angular
        return self._share[name] * full * _STEP**self.gear


def split(text: str) -> list[str]:
    """Return the keys in what a terminal sent; the arrows are named by their letters."""
    return [_ARROWS.get(key, key) for key in _KEY.findall(text)]


@contextlib.contextmanager
def key_by_key(stream: TextIO = sys.stdin) -> Iterator[int]:
    """Let the terminal give each key at once for the time of a ``with`` block; yield its number.

    Raises ``OSError`` where there is no terminal.
    """
    if not stream.isatty():
        raise OSError("there is no terminal to take keys from")
    number = stream.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        yield number
    finally:
        # A terminal that was closed is no more.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(number, termios.TCSADRAIN, before)


def read_keys(number: int, timeout: float) -> list[str]:
    """Return the keys pressed within ``timeout`` s. Raises ``EOFError`` when the terminal left."""
    ready, _, _ = select.select([number], [], [], timeout)
    if not ready:
        return []
    text = os.read(number, 256).decode(errors="replace")
    if not text:
        raise EOFError
    return split(text)


class Drive:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.node = Node("cozmo_drive", namespace=arguments.namespace)
        self._topic = self.node.resolve_topic_name("cmd_vel")
        self._publisher: Publisher | None = None
        self._joints = {
            name: self.node.create_publisher(Float64, f"cmd_{name}_velocity", COMMAND)
            for name in ("head", "lift")
        }
        self._is_driving = False
        self._turning: frozenset[str] = frozenset()
        self._odometry: Odometry | None = None
        self.node.create_subscription(Odometry, "odom", self._on_odometry, SENSOR)

    def _on_odometry(self, message: Odometry) -> None:
        self._odometry = message

    def close(self) -> None:
        """Nothing but the node is to end."""

    def run(self, stop: StopRequest) -> None:
        if not self._wait_for_driver(stop):
            return
        start = self._odometry
        assert start is not None
        assert self._publisher is not None
        if self._arguments.keys:
            self._drive_by_keys(stop)
        else:
            self._drive_straight_on(stop)
        self._publish(0.0, 0.0)
        if not self._publisher.wait_for_all_acked(Duration(seconds=_SETTLE)):
            print(
                f"the driver did not take the stop within {_SETTLE:g} s: is it stuck? "
                "Without cmd_vel it stops the robot by itself.",
                file=sys.stderr,
            )
            stop.set(1)
        self._settle()
        assert self._odometry is not None
        print(motion(start, self._odometry))
        stop.set()

    def _drive_straight_on(self, stop: StopRequest) -> None:
        linear, angular = self._arguments.linear, self._arguments.angular
        linear = _SPEED if linear is None else linear
        end = due = time.monotonic()
        end += self._arguments.seconds
        while (now := time.monotonic()) < end and not stop.is_set:
            self._publish(linear, angular or 0.0)
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
            self._publish(linear, angular)
        self._is_driving = moves
        for name, publisher in self._joints.items():
            velocity = keys.velocity(name, now)
            if velocity or name in self._turning:
                publisher.publish(Float64(data=velocity))
            self._turning = self._turning | {name} if velocity else self._turning - {name}

    def _publish(self, linear: float, angular: float) -> None:
        assert self._publisher is not None
        is_stamped = self._publisher.msg_type is TwistStamped
        stamp = self.node.get_clock().now().to_msg() if is_stamped else None
        self._publisher.publish(velocity_message(linear, angular, stamp))

    def _is_heard(self) -> bool:
        """Publish what somebody listens to; return whether that has found the publisher."""
        if self._publisher is None:
            listeners = self.node.get_subscriptions_info_by_topic(self._topic)
            types = {listener.topic_type for listener in listeners}
            kind = next((kind for name, kind in _KINDS.items() if name in types), None)
            if kind is None:
                return False
            self._publisher = self.node.create_publisher(kind, "cmd_vel", COMMAND)
        return bool(self._publisher.get_subscription_count())

    def _wait_for_driver(self, stop: StopRequest) -> bool:
        print(f"looking for a driver on {self._topic}", flush=True)
        if not self._wait(stop, self._is_heard):
            print(f"nobody listens on {self._topic}: is the driver running?", file=sys.stderr)
            stop.set(1)
        elif not self._wait(stop, lambda: self._odometry):
            print(
                f"no odom within {_TIMEOUT:g} s: is the driver connected to a robot? "
                "See the topic connection_state.",
                file=sys.stderr,
            )
            stop.set(1)
        return not stop.is_set

    def _wait(self, stop: StopRequest, condition: Callable[[], object]) -> bool:
        end = time.monotonic() + _TIMEOUT
        while not (condition() or stop.wait(0.02)):
            if time.monotonic() > end:
                return False
        return True

    def _settle(self) -> None:
        """Wait until the robot stands, even when the end was asked for: all of it counts."""
        end = time.monotonic() + _SETTLE
        while not self._stands() and time.monotonic() < end:
            time.sleep(0.02)

    def _stands(self) -> bool:
        assert self._odometry is not None
        twist = self._odometry.twist.twist
        return abs(twist.linear.x) < _STANDSTILL and abs(twist.angular.z) < 50 * _STANDSTILL


def motion(start: Odometry, end: Odometry) -> str:
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
    """Drive; 0 when the robot was commanded, 1 when nobody subscribed."""
    words = list(sys.argv if args is None else ["drive", *args])
    arguments = parse(_parser(), words)
    return run(lambda _: Drive(arguments), words)


if __name__ == "__main__":
    sys.exit(main())
