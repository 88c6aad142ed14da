"""How the body is tilted against the floor: little of the pitch that the robot reports is that.

That pitch is gravity's, as a sensor in the head feels it, less the head's angle. So there is much
else in it (spec 18):

* a zero that means nothing: two robots on tables report 0.107 and 0.0405 rad, and a head at another
  angle turns the sensor's errors with it;
* the slope of the floor, which changes with each turn, while what the camera sees of that floor
  does not;
* whatever else pushes the sensor: 0.06 rad while the head is thrown about, 0.004 as it drives.

What is left that cannot be mistaken: on the charger's contacts it is tilted as was measured; and
what the pitch of a robot that stands changes by, after all has come to rest, is its body's, by what
its lift does and carries. With the lift down it stands as it always does.
"""

from __future__ import annotations

import math

from .frames import CHARGER_TILT
from .pose_history import StampedState

_DRIVEN, _TURNED = 0.0005, 0.002
"""m and rad from state to state of treads that do not stand; the yaw wanders by 5e-5."""
_HEAD_STEP, _LIFT_STEP = 0.006, 0.012
"""rad from state to state: more than one step of their encoders."""
_SETTLES = 2.0
"""s until the pitch is what it remains: of a real robot a tenth of what is left goes with each
state."""
_HEAD_MOVED = 0.03
"""rad beyond which the sensor's errors are others."""
_LIFT_DOWN = math.radians(-7.0)
"""Of its arm; lower, no cube on it leaves the floor (spec 16 §6)."""
_LEAST, _MOST = 0.006, 0.15
"""rad; less is in the pitch of a robot that is not tilted at all, and one that is tilted by more
has climbed on something, or is handled."""
_LONGEST = 2.0
"""s between two states; after a longer pause all begins anew."""


class BodyTilt:
    """Follows the robot's states, in their order."""

    def __init__(self) -> None:
        self._last: StampedState | None = None
        self._tilt = 0.0
        """By what the lift does."""
        self._zero: float | None = None
        """Pitch that it would report here if it were not tilted; None until it has settled."""
        self._head = 0.0
        """Angle for which that holds."""
        self._quiet_since = -math.inf

    def update(self, now: StampedState) -> float:
        """Return the tilt at a state, rad, nose up; 0 where it is not known."""
        last, self._last = self._last, now
        if now.is_on_charger or now.pitch is None or not now.is_on_treads:
            self._last, self._tilt = None, 0.0
            return CHARGER_TILT if now.is_on_charger and now.is_on_treads else 0.0
        if last is None or not 0.0 < now.stamp - last.stamp < _LONGEST:
            self._tilt, self._zero, self._quiet_since = 0.0, None, now.stamp
            return 0.0
        has_driven = _has_driven(last, now)
        if has_driven:
            self._zero = None
            if now.lift < _LIFT_DOWN:
                self._tilt = 0.0
        if has_driven or _has_moved(last, now):
            self._quiet_since = now.stamp
        if now.stamp - self._quiet_since >= _SETTLES:
            self._on_settled(now.pitch, now.head)
        return self._tilt if abs(self._tilt) > _LEAST else 0.0

    def _on_settled(self, pitch: float, head: float) -> None:
        if self._zero is None or abs(head - self._head) > _HEAD_MOVED:
            self._zero, self._head = pitch - self._tilt, head
        self._tilt = min(max(pitch - self._zero, -_MOST), _MOST)


def _has_driven(last: StampedState, now: StampedState) -> bool:
    distance, turn = now.motion_since(last)
    return distance > _DRIVEN or abs(turn) > _TURNED


def _has_moved(last: StampedState, now: StampedState) -> bool:
    return abs(now.head - last.head) > _HEAD_STEP or abs(now.lift - last.lift) > _LIFT_STEP
