"""Where the robot met an edge or something in its way, for maps of obstacles (spec 10 §3, §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ..data import DRIVE_CENTER, Pose2D
from ..events.unexpected_movement import Side

MOST = 100
"""Places that are remembered; of more the oldest are forgotten."""
FORGETTING = 3.0
"""A place that is no longer one is told as such for this time, s."""
_NEAR = 0.03
"""A place this near to another of its kind is the same, m."""
_REACH = 0.078
"""From the point it turns about, m: beyond the circle of its corners, with 5 mm of padding and a
cell of 1 cm, as planners must see that it can still turn away."""
_HALF_LENGTH, _HALF_WIDTH = 0.046, 0.030
_STEPS = (-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0)


class HazardKind(IntEnum):
    """What was met; values of ``intensity`` in the topic ``hazards``."""

    CLIFF = 1
    BUMP = 2
    STALL = 3


@dataclass(frozen=True, slots=True)
class Hazard:
    """Points in the odometry frame, m, from which on the robot came no further, and when, s."""

    kind: HazardKind
    points: tuple[tuple[float, float], ...]
    time: float

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of its points."""
        return self.points[len(self.points) // 2]


class Hazards:
    """Places that age; ``lifetime`` in s may be changed at any time."""

    def __init__(self, lifetime: float = 60.0) -> None:
        """Start with none."""
        self.lifetime = lifetime
        self.present: list[Hazard] = []
        self.past: list[Hazard] = []
        """Those that were forgotten a moment ago, with the time of that."""

    def add(self, kind: HazardKind, side: Side, pose: Pose2D, time: float) -> None:
        """Mark what is at a side of a robot whose origin is at ``pose``, m and rad, at ``time``."""
        new = Hazard(kind, tuple(_row(side, pose)), time)
        self.present = [h for h in self.present if not _is_same(h, new)][1 - MOST :]
        self.present.append(new)
        self.past = [h for h in self.past if not _is_same(h, new)]

    def clear(self, time: float) -> None:
        """Forget all at ``time``: the odometry frame lost its relation to the world."""
        self._forget(self.present, time)
        self.present = []

    def update(self, time: float) -> None:
        """Let them age up to ``time``, s."""
        old = [h for h in self.present if time - h.time > self.lifetime]
        if old:
            self.present = [h for h in self.present if time - h.time <= self.lifetime]
            self._forget(old, time)
        self.past = [h for h in self.past if time - h.time <= FORGETTING]

    def _forget(self, hazards: list[Hazard], time: float) -> None:
        self.past = [*self.past, *(Hazard(h.kind, h.points, time) for h in hazards)][-MOST:]


def _row(side: Side, pose: Pose2D) -> list[tuple[float, float]]:
    """Return points along a side of the robot, 10 to 15 mm apart."""
    center = pose.compose(DRIVE_CENTER)
    sign = 1.0 if side in (Side.FRONT, Side.LEFT) else -1.0
    if side in (Side.LEFT, Side.RIGHT):
        spots = [Pose2D(_HALF_LENGTH * step, sign * _REACH) for step in _STEPS]
    else:
        spots = [Pose2D(sign * _REACH, _HALF_WIDTH * step) for step in _STEPS]
    placed = [center.compose(spot) for spot in spots]
    return [(spot.x, spot.y) for spot in placed]


def _is_same(a: Hazard, b: Hazard) -> bool:
    return a.kind is b.kind and math.dist(a.middle, b.middle) < _NEAR
