"""Whether the robot stands on its treads, and how it lies when it does not (spec 10 §6)."""

from __future__ import annotations

from ...protocol.enums import RobotStatusFlag
from ..data import OffTreads, RobotState
from .low_pass import LowPass

GRAVITY = 9.8
SIDE_TOLERANCE = 3.0
"""Filtered sideways acceleration of a robot on its side, m/s^2."""
FACE_BEYOND = 1.91986
FACE_BELOW = -1.39626
BACK = 1.30027
BACK_TOLERANCE = 0.261799
LEVEL = 0.785398
"""Pitch, nose up positive, rad."""
DEBOUNCE = 250
BACK_EXTRA = 750
"""Robot time, ms."""
_SIDES = (OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE)
_FILTER_SHARE = 0.1


class OffTreadsClassifier:
    """Follows the states of the robot; a posture counts when it has lasted.

    Lifting and putting down count at once, a side or the face after 0.25 s, the back after 1 s.
    """

    def __init__(self) -> None:
        """Start on the treads."""
        self.posture = OffTreads.ON_TREADS
        self._sideways = LowPass(_FILTER_SHARE)
        self._candidate = self.posture
        self._since = 0

    def reset(self) -> None:
        """Keep the posture and forget what was about to become one: the robot's clock restarts."""
        self._sideways.reset()
        self._candidate = self.posture

    def update(self, state: RobotState, *, is_head_calibrated: bool) -> OffTreads:
        """Take a state; return the posture.

        It is held while the head is not calibrated: until then the robot's pitch means nothing.
        """
        sideways = self._sideways.update(state.acceleration.y)
        if is_head_calibrated:
            now = round(state.robot_time * 1000)
            self._consider(state, sideways, now)
            if self._candidate is not self.posture and self._since + DEBOUNCE <= now:
                self.posture = self._candidate
        return self.posture

    def _consider(self, state: RobotState, sideways: float, now: int) -> None:
        pitch = -state.pitch
        is_picked_up = state.has(RobotStatusFlag.IS_PICKED_UP)
        on_side = abs(abs(sideways) - GRAVITY) < SIDE_TOLERANCE
        on_face = pitch > FACE_BEYOND or pitch < FACE_BELOW
        on_back = abs(pitch - BACK) <= BACK_TOLERANCE
        if state.has(RobotStatusFlag.IS_FALLING):
            self._propose(OffTreads.FALLING, now - DEBOUNCE)
        elif on_side:
            if self._candidate not in _SIDES:
                self._propose(
                    OffTreads.ON_RIGHT_SIDE if sideways > 0 else OffTreads.ON_LEFT_SIDE, now
                )
        elif on_face:
            self._propose(OffTreads.ON_FACE, now)
        elif on_back:
            self._propose(OffTreads.ON_BACK, now + BACK_EXTRA)
        elif abs(pitch) <= LEVEL and self._candidate >= OffTreads.ON_BACK:
            self._propose(OffTreads.IN_AIR, now)
        elif is_picked_up and self._candidate is OffTreads.ON_TREADS:
            self._propose(OffTreads.IN_AIR, now - DEBOUNCE)
        if not (is_picked_up or on_side or on_face or on_back):
            self._propose(OffTreads.ON_TREADS, now - DEBOUNCE)

    def _propose(self, posture: OffTreads, since: int) -> None:
        if self._candidate is not posture:
            self._candidate, self._since = posture, since
