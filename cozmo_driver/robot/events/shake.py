"""Notices that somebody shakes the robot (spec 10 §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from ..data import RobotState
from .low_pass import LowPass

START = 16.0
GOES_ON = 13.0
"""Filtered magnitude of the acceleration, m/s^2."""
HARD_AFTER = 5.0
MEDIUM_AFTER = 2.5
"""s."""
_FILTER_SHARE = 0.05


class Strength(Enum):
    """How much the robot was shaken, by how long."""

    SOFT = "softly"
    MEDIUM = "thoroughly"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Shake:
    """A shake that has begun or ended: seconds so far, greatest filtered acceleration, m/s^2."""

    is_over: bool
    duration: float
    acceleration: float

    @property
    def strength(self) -> Strength:
        """How hard it was up to now."""
        if self.duration > HARD_AFTER:
            return Strength.HARD
        return Strength.MEDIUM if self.duration > MEDIUM_AFTER else Strength.SOFT


class ShakeDetector:
    """Follows the magnitude of the acceleration."""

    def __init__(self) -> None:
        """Start at rest."""
        self._magnitude = LowPass(_FILTER_SHARE)
        self.reset()

    def reset(self) -> None:
        """Forget everything: a new session begins."""
        self._magnitude.reset()
        self._started_at: float | None = None
        self._peak = 0.0

    def update(self, state: RobotState) -> Shake | None:
        """Take a state; return what begins or ends with it."""
        a = state.acceleration
        magnitude = self._magnitude.update(math.hypot(a.x, a.y, a.z))
        if self._started_at is None:
            if magnitude <= START:
                return None
            self._started_at, self._peak = state.robot_time, magnitude
            return Shake(False, 0.0, magnitude)
        self._peak = max(self._peak, magnitude)
        if magnitude >= GOES_ON:
            return None
        duration, self._started_at = state.robot_time - self._started_at, None
        return Shake(True, duration, self._peak)
