"""Path segments as the robot takes them: mm, rad, and a speed profile each (spec 07 §7)."""

from __future__ import annotations

from ...protocol import Message, messages
from ...protocol.structs import PathSegmentSpeed
from ..geometry import TRACK_WIDTH
from .segments import Arc, Line, Segment, Turn


def append_message(segment: Segment, wheel_speed: float, yaw_rate: float) -> Message:
    """Return the message that appends a segment given in the robot's own coordinate system.

    Speeds are limited so that no tread exceeds ``wheel_speed`` m/s and no turn ``yaw_rate`` rad/s.
    """
    if isinstance(segment, Turn):
        return messages.AppendPathSegmentPointTurn(
            segment.center[0] * 1000.0,
            segment.center[1] * 1000.0,
            segment.target_angle,
            segment.tolerance,
            PathSegmentSpeed(
                min(abs(segment.speed), yaw_rate), segment.acceleration, segment.deceleration
            ),
            True,
        )
    if isinstance(segment, Line):
        return messages.AppendPathSegmentLine(
            segment.start[0] * 1000.0,
            segment.start[1] * 1000.0,
            segment.end[0] * 1000.0,
            segment.end[1] * 1000.0,
            _speed(segment, wheel_speed),
        )
    # The outer tread is faster than the middle.
    share = 1.0 + TRACK_WIDTH / 2 / segment.radius
    fastest = min(wheel_speed / share, yaw_rate * segment.radius)
    return messages.AppendPathSegmentArc(
        segment.center[0] * 1000.0,
        segment.center[1] * 1000.0,
        segment.radius * 1000.0,
        segment.start_angle,
        segment.sweep_angle,
        _speed(segment, fastest),
    )


def _speed(segment: Line | Arc, fastest: float) -> PathSegmentSpeed:
    speed = min(abs(segment.speed), fastest) * (1.0 if segment.speed > 0 else -1.0)
    return PathSegmentSpeed(
        speed * 1000.0, segment.acceleration * 1000.0, segment.deceleration * 1000.0
    )
