"""``cmd_vel``: checked, handed to the robot at once, taken back when the sender falls silent."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

from geometry_msgs.msg import Twist, TwistStamped

from cozmo_interfaces.msg import RobotStatus

from ...robot import DriveLimits, MotionRefused
from ...robot.command_watchdog import CommandWatchdog
from ..context import Context
from ..conversions.diagnostics import CommandCounters
from ..conversions.headers import seconds
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
        self._logger = context.node.get_logger()
        self._motion = context.robot.motion
        self._watchdog = CommandWatchdog(context.parameters["cmd_vel_timeout"])
        self._timer: asyncio.TimerHandle | None = None
        self.counters = CommandCounters()
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

    @property
    def wheels_owner(self) -> int:
        """Return who drives, one of ``RobotStatus.OWNER_*``."""
        return RobotStatus.OWNER_TOPIC if self._watchdog.is_armed else RobotStatus.OWNER_NONE

    # -- in the executor's thread

    def _take_stamped(self, message: TwistStamped) -> None:
        now = self._context.ros_now() * _NANO
        try:
            check_age(
                seconds(message.header.stamp), now, self._context.parameters["cmd_vel_timeout"]
            )
        except CommandRejected as error:
            self._reject(str(error))
            return
        self._take(message.twist)

    def _take(self, twist: Twist) -> None:
        try:
            check_twist(twist)
        except CommandRejected as error:
            self._reject(str(error))
            return
        self._context.thread.post(self._apply, twist.linear.x, twist.angular.z)

    def _reject(self, reason: str) -> None:
        self._logger.warning(f"cmd_vel is rejected: {reason}", throttle_duration_sec=5.0)
        self._context.thread.post(self._count_rejected, reason)

    def _change_limits(self, _: float) -> None:
        self._context.thread.post(self._set_limits)

    def _change_timeout(self, timeout: float) -> None:
        self._context.thread.post(setattr, self._watchdog, "timeout", timeout)

    # -- in the robot's thread

    def _set_limits(self) -> None:
        self._motion.limits = replace(self._motion.limits, **_limits(self._context.parameters))

    def _count_rejected(self, reason: str) -> None:
        counters = self.counters
        self.counters = replace(counters, rejected=counters.rejected + 1, last_reason=reason)

    def _apply(self, linear: float, angular: float) -> None:
        moves = bool(linear or angular)
        counters = self.counters
        try:
            self._motion.drive(linear, angular)
        except MotionRefused as error:
            self._watchdog.command(False, 0.0)
            reason = str(error)
            self.counters = replace(counters, refused=counters.refused + 1, last_reason=reason)
            self._logger.warning(f"cmd_vel is refused: {reason}", throttle_duration_sec=5.0)
            return
        self.counters = replace(counters, accepted=counters.accepted + 1)
        self._watchdog.command(moves, asyncio.get_running_loop().time())
        self._arm()

    def _arm(self) -> None:
        """Keep one timer running; a command only moves the time that it finds."""
        due = self._watchdog.due
        if due is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(due, self._look)

    def _look(self) -> None:
        timer, self._timer = self._timer, None
        assert timer is not None
        # The loop may call within its clock resolution too early; what was due is due.
        now = max(asyncio.get_running_loop().time(), timer.when())
        if not self._watchdog.expire(now):
            self._arm()
            return
        self._motion.drive(0.0, 0.0)
        counters = self.counters
        reason = f"no cmd_vel for {self._watchdog.timeout:g} s"
        self.counters = replace(counters, expired=counters.expired + 1, last_reason=reason)
        self._logger.warning(f"stopped: {reason}", throttle_duration_sec=5.0)


def drive_limits(parameters: ParameterSet) -> DriveLimits:
    """Return the limits of driving as the parameters have them."""
    return DriveLimits(**_limits(parameters))


def _limits(parameters: ParameterSet) -> dict[str, float]:
    return {field: parameters[name] for name, field in _LIMITS.items()}
