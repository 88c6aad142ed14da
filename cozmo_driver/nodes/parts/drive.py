"""``cmd_vel``: checked, handed to the robot at once, taken back when the sender falls silent."""

from __future__ import annotations

import math
from dataclasses import replace

from geometry_msgs.msg import Twist, TwistStamped

from ...protocol import NotConnected, SendQueueFull
from ...robot import DriveLimits, Refused
from ...robot.motion.driving import CommandTimer
from ..context import Context
from ..conversions.geometry import seconds
from ..parameter_set import ParameterSet
from ..qos import COMMAND

_NANO = 1e-9
_LIMITS = {
    "max_wheel_speed": "wheel_speed",
    "max_angular_velocity": "yaw_rate",
    "max_wheel_acceleration": "acceleration",
    "wheel_separation_effective": "track_width",
    "yaw_rate_trim": "is_yaw_trimmed",
    "backup_limit": "backup_limit",
}
"""Parameters and the limits they set."""


class CommandRejected(ValueError):
    """A velocity command that makes no sense; the text says why."""


def check_twist(twist: Twist) -> None:
    """Raise ``CommandRejected`` unless every component is finite."""
    for name, vector in (("linear", twist.linear), ("angular", twist.angular)):
        for axis in ("x", "y", "z"):
            value = getattr(vector, axis)
            if not math.isfinite(value):
                raise CommandRejected(f"{name}.{axis} is {value}")


def check_age(stamp: float, now: float, limit: float) -> None:
    """Raise ``CommandRejected`` for a stamp older than ``limit``, all in s; 0 is no stamp."""
    if stamp and now - stamp > limit:
        raise CommandRejected(
            f"its stamp is {now - stamp:.2f} s old (cmd_vel_timeout is {limit:g} s); "
            "do the clocks of sender and driver agree?"
        )


class DrivePart:
    """Drives the robot as told on ``cmd_vel``."""

    def __init__(self, context: Context) -> None:
        """Subscribe."""
        self._context = context
        self._motion = context.robot.motion
        self._commands = context.command_topic("cmd_vel")
        stop = context.robot.session.guarded("the watchdog of cmd_vel", self._stop)
        self._timer = CommandTimer(context.parameters["cmd_vel_timeout"], stop)
        for name in _LIMITS:
            context.parameters.on_change(name, self._change_limits)
        context.parameters.on_change("cmd_vel_timeout", self._change_timeout)
        stamped = context.parameters["enable_stamped_cmd_vel"]
        self._subscription = context.node.create_subscription(
            TwistStamped if stamped else Twist,
            "cmd_vel",
            self._take_stamped if stamped else self._take,
            COMMAND,
        )

    # -- in the executor's thread

    def _take_stamped(self, message: TwistStamped) -> None:
        now = self._context.ros_now() * _NANO
        try:
            check_age(
                seconds(message.header.stamp), now, self._context.parameters["cmd_vel_timeout"]
            )
        except CommandRejected as error:
            self._commands.reject(error)
            return
        self._take(message.twist)

    def _take(self, twist: Twist) -> None:
        try:
            check_twist(twist)
        except CommandRejected as error:
            self._commands.reject(error)
            return
        self._context.thread.post(self._apply, twist.linear.x, twist.angular.z)

    def _change_limits(self, _: float) -> None:
        self._context.thread.post(self._set_limits)

    def _change_timeout(self, timeout: float) -> None:
        self._context.thread.post(self._timer.change_timeout, timeout)

    # -- in the robot's thread

    def _set_limits(self) -> None:
        self._motion.limits = replace(self._motion.limits, **_limits(self._context.parameters))

    def _apply(self, linear: float, angular: float) -> None:
        try:
            self._motion.drive(linear, angular)
        except Refused as error:
            self._timer.command(False)
            self._commands.refuse(error)
            return
        except (NotConnected, SendQueueFull) as error:
            # What was commanded before stays watched.
            self._commands.refuse(error)
            return
        self._commands.accept()
        self._timer.command(bool(linear or angular))

    def _stop(self) -> None:
        self._motion.drive(0.0, 0.0)
        self._commands.expire(self._timer.timeout)


def drive_limits(parameters: ParameterSet) -> DriveLimits:
    """Return the limits of driving as the parameters have them."""
    return DriveLimits(**_limits(parameters))


def _limits(parameters: ParameterSet) -> dict[str, float]:
    return {field: parameters[name] for name, field in _LIMITS.items()}
