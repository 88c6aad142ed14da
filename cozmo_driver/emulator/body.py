"""Floor and body: where the treads bring the robot, and where it believes to be (spec 07 §3-11)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from random import Random

from ..protocol.messages import AbsoluteLocalizationUpdate
from .core import Core
from .hardware import (
    DRIVE_CENTER_OFFSET,
    GRIP,
    TREAD_TICK,
)
from .treads import Wheels, towards
from .variation import Variation

_FARTHEST = 1e6
"""mm."""
_HISTORY = 100
"""States, 3 s: how far back a localization update may refer."""


class Posture(Enum):
    """How the robot stands or lies: pitch (nose up), roll (right side down), on the ground."""

    FLAT = (0.0, 0.0, True)
    HELD = (0.0, 0.0, False)
    LEFT = (0.0, -90.0, False)
    RIGHT = (0.0, 90.0, False)
    BACK = (74.5, 0.0, False)
    FACE = (-86.0, 0.0, False)
    SLOPE = (20.0, 0.0, True)


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
        c, s = math.cos(base.angle), math.sin(base.angle)
        dx, dy = self.x - base.x, self.y - base.y
        return Pose2D(c * dx + s * dy, -s * dx + c * dy, wrapped(self.angle - base.angle))


ORIGIN_TO_CENTER, CENTER_TO_ORIGIN = Pose2D(DRIVE_CENTER_OFFSET), Pose2D(-DRIVE_CENTER_OFFSET)
"""The drive centre as seen from the robot's origin, and the other way round."""


def moved(pose: Pose2D, distance: float, turn: float) -> Pose2D:
    """Return where an arc of ``distance`` mm and ``turn`` rad leads."""
    heading = pose.angle + turn / 2
    return Pose2D(
        pose.x + distance * math.cos(heading),
        pose.y + distance * math.sin(heading),
        wrapped(pose.angle + turn),
    )


def wrapped(angle: float) -> float:
    """Return an angle in (-pi, pi]."""
    return math.atan2(math.sin(angle), math.cos(angle))


class FloorTraction:
    """Lets the body follow the treads as far as the floor holds them."""

    def __init__(self, random: Random, variation: Variation, slip: float) -> None:
        """``slip`` is the spread of a tread's speed from step to step, as a share of it."""
        self._random, self._slip = random, slip
        self._scales = variation.tread_scales
        self.gyro = variation.gyro_scales[2]
        """Turn that the gyro measures for a true one."""
        self._speed = self._rate = 0.0

    @property
    def is_sliding(self) -> bool:
        return bool(self._speed or self._rate)

    def step(self, left: float, right: float, track: float, dt: float) -> tuple[float, float]:
        """Return distance in mm and turn in rad for tread speeds in mm/s and a track in mm."""
        left, right = left * self._scales[0], right * self._scales[1]
        if self._slip:
            left *= 1.0 + self._random.gauss(0.0, self._slip)
            right *= 1.0 + self._random.gauss(0.0, self._slip)
        change = GRIP * dt
        self._speed = towards((left + right) / 2, self._speed, change)
        turn_change = change / (track / 2)
        self._rate = towards((right - left) / track, self._rate, turn_change)
        return self._speed * dt, self._rate * dt

    def rest(self) -> None:
        self._speed = self._rate = 0.0


class Body:
    """Unicycle about the drive centre; keeps its pose from one connection to the next.

    Where the robot is and where its treads and gyro put it are kept apart: they differ once
    it slips, is stopped by something or is carried.
    """

    def __init__(self, core: Core) -> None:
        self.wheels = Wheels(core)
        self._center = ORIGIN_TO_CENTER
        self.reckoned = self._center
        """The drive centre by dead reckoning since power on."""
        self._uncounted = 0.0
        """mm since the last tick of the encoders."""
        self._last_tick = 0.0
        """mm, with its sign; 0 once the treads have relaxed."""
        self._offset = DRIVE_CENTER_OFFSET
        self._frame = Pose2D()
        """Pose of the dead reckoning's start in the frame that the robot reports in."""
        self.traction: FloorTraction | None = None
        """None for treads that never slip."""
        self.settle: Callable[[Pose2D, Pose2D], Pose2D] | None = None
        """Takes where the drive centre was and would go; returns where obstacles let it go."""
        self.frame_id = 0
        self.origin_id = 0
        self.yaw_rate = 0.0
        """rad/s."""
        self.speed = 0.0
        """mm/s along the heading, of the drive centre."""
        self.velocity = (0.0, 0.0)
        """mm/s in the world, of the drive centre."""
        self._blow, self._struck_ago = (0.0, 0.0), math.inf
        self.driven = 0.0
        """mm that the drive centre has moved, whichever way."""
        self.is_held = False
        """Somebody holds the robot: its treads turn, which it counts, and it does not move."""
        self.is_lifted = False
        """The robot feels that it is off the ground."""
        self.pitch = self.roll = 0.0
        """rad; nose up, and right side down."""
        self.ramp: Callable[[], float] = lambda: 0.0
        """Pitch of what the robot stands on against the floor, rad."""
        self.sag: Callable[[], float] = lambda: 0.0
        """Pitch of the body on that, by what its lift does, rad."""
        self.slope, self.uphill = 0.0, 0.0
        """Of the world's floors, and which way they rise, rad."""
        self._history: deque[tuple[int, Pose2D]] = deque(maxlen=_HISTORY)
        core.handle(AbsoluteLocalizationUpdate, self._on_localization)

    @property
    def world_pose(self) -> Pose2D:
        """Where the robot's origin really is."""
        return self._center.then(CENTER_TO_ORIGIN)

    @property
    def tilt(self) -> tuple[float, float]:
        """Pitch and roll against the floor, as ``pitch`` and ``roll`` count them."""
        return self.pitch + self.ramp() + self.sag(), self.roll

    @property
    def attitude(self) -> tuple[float, float]:
        """Pitch and roll against gravity."""
        pitch, roll = self.tilt
        if self.is_held or not self.slope:
            return pitch, roll
        aside = self.uphill - self._center.angle
        return pitch + self.slope * math.cos(aside), roll + self.slope * math.sin(aside)

    def reckoned_at(self, timestamp: int, within: float = math.inf) -> Pose2D:
        """Return that of a robot time, ms, at most ``within`` s ago; 0 is now."""
        if not (timestamp and self._history):
            return self.reckoned
        latest = self._history[-1][0]
        recent = [entry for entry in self._history if latest - entry[0] <= within * 1000]
        return min(recent, key=lambda entry: abs(entry[0] - timestamp))[1]

    @property
    def reported_pose(self) -> Pose2D:
        return self._frame.then(self._origin)

    @property
    def _origin(self) -> Pose2D:
        """Where the point that the robot reports about is by dead reckoning."""
        return self.reckoned.then(Pose2D(-self._offset))

    def set_offset(self, offset: float) -> None:
        """Set the engine's drive centre offset, mm; the pose does not jump."""
        pose = self.reported_pose
        # Beyond that a pose would not fit into a state.
        self._offset = min(max(offset, -_FARTHEST), _FARTHEST)
        self._frame = pose.then(Pose2D().seen_from(self._origin))

    def carry_to(self, where: Pose2D) -> None:
        """Set the robot elsewhere in the world; it does not notice."""
        self._center = where.then(ORIGIN_TO_CENTER)

    def remember(self, timestamp: int) -> None:
        """Keep where the robot is at a robot time, for updates that refer to it."""
        self._history.append((timestamp, self.reckoned))

    @property
    def active(self) -> bool:
        """Whether the treads move or are about to, or the body slides on though they stand."""
        return self.wheels.active or self._is_sliding

    @property
    def _is_sliding(self) -> bool:
        return self.traction is not None and self.traction.is_sliding

    def step(self, dt: float) -> None:
        self.wheels.step(dt)
        left, right = self.wheels.left.speed, self.wheels.right.speed
        self._struck_ago += dt
        turn = 0.0
        if self.is_held or not (left or right or self._is_sliding):
            self._stay()
        else:
            turn = self._move(left, right, dt)
        if left or right or turn:
            felt = turn if self.traction is None else turn * self.traction.gyro
            self._reckon((left + right) / 2 * dt, felt)
        elif self.wheels.left.has_relaxed(dt):
            # The treads go back by a tick (spec 18).
            self.reckoned = moved(self.reckoned, -self._last_tick, 0.0)
            self._last_tick = 0.0

    def _stay(self) -> None:
        if self.is_held:
            self._strike((0.0, 0.0))
        self.yaw_rate = self.speed = 0.0
        self.velocity = (0.0, 0.0)
        if self.traction is not None:
            self.traction.rest()

    def _move(self, left: float, right: float, dt: float) -> float:
        """Move as the treads do, at these mm/s, as far as anything lets it; return the turn."""
        if self.traction is None:
            distance, turn = (left + right) / 2 * dt, (right - left) / self.wheels.track * dt
        else:
            distance, turn = self.traction.step(left, right, self.wheels.track, dt)
        before = self._center
        wanted = center = moved(before, distance, turn)
        if self.settle is not None:
            center = self.settle(before, wanted)
            turn = wrapped(center.angle - before.angle)
        self._center = center
        self.yaw_rate = turn / dt
        heading = before.angle + turn / 2
        along_x, along_y = center.x - before.x, center.y - before.y
        velocity = along_x / dt, along_y / dt
        if center != wanted:
            self._strike(velocity)
        self.velocity = velocity
        self.speed = (along_x * math.cos(heading) + along_y * math.sin(heading)) / dt
        self.driven += math.hypot(along_x, along_y)
        return turn

    def _reckon(self, distance: float, turn: float) -> None:
        """Count the treads' ticks, whether or not the body follows them, and what the gyro felt."""
        self._uncounted += distance
        counted = math.trunc(self._uncounted / TREAD_TICK) * TREAD_TICK
        self._uncounted -= counted
        if counted:
            self._last_tick = math.copysign(TREAD_TICK, counted)
        self.reckoned = moved(self.reckoned, counted, turn)

    def _strike(self, velocity: tuple[float, float]) -> None:
        """Remember by how much something else than the treads changes the velocity."""
        change_x, change_y = velocity[0] - self.velocity[0], velocity[1] - self.velocity[1]
        c, s = math.cos(self._center.angle), math.sin(self._center.angle)
        ahead, left = c * change_x + s * change_y, c * change_y - s * change_x
        if math.hypot(ahead, left) > math.hypot(*self._blow):
            self._struck_ago = 0.0
        self._blow = self._blow[0] + ahead, self._blow[1] + left

    def take_blow(self) -> tuple[tuple[float, float], float]:
        """Return the change since the last call, ahead and to the left, mm/s, and how long ago."""
        blow, self._blow = self._blow, (0.0, 0.0)
        return blow, self._struck_ago

    def _on_localization(self, m: AbsoluteLocalizationUpdate) -> None:
        """Set the given pose; one of the past is carried on by what was driven since."""
        given = Pose2D(m.pose_x, m.pose_y, wrapped(m.heading_angle))
        origin = self.reckoned_at(m.timestamp).then(Pose2D(-self._offset))
        self._frame = given.then(Pose2D().seen_from(origin))
        self.frame_id, self.origin_id = m.pose_frame_id, m.pose_origin_id
