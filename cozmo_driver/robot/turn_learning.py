"""How far a robot turns for each rad that it reports, from contacts to contacts of its charger."""

from __future__ import annotations

import datetime
import math

from ..robot_bounds import MEASURED_BOUNDS
from .calibration import Measurement
from .data import OffTreads, RobotState

_PRIOR = Measurement(1.0, 0.02, "")
"""Of robots that nothing is known of: one turned 1.013 times as far as it reported (spec 14)."""
_ASKEW = 0.03
"""Standard deviation, rad, of how a docked robot stands against how it stood there before: between
the rails it has about 2 degrees of play."""
_LEAST = 0.001
"""Of a scale's deviation: a gyroscope's changes with the years, and learning is to go on."""
_DEVIATIONS = 3.0
"""As far from what is known a scale counts: farther, the charger was moved."""
_LONGEST_GAP = 0.3
"""s between two states; at the fastest turn, 5.2 rad/s, a gap of 0.6 s may be half a turn."""


class TurnScaleLearner:
    """From contacts to contacts the robot has turned by whole turns, whatever it reports.

    Only where it stayed on its treads in one coordinate system. A charger that was moved meanwhile
    is noticed where it was turned by much.
    """

    def __init__(self) -> None:
        self._last: RobotState | None = None
        self._turned = math.nan
        """rad, as reported, since it stood on the charger; NaN where it was carried since."""
        self._is_docked = False

    def update(self, state: RobotState, known: Measurement | None) -> Measurement | None:
        """Take a state; return the scale that is better than the ``known`` one, if there is one."""
        last, self._last = self._last, state
        traveled = None if last is None else state.traveled_since(last)
        gap = 0.0 if last is None else state.robot_time - last.robot_time
        is_on_treads = state.off_treads is OffTreads.ON_TREADS
        if traveled is None or gap > _LONGEST_GAP or not is_on_treads:
            self._turned = math.nan
        else:
            self._turned += traveled[1]
        was_docked = self._is_docked
        if not state.is_on_charger:
            self._is_docked = False
        elif not (state.are_wheels_moving or state.is_off_ground):
            turned, self._turned, self._is_docked = self._turned, 0.0, True
            if not was_docked:
                return learnt(turned, known)
        return None


def learnt(turned: float, known: Measurement | None) -> Measurement | None:
    """Return the scale of a robot that reports to have ``turned``, rad, by whole turns."""
    if math.isnan(turned):
        return None
    before = known or _PRIOR
    turns = round(turned * before.value / (2 * math.pi))
    # After too many turns the scale is not known well enough to tell how many they were.
    if not turns or _DEVIATIONS * before.deviation * abs(turned) > math.pi:
        return None
    scale, deviation = 2 * math.pi * turns / turned, _ASKEW / abs(turned)
    least, most = MEASURED_BOUNDS["turn_scale"]
    off = abs(scale - before.value) / math.hypot(deviation, before.deviation)
    if not least <= scale <= most or off > _DEVIATIONS:
        return None
    share = before.deviation**2 / (before.deviation**2 + deviation**2)
    value = before.value + share * (scale - before.value)
    left = max(_LEAST, deviation * math.sqrt(share))
    return Measurement(value, left, f"learnt from the charger, {datetime.date.today():%Y-%m-%d}")
