"""The body on the ground: where it really is and where it believes to be (spec 07 §10-11)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from ..protocol.messages import AbsoluteLocalizationUpdate
from .core import Core
from .wheels import EFFECTIVE_TRACK, Wheels

DRIVE_CENTER_OFFSET = -20.0
"""mm from the robot's origin, the middle of the front axle, to the point it turns about."""
_HISTORY = 100
"""States, 3 s: how far back a localization update may refer."""


@dataclass(frozen=True, slots=True)
class Pose2D:
    """A pose on the ground: mm, and rad counter-clockwise from +x."""

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0

    def then(self, other: Pose2D) -> Pose2D:
        """Return the pose that is ``other`` as seen from this one."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        return Pose2D(
            self.x + c * other.x - s * other.y,
            self.y + s * other.x + c * other.y,
            wrapped(self.angle + other.angle),
        )

    def seen_from(self, base: Pose2D) -> Pose2D:
        """Return this pose as seen from ``base``."""
        c, s = math.cos(base.angle), math.sin(base.angle)
        dx, dy = self.x - base.x, self.y - base.y
        return Pose2D(c * dx + s * dy, -s * dx + c * dy, wrapped(self.angle - base.angle))


def wrapped(angle: float) -> float:
    """Return an angle in (-pi, pi]."""
    return math.atan2(math.sin(angle), math.cos(angle))


class Body:
    """Unicycle about the drive centre; keeps its pose from one connection to the next."""

    def __init__(self, core: Core, wheels: Wheels) -> None:
        """Stand still at the origin of the world."""
        self._wheels = wheels
        self._center = Pose2D(DRIVE_CENTER_OFFSET)
        self._offset = DRIVE_CENTER_OFFSET
        self._frame = Pose2D()
        """Pose of the world in the frame that the robot reports in."""
        self.frame_id = 0
        self.origin_id = 0
        self.yaw_rate = 0.0
        """rad/s."""
        self.driven = 0.0
        """mm that the drive centre has moved, whichever way."""
        self.is_held = False
        """Somebody holds the robot: its treads turn and it does not move."""
        self.is_lifted = False
        """The robot feels that it is off the ground."""
        self.pitch = self.roll = 0.0
        """rad; nose up, and right side down."""
        self._history: deque[tuple[int, Pose2D]] = deque(maxlen=_HISTORY)
        core.handle(AbsoluteLocalizationUpdate, self._localize)

    @property
    def world_pose(self) -> Pose2D:
        """Where the robot's origin really is."""
        return self._center.then(Pose2D(-DRIVE_CENTER_OFFSET))

    @property
    def reported_pose(self) -> Pose2D:
        """Where the robot says it is."""
        return self._frame.then(self._origin)

    @property
    def _origin(self) -> Pose2D:
        """Where the point that the robot reports about really is."""
        return self._center.then(Pose2D(-self._offset))

    def set_offset(self, offset: float) -> None:
        """Believe what the engine says about the drive centre (mm); the pose does not jump."""
        pose = self.reported_pose
        self._offset = offset
        self._frame = pose.then(Pose2D().seen_from(self._origin))

    def carry_to(self, where: Pose2D) -> None:
        """Set the robot elsewhere in the world; it does not notice."""
        pose = self.reported_pose
        self._center = where.then(Pose2D(DRIVE_CENTER_OFFSET))
        self._frame = pose.then(Pose2D().seen_from(self._origin))

    def remember(self, timestamp: int) -> None:
        """Keep where the robot is at a robot time, for updates that refer to it."""
        self._history.append((timestamp, self._origin))

    def step(self, dt: float) -> None:
        """Move on by ``dt`` seconds."""
        left, right = self._wheels.left.speed, self._wheels.right.speed
        self.yaw_rate = 0.0 if self.is_held else (right - left) / EFFECTIVE_TRACK
        if self.is_held or not (left or right):
            return
        way = (left + right) / 2 * dt
        turn = self.yaw_rate * dt
        center = self._center
        heading = center.angle + turn / 2
        self._center = Pose2D(
            center.x + way * math.cos(heading),
            center.y + way * math.sin(heading),
            wrapped(center.angle + turn),
        )
        self.driven += abs(way)

    def _localize(self, m: AbsoluteLocalizationUpdate) -> None:
        """Take the given pose; one of the past is carried on by what was driven since."""
        given = Pose2D(m.pose_x, m.pose_y, wrapped(m.heading_angle))
        origin = self._origin
        if m.timestamp and self._history:
            origin = min(self._history, key=lambda entry: abs(entry[0] - m.timestamp))[1]
        self._frame = given.then(Pose2D().seen_from(origin))
        self.frame_id, self.origin_id = m.pose_frame_id, m.pose_origin_id
