"""Commands on topics: ``cmd_vel``, ``cmd_head``, ``cmd_lift`` and the joints' velocities."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from std_msgs.msg import Float64

from ..protocol import NotConnected, SendQueueFull
from ..robot import Actuator, CommandTimer, DriveLimits, Refused
from ..ros.context import Context
from ..ros.geometry import seconds
from ..ros.parameter_set import ParameterSet

_NANO = 1e-9
_LIMITS = {
    "max_wheel_speed": "wheel_speed",
    "max_angular_velocity": "yaw_rate",
    "max_wheel_acceleration": "acceleration",
    "wheel_separation_effective": "track_width",
    "regulate_speed": "is_speed_regulated",
    "yaw_rate_trim": "is_yaw_trimmed",
    "backup_limit": "backup_limit",
}
"""Parameters and the limits they set."""


def drive_limits(parameters: ParameterSet) -> DriveLimits:
    return DriveLimits(**{field: parameters[name] for name, field in _LIMITS.items()})


def check_twist(twist: Twist) -> None:
    """Raise ``ValueError`` unless every component is finite."""
    for name, vector in (("linear", twist.linear), ("angular", twist.angular)):
        for axis in ("x", "y", "z"):
            value = getattr(vector, axis)
            if not math.isfinite(value):
                raise ValueError(f"{name}.{axis} is {value}")


def check_age(stamp: float, now: float, limit: float) -> None:
    """Raise ``ValueError`` for a stamp older than ``limit``, all in s; 0 is no stamp."""
    if stamp and now - stamp > limit:
        raise ValueError(
            f"its stamp is {now - stamp:.2f} s old (cmd_vel_timeout is {limit:g} s); "
            "do the clocks of sender and driver agree?"
        )


class VelocityTopic:
    """Velocities for the robot, taken back when nothing came for ``cmd_vel_timeout``."""

    def __init__(
        self,
        context: Context,
        kind: type,
        topic: str,
        read: Callable[[Any], tuple[float, ...]],
        command: Callable[..., None],
        actuator: Actuator,
    ) -> None:
        """``command`` claims ``actuator`` in the name of ``topic``."""
        self._counts = context.command_topic(topic)
        self._topic, self._command, self._actuator = topic, command, actuator
        stop = context.robot.session.guarded(f"the watchdog of {topic}", self._stop)
        self._timer = CommandTimer(context.parameters["cmd_vel_timeout"], stop)
        context.on_parameter("cmd_vel_timeout", self._timer.change_timeout)
        self._still: tuple[float, ...] = ()
        context.subscribe(kind, topic, read, self.apply)

    def apply(self, velocities: tuple[float, ...]) -> None:
        self._still = (0.0,) * len(velocities)
        try:
            self._command(*velocities)
        except (Refused, NotConnected, SendQueueFull):
            self._timer.command(False)
            raise
        self._timer.command(any(velocities))

    def _stop(self) -> None:
        claim = self._actuator.claim_held
        self._command(*self._still)
        if claim is not None and claim.what == self._topic:
            self._counts.expire(self._timer.timeout)


class DrivePart:
    """Drives the robot by ``cmd_vel``, a Twist or TwistStamped."""

    def __init__(self, context: Context) -> None:
        self._context, self._motion = context, context.robot.motion
        stamped = context.parameters["enable_stamped_cmd_vel"]
        kind, read = (TwistStamped, self._read_stamped) if stamped else (Twist, _read_twist)
        VelocityTopic(context, kind, "cmd_vel", read, self._motion.drive, self._motion.wheels)
        for name in _LIMITS:
            context.on_parameter(name, lambda _: self._set_limits())

    def _set_limits(self) -> None:
        self._motion.limits = drive_limits(self._context.parameters)

    def _read_stamped(self, message: TwistStamped) -> tuple[float, float]:
        stamp, now = seconds(message.header.stamp), self._context.ros_now() * _NANO
        check_age(stamp, now, self._context.parameters["cmd_vel_timeout"])
        return _read_twist(message.twist)


def _read_twist(twist: Twist) -> tuple[float, float]:
    check_twist(twist)
    return twist.linear.x, twist.angular.z


def joint_commands(context: Context) -> None:
    """Move head and lift as on ``cmd_head`` (rad, up positive), ``cmd_lift`` (m above ground) and
    the topics of their velocities (rad/s).

    Positions are clamped to what the joints can reach.
    """
    joints = context.robot.joints
    for topic, quantity, command in (
        ("cmd_head", "angle", joints.set_head_angle),
        ("cmd_lift", "height", joints.set_lift_height),
    ):
        context.subscribe(Float64, topic, partial(_read_finite, quantity), command)
    for topic, move, joint in (
        ("cmd_head_velocity", joints.set_head_velocity, joints.head),
        ("cmd_lift_velocity", joints.set_lift_velocity, joints.lift),
    ):
        VelocityTopic(context, Float64, topic, lambda m: (_read_finite("speed", m),), move, joint)


def _read_finite(quantity: str, message: Float64) -> float:
    if not math.isfinite(message.data):
        raise ValueError(f"the {quantity} is {message.data}")
    return float(message.data)
