"""Limits of driving, and tread speeds within them (spec 07 §3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..geometry import (
    EFFECTIVE_TRACK_WIDTH,
    MAX_WHEEL_ACCELERATION,
    MAX_WHEEL_SPEED,
    MAX_YAW_RATE,
)


@dataclass(frozen=True, slots=True)
class DriveLimits:
    """Limits of driving, m/s, rad/s and m/s^2, and the track width that turns are computed with.

    Raises ``ValueError`` for values that the robot cannot have.
    """

    wheel_speed: float = MAX_WHEEL_SPEED
    yaw_rate: float = MAX_YAW_RATE
    acceleration: float = 0.0
    """Of each tread, 0 for as fast as the robot can."""
    track_width: float = EFFECTIVE_TRACK_WIDTH
    is_yaw_trimmed: bool = True
    """Correct the turn rate by what the gyro measures."""
    backup_limit: float = 0.0
    """How far cmd_vel may reverse before it drives forward again, m; 0 for any distance."""

    def __post_init__(self) -> None:
        """Refuse what cannot be driven with."""
        for name, low, high in (
            ("wheel_speed", 0.0, MAX_WHEEL_SPEED),
            ("yaw_rate", 0.0, 10.0),
            ("acceleration", 0.0, MAX_WHEEL_ACCELERATION),
            ("track_width", 0.01, 0.5),
            ("backup_limit", 0.0, 1000.0),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; it is from {low:g} to {high:g}")


def limited_speeds(linear: float, angular: float, limits: DriveLimits) -> tuple[float, float]:
    """Return the speeds in m/s and rad/s that can be driven, with the curve's radius kept."""
    left, right = tread_speeds(linear, angular, limits)
    return (left + right) / 2, (right - left) / limits.track_width


def tread_speeds(linear: float, angular: float, limits: DriveLimits) -> tuple[float, float]:
    """Return left and right tread speed in m/s for m/s and rad/s.

    Beyond the limits both are scaled alike, so that the curve keeps its radius (spec 07 §3).
    """
    scale = min(1.0, limits.yaw_rate / abs(angular)) if angular else 1.0
    difference = angular * limits.track_width / 2
    left, right = (linear - difference) * scale, (linear + difference) * scale
    fastest = max(abs(left), abs(right))
    if fastest > limits.wheel_speed:
        left, right = (speed * limits.wheel_speed / fastest for speed in (left, right))
    return left, right


def limited(value: float, limit: float) -> float:
    """Return ``value`` with its magnitude at most ``limit``, in the same unit."""
    return math.copysign(min(abs(value), limit), value)
