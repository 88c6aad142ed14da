"""Notices that somebody put the robot on a slope (spec 10 §7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...protocol.enums import RobotStatusFlag
from ..data import OffTreads, RobotState

LEAST, MOST = math.radians(10.0), math.radians(55.0)
"""Pitch, nose up, rad."""
STILL_RATE = 0.01
STILL_TIME = 0.4
"""Largest rate about any axis in rad/s, and for how long, s."""
HANDLED_WITHIN = 1.5
"""A robot that was last lifted longer ago drove there by itself, s."""
REPEATED_WITHIN = 10.0


@dataclass(frozen=True, slots=True)
class Slope:
    """The robot stands on a slope.

    ``pitch`` is nose up, rad. When it is noticed twice within 10 s, ``is_repeated``, the head's
    calibration may be what is wrong.
    """

    pitch: float
    is_repeated: bool


class SlopeDetector:
    """Reports a slope once each time the robot is put on one."""

    def __init__(self) -> None:
        """Start on flat ground."""
        self.reset()

    def reset(self) -> None:
        """Forget everything: the robot's clock restarts."""
        self._still_since: float | None = None
        self._lifted_at = self._noticed_at = -math.inf
        self._is_told = False

    def update(self, state: RobotState) -> Slope | None:
        """Take a state; return what is noticed with it."""
        now, pitch, rate = state.robot_time, -state.pitch, state.angular_velocity
        if state.has(RobotStatusFlag.IS_PICKED_UP):
            self._lifted_at = now
        is_still = all(abs(value) < STILL_RATE for value in (rate.x, rate.y, rate.z))
        if not is_still or not LEAST < pitch < MOST:
            self._still_since, self._is_told = None, False
            return None
        if self._still_since is None:
            self._still_since = now
        if (
            self._is_told
            or now - self._still_since <= STILL_TIME
            or now - self._lifted_at >= HANDLED_WITHIN
            or state.off_treads not in (OffTreads.ON_TREADS, OffTreads.IN_AIR)
        ):
            return None
        is_repeated = now - self._noticed_at < REPEATED_WITHIN
        self._is_told, self._noticed_at = True, now
        return Slope(pitch, is_repeated)
