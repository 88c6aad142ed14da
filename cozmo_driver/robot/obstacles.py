"""What the robot meets: it stops there, and keeps the place in mind for maps (spec 10 §3, §7)."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from enum import IntEnum

from ..protocol import messages
from .data import DRIVE_CENTER, Pose2D, RobotState
from .localization import Localization
from .motion.claims import Owner
from .motion.motion import Motion
from .motion.motors import WHEELS
from .pushing import (
    Movement,
    Side,
    UnexpectedMovement,
    UnexpectedMovementDetector,
    side_of,
)
from .session import Session

_log = logging.getLogger(__name__)

MAX_HAZARDS = 100
"""Places that are remembered; of more the oldest are forgotten."""
FORGETTING = 3.0
"""A place that is no longer one is kept in ``past`` for this time, s."""
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
        return self.points[len(self.points) // 2]


class Hazards:
    """Places that age; ``lifetime`` in s may be changed at any time."""

    def __init__(self, lifetime: float = 60.0) -> None:
        self.lifetime = lifetime
        self.current: list[Hazard] = []
        self.past: list[Hazard] = []
        """Those that were forgotten a moment ago, with the time of that."""

    def add(self, kind: HazardKind, side: Side, pose: Pose2D, time: float) -> None:
        """Mark what is at a side of a robot whose origin is at ``pose``, m and rad, at ``time``."""
        new = Hazard(kind, tuple(_row(side, pose)), time)
        self.current = [h for h in self.current if not _is_same(h, new)][1 - MAX_HAZARDS :]
        self.current.append(new)
        self.past = [h for h in self.past if not _is_same(h, new)]

    def clear(self, time: float) -> None:
        """Forget all at ``time``: the odometry frame lost its relation to the world."""
        self._forget(self.current, time)
        self.current = []

    def update(self, time: float) -> None:
        """Let them age up to ``time``, s."""
        old = [h for h in self.current if time - h.time > self.lifetime]
        if old:
            self.current = [h for h in self.current if time - h.time <= self.lifetime]
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


class Obstacles:
    """Notices that the robot does not follow its treads, and marks that place and edges."""

    def __init__(
        self,
        session: Session,
        motion: Motion,
        localization: Localization,
        wheel_separation: float,
        *,
        stops: bool,
    ) -> None:
        """Judge slip by the distance of the treads, m; ``stops`` the robot once when it slips."""
        self.hazards = Hazards()
        self._stops = stops
        self.noticed: UnexpectedMovement | None = None
        """What the latest state shows for the first time."""
        self.last: UnexpectedMovement | None = None
        """What was noticed last in this session."""
        self._motion, self._localization = motion, localization
        self._movements = UnexpectedMovementDetector(wheel_separation)
        self._state: RobotState | None = None
        session.on_setup.connect(self._on_setup)
        session.on(messages.MotorAutoEnabled, self._on_protection)
        localization.on_delocalized.connect(self._clear)
        localization.on_odometry_set.connect(self._clear)
        motion.cliff.on_stop.connect(lambda _: self._mark(HazardKind.CLIFF, Side.FRONT))

    @property
    def current(self) -> UnexpectedMovement | None:
        """What was noticed and goes on."""
        return self._movements.current

    def enable_stop(self, on: bool) -> None:
        self._stops = on

    def update(self, state: RobotState) -> None:
        """Detect what a state shows, before anybody else gets it."""
        self._state = state
        self.hazards.update(state.time)
        self.noticed = self._detect(state)
        self.last = self.noticed or self.last

    def stop(self) -> bool:
        """Mark what was just noticed and stop at it, where wanted; return whether it stopped."""
        noticed = self.noticed
        if noticed is None:
            return False
        is_stall = noticed.movement is Movement.TREADS_HELD
        self._mark(HazardKind.STALL if is_stall else HazardKind.BUMP, noticed.side)
        _log.warning("%s%s", "stopped: " if self._stops else "", noticed.text)
        if self._stops:
            self._motion.stop_at(noticed)
        return self._stops

    def _detect(self, state: RobotState) -> UnexpectedMovement | None:
        if self._motion.wheels.owner is Owner.ANIMATION or self._motion.cliff.is_detected:
            self._movements.release()
            return None
        commanded, acceleration = self._motion.commanded(), self._motion.limits.acceleration
        ramp = max(map(abs, commanded)) / acceleration if acceleration else 0.0
        return self._movements.update(state, commanded, ramp)

    def _on_setup(self, _: None) -> None:
        self._movements.release()
        self.last = None

    def _mark(self, kind: HazardKind, side: Side) -> None:
        state = self._state
        if state is not None and not state.is_off_ground:
            self.hazards.add(kind, side, self._localization.pose, state.time)

    def _on_protection(self, message: messages.MotorAutoEnabled, _: float) -> None:
        state = self._state
        if state is None or message.enabled or message.motor_id not in WHEELS:
            return
        left, right = state.left_wheel_speed, state.right_wheel_speed
        if left or right:
            self._mark(HazardKind.STALL, side_of(left, right))

    def _clear(self, _: object) -> None:
        if self._state is not None:
            self.hazards.clear(self._state.time)
