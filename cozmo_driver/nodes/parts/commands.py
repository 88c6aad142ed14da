"""Commands on topics: ``cmd_vel``, ``cmd_head``, ``cmd_lift`` and the joints' velocities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from geometry_msgs.msg import Twist, TwistStamped
from std_msgs.msg import Float64

from ...protocol import NotConnected, SendQueueFull
from ...robot import CommandTimer, DriveLimits, Refused
from ..context import Context
from ..conversions.geometry import seconds
from ..parameter_set import ParameterSet
from ..topics import COMMAND

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


def drive_limits(parameters: ParameterSet) -> DriveLimits:
    """Return the limits of driving as the parameters have them."""
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

    def __init__(self, context: Context, topic: str, command: Callable[..., None]) -> None:
        self.counts = context.command_topic(topic)
        self._command = command
        stop = context.robot.session.guarded(f"the watchdog of {topic}", self._stop)
        self._timer = CommandTimer(context.parameters["cmd_vel_timeout"], stop)
        context.on_parameter("cmd_vel_timeout", self._timer.change_timeout)
        self._still: tuple[float, ...] = ()

    def apply(self, *velocities: float) -> None:
        self._still = (0.0,) * len(velocities)
        try:
            self._command(*velocities)
        except Refused as error:
            self._timer.command(False)
            self.counts.refuse(error)
            return
        except (NotConnected, SendQueueFull) as error:
            # What was commanded before stays watched.
            self.counts.refuse(error)
            return
        self.counts.accept()
        self._timer.command(any(velocities))

    def _stop(self) -> None:
        self._command(*self._still)
        self.counts.expire(self._timer.timeout)


class DrivePart:
    """Drives the robot by ``cmd_vel``, a Twist or TwistStamped."""

    def __init__(self, context: Context) -> None:
        self._context, self._motion = context, context.robot.motion
        self._topic = VelocityTopic(context, "cmd_vel", self._motion.drive)
        for name in _LIMITS:
            context.on_parameter(name, lambda _: self._set_limits())
        stamped = context.parameters["enable_stamped_cmd_vel"]
        context.node.create_subscription(
            TwistStamped if stamped else Twist,
            "cmd_vel",
            self._on_stamped if stamped else self._on_twist,
            COMMAND,
        )

    def _set_limits(self) -> None:
        limits = {field: self._context.parameters[name] for name, field in _LIMITS.items()}
        self._motion.limits = replace(self._motion.limits, **limits)

    # -- in the executor's thread

    def _on_stamped(self, message: TwistStamped) -> None:
        stamp, now = seconds(message.header.stamp), self._context.ros_now() * _NANO
        try:
            check_age(stamp, now, self._context.parameters["cmd_vel_timeout"])
        except ValueError as error:
            self._topic.counts.reject(error)
            return
        self._on_twist(message.twist)

    def _on_twist(self, twist: Twist) -> None:
        try:
            check_twist(twist)
        except ValueError as error:
            self._topic.counts.reject(error)
            return
        self._context.thread.post(self._topic.apply, twist.linear.x, twist.angular.z)


def joint_commands(context: Context) -> None:
    """Move head and lift as on ``cmd_head`` (rad, up positive), ``cmd_lift`` (m above ground) and
    the topics of their velocities (rad/s).

    Positions are clamped to what the joints can reach.
    """
    joints = context.robot.joints
    _subscribe_position(context, "cmd_head", "angle", joints.set_head_angle)
    _subscribe_position(context, "cmd_lift", "height", joints.set_lift_height)
    _subscribe_velocity(context, "cmd_head_velocity", joints.set_head_velocity)
    _subscribe_velocity(context, "cmd_lift_velocity", joints.set_lift_velocity)


def _subscribe_position(
    context: Context, topic: str, quantity: str, command: Callable[[float], object]
) -> None:
    counts = context.command_topic(topic)

    def on_message(message: Float64) -> None:
        if math.isfinite(message.data):
            context.thread.post(apply, message.data)
        else:
            counts.reject(f"the {quantity} is {message.data}")

    def apply(value: float) -> None:
        try:
            command(value)
        except (Refused, NotConnected, SendQueueFull) as error:
            counts.refuse(error)
        else:
            counts.accept()

    context.node.create_subscription(Float64, topic, on_message, COMMAND)


def _subscribe_velocity(context: Context, topic: str, command: Callable[[float], None]) -> None:
    velocity = VelocityTopic(context, topic, command)

    def on_message(message: Float64) -> None:
        if math.isfinite(message.data):
            context.thread.post(velocity.apply, message.data)
        else:
            velocity.counts.reject(f"the speed is {message.data}")

    context.node.create_subscription(Float64, topic, on_message, COMMAND)
