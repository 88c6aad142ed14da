"""How far apart the treads seem to be in turns: learnt while the robot turns in place."""

from __future__ import annotations

import datetime
import math

from ..robot_bounds import MEASURED_BOUNDS
from .calibration import Measurement
from .data import OffTreads, RobotState
from .geometry import EFFECTIVE_TRACK_WIDTH

_PRIOR = Measurement(EFFECTIVE_TRACK_WIDTH, 0.012, "")
"""Floors that were seen have 69 to 93 mm (spec 07 §3)."""
_BATCH = 4 * math.pi
"""rad of turns, both ways, that one lesson is made of."""
_LESSON = 0.006
"""Standard deviation, m, of what turns on one floor say of the robot on its next one. A guess."""
_LEAST = 0.003
"""No track is believed to be known better, m: floors change, and learning is to go on."""
_MOST = 0.003
"""m by which one lesson changes it at the most."""
_NEWS = 0.0001
"""m; smaller changes are not worth a file and a line in the log."""
_SPIN = 0.4
"""rad/s, above which a robot turns."""
_STRAIGHT = 0.25
"""Share of the difference of both treads' speeds, up to which it turns in place."""
_STEADY = 0.15
"""Share of the turn rate that it may have changed by since the state before: while it starts and
stops, speeds and rates are not of the same moment (spec 18)."""


class TrackLearner:
    """Compares the travel of the treads with what the gyroscope says of the turn."""

    def __init__(self) -> None:
        self._last: RobotState | None = None
        self._rate = 0.0
        self._forget()

    def update(
        self, state: RobotState, known: Measurement | None, *, is_free: bool
    ) -> Measurement | None:
        """Take a state; return the track that is better than the ``known`` one, if there is one.

        Nothing is learnt unless the robot ``is_free`` to turn as its treads do.
        """
        last, self._last = self._last, state
        before, self._rate = self._rate, 0.0
        traveled = None if last is None else state.traveled_since(last)
        if last is None or traveled is None or state.off_treads is not OffTreads.ON_TREADS:
            self._forget()
            return None
        if not is_free:
            return None
        elapsed = state.robot_time - last.robot_time
        self._rate = traveled[1] / elapsed if elapsed > 0.0 else 0.0
        is_steady = abs(self._rate - before) < _STEADY * abs(self._rate)
        if abs(self._rate) < _SPIN or not is_steady or not _turns_in_place(state):
            return None
        self._turned += abs(traveled[1])
        sides = sum(one.right_wheel_speed - one.left_wheel_speed for one in (last, state))
        self._difference += math.copysign(sides / 2 * elapsed, sides * traveled[1])
        if self._turned < _BATCH:
            return None
        track = self._difference / self._turned
        self._forget()
        return learnt(track, known)

    def _forget(self) -> None:
        self._turned = self._difference = 0.0
        """rad that it turned, and m by which one tread went farther than the other meanwhile."""


def _turns_in_place(state: RobotState) -> bool:
    difference = abs(state.right_wheel_speed - state.left_wheel_speed)
    return abs(state.right_wheel_speed + state.left_wheel_speed) < _STRAIGHT * difference


def learnt(track: float, known: Measurement | None) -> Measurement | None:
    """Return the track of a robot whose last turns had ``track``, m; None for nothing new.

    Impossible ones teach nothing.
    """
    before = known or _PRIOR
    least, most = MEASURED_BOUNDS["track_width"]
    if not least <= track <= most:
        return None
    variance = max(before.deviation, _LEAST) ** 2
    share = variance / (variance + _LESSON**2)
    change = max(-_MOST, min(_MOST, share * (track - before.value)))
    if abs(change) < _NEWS:
        return None
    value = before.value + change
    source = f"learnt in turns, {datetime.date.today():%Y-%m-%d}"
    return Measurement(value, max(_LEAST, _LESSON * math.sqrt(share)), source)
