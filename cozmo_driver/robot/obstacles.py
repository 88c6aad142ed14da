"""What the robot met: places to keep away from, and where it must not drive on (spec 10 §3, §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from .data import DRIVE_CENTER, Pose2D, RobotState
from .pushing import Side, UnexpectedMovement

MAX_HAZARDS = 100
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
        self.present = [h for h in self.present if not _is_same(h, new)][1 - MAX_HAZARDS :]
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
        self.past = [*self.past, *(Hazard(h.kind, h.points, time) for h in hazards)][-MAX_HAZARDS:]


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


BACKED_OFF = 0.020
"""After driving this far away from it the robot may drive towards it again, m ..."""
TURNED = 0.3
"""... or after turning this far, rad ..."""
GIVEN_UP = 1.0
"""... or when nobody asked it to for this time, s."""
_LONGEST_STEP = 0.3
_OPEN = {Side.FRONT: 1.0, Side.BACK: -1.0}
"""Sign of the speed that drives against what is there; turns are always possible."""


class BumpGuard:
    """Knows where something is in the way; times are those of the states, s."""

    def __init__(self, enabled: bool = True) -> None:
        """Stop the robot at what it pushes against if ``enabled``."""
        self.is_enabled = enabled
        self.pushing: UnexpectedMovement | None = None
        """What the robot pushes against now."""
        self.last: UnexpectedMovement | None = None
        """What it pushed against last in this session."""
        self.reset()

    def reset(self) -> None:
        """Forget everything: a new session, or the robot was lifted."""
        self.pushing = self.last = None
        self._side = Side.NONE
        self._way = self._turn = 0.0
        self._asked_at = -math.inf
        self._last_state: RobotState | None = None

    def enable(self, on: bool) -> None:
        """Stop at what the robot pushes against from now on, or do not."""
        self.is_enabled = on

    @property
    def side(self) -> Side:
        """Where the robot may not drive to, FRONT or BACK; NONE for anywhere."""
        return self._side if self.is_enabled else Side.NONE

    @property
    def is_present(self) -> bool:
        """Tell whether the robot pushes now, or may not drive against what is there."""
        return self.pushing is not None or self.side is not Side.NONE

    def forbids(self, linear: float, now: float) -> bool:
        """Tell whether a speed in m/s is against what is in the way; asking keeps it so."""
        forbidden = linear * _OPEN.get(self.side, 0.0) > 0.0
        if forbidden:
            self._asked_at = now
        return forbidden

    def update(self, state: RobotState, pushing: UnexpectedMovement | None) -> bool:
        """Take a state and what is pushed against; return whether that has just begun."""
        last, self._last_state = self._last_state, state
        has_begun = pushing is not None and pushing is not self.pushing
        self.pushing = pushing
        if state.is_off_ground:
            self._side = Side.NONE
        if has_begun:
            assert pushing is not None
            self.last, self._asked_at = pushing, state.time
            self._side = pushing.side if pushing.side in _OPEN else Side.NONE
            self._way = self._turn = 0.0
        elif last is not None and self._side is not Side.NONE:
            dt = min(max(state.robot_time - last.robot_time, 0.0), _LONGEST_STEP)
            speed = (state.left_wheel_speed + state.right_wheel_speed) / 2
            self._way -= speed * dt * _OPEN[self._side]
            self._turn += state.yaw_rate * dt
            given_up = state.time - self._asked_at > GIVEN_UP
            if self._way > BACKED_OFF or abs(self._turn) > TURNED or given_up:
                self._side = Side.NONE
        return has_begun
