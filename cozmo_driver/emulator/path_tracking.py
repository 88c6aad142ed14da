"""How the robot keeps to a line, an arc or a heading: from where it is to body rates.

Millimetres and radians in the frame that the robot reports in. The track is that of the robot's
origin, 20 mm ahead of the point it turns about (spec 07 §1, §7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .body import DRIVE_CENTER_OFFSET, Pose2D, wrapped

LEAD = -DRIVE_CENTER_OFFSET
"""mm from the point the robot turns about to its origin."""
MAX_RATE = 4.0
"""rad/s while driving."""
_REACH = 40.0
"""mm within which an error beside the track is steered away."""
_REVERSE_GAIN = 8.0
DEAD_BAND = 0.005
"""rad; a heading this close is reached."""
_SLOWEST_TURN = 0.05


@dataclass(frozen=True, slots=True)
class Speed:
    """Speed (negative backwards), acceleration and deceleration of a segment; mm or rad, s."""

    speed: float
    accel: float
    decel: float


@dataclass(frozen=True, slots=True)
class Line:
    """Straight from one point to another."""

    x0: float
    y0: float
    x1: float
    y1: float
    profile: Speed

    @property
    def direction(self) -> float:
        """Direction of travel, rad."""
        return math.atan2(self.y1 - self.y0, self.x1 - self.x0)

    def place(self, x: float, y: float, _: float) -> tuple[float, float, float, float]:
        """Return what is left, the error to the left of travel, the direction, the curvature."""
        c, s = math.cos(self.direction), math.sin(self.direction)
        dx, dy = x - self.x1, y - self.y1
        return -(c * dx + s * dy), -s * dx + c * dy, self.direction, 0.0


@dataclass(frozen=True, slots=True)
class Arc:
    """Around a centre."""

    x: float
    y: float
    radius: float
    start: float
    sweep: float
    profile: Speed

    def place(self, x: float, y: float, radius: float) -> tuple[float, float, float, float]:
        """Return as ``Line.place``, for a point that shall keep ``radius`` from the centre."""
        sign = math.copysign(1.0, self.sweep)
        angle = math.atan2(y - self.y, x - self.x)
        middle = abs(self.sweep) / 2
        swept = middle + wrapped((angle - self.start) * sign - middle)
        left = (abs(self.sweep) - swept) * self.radius
        error = sign * (radius - math.hypot(x - self.x, y - self.y))
        return left, error, angle + sign * math.pi / 2, sign / radius


@dataclass(frozen=True, slots=True)
class PointTurn:
    """To a heading, where the robot stands."""

    angle: float
    profile: Speed


Segment = Line | Arc | PointTurn


def remaining(segment: Line | Arc, pose: Pose2D) -> float:
    """Return how much of the track is left for a robot at ``pose``, mm."""
    radius = segment.radius if isinstance(segment, Arc) else 0.0
    return segment.place(pose.x, pose.y, radius)[0]


def direction_at_ends(segment: Line | Arc) -> tuple[float, float]:
    """Return the directions of travel at the start and the end, rad."""
    if isinstance(segment, Line):
        return segment.direction, segment.direction
    quarter = math.copysign(math.pi / 2, segment.sweep)
    return segment.start + quarter, segment.start + segment.sweep + quarter


def steer(segment: Line | Arc, pose: Pose2D, speed: float) -> tuple[float, float]:
    """Return forward speed in mm/s and turn rate in rad/s that keep the robot on its track."""
    radius = segment.radius if isinstance(segment, Arc) else 0.0
    if segment.profile.speed >= 0.0:
        _, error, direction, _ = segment.place(pose.x, pose.y, radius)
        angle = wrapped(direction - math.atan(error / _REACH) - pose.angle)
        if abs(angle) > math.pi / 2:
            return 0.0, math.copysign(MAX_RATE, angle)
        rate = speed * math.sin(angle) / LEAD
        return speed * math.cos(angle), min(max(rate, -MAX_RATE), MAX_RATE)
    # Backwards, steering by the origin would be unstable: the point it turns about goes ahead.
    x = pose.x - LEAD * math.cos(pose.angle)
    y = pose.y - LEAD * math.sin(pose.angle)
    radius = math.sqrt(max(radius**2 - LEAD**2, 1.0))
    _, error, direction, curvature = segment.place(x, y, radius)
    heading = direction + math.pi - math.atan(error / _REACH)
    rate = speed * curvature + _REVERSE_GAIN * wrapped(heading - pose.angle)
    return -speed, min(max(rate, -MAX_RATE), MAX_RATE)


def turn_rate(error: float, rate: float, profile: Speed, dt: float) -> float:
    """Return the rate, rad/s, to turn away ``error`` rad, from the present ``rate``; 0 at rest."""
    if abs(error) <= DEAD_BAND:
        return 0.0
    braking = math.sqrt(2 * profile.decel * abs(error))
    wanted = math.copysign(max(min(abs(profile.speed), braking), _SLOWEST_TURN), error)
    change = max(profile.accel * dt, _SLOWEST_TURN)
    return min(max(wanted, rate - change), rate + change)
