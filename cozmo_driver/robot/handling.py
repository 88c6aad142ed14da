"""How the robot is handled: lifted, laid down, shaken, put on a slope (spec 10 §5-7)."""

from __future__ import annotations

import math

from ..protocol import RobotStatusFlag
from .data import OffTreads, RobotState
from .events import RobotEvent
from .events import RobotEventType as Type


class LowPass:
    """Exponential average; the first value seeds it, values that are no numbers are ignored."""

    def __init__(self, share: float) -> None:
        self.value = math.nan
        """NaN before the first value."""
        self._share = share

    def reset(self) -> None:
        self.value = math.nan

    def update(self, value: float) -> float:
        if math.isfinite(value):
            known = value if math.isnan(self.value) else self.value
            self.value = known + self._share * (value - known)
        return self.value


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


def _is_driving(state: RobotState) -> bool:
    """Tell whether the robot drives on its treads: it shakes by itself then, and is not handled.

    How much it does above 33 mm/s is not known (spec 18); it may be more than gravity.
    """
    return state.are_wheels_moving and not state.is_off_ground


class OffTreadsClassifier:
    """Follows the states of the robot; a posture counts when it has lasted.

    Lifting and putting down count at once, a side or the face after 0.25 s, the back after 1 s.
    """

    def __init__(self) -> None:
        self.posture = OffTreads.ON_TREADS
        self._sideways = LowPass(0.1)
        self._candidate = self.posture
        self._since = 0

    def reset(self) -> None:
        """Keep the posture and forget what was about to become one: the robot's clock restarts."""
        self._sideways.reset()
        self._candidate = self.posture

    def update(self, state: RobotState, *, is_head_calibrated: bool) -> OffTreads:
        """Return the posture after a state.

        It is held while the head is not calibrated: until then the robot's pitch means nothing.
        """
        sideways = math.nan if _is_driving(state) else self._sideways.update(state.acceleration.y)
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


START = 16.0
GOES_ON = 13.0
"""Filtered magnitude of the acceleration, m/s^2."""
_SHAKEN = (5.0, "hard"), (2.5, "thoroughly"), (-math.inf, "softly")
"""For longer than this, s."""


class ShakeDetector:
    """Follows the magnitude of the acceleration."""

    def __init__(self) -> None:
        self._magnitude = LowPass(0.05)
        self.reset()

    def reset(self) -> None:
        self._magnitude.reset()
        self._started_at: float | None = None
        self._peak = 0.0

    def update(self, state: RobotState) -> RobotEvent | None:
        """Return the begin or end of a shake, with the greatest filtered acceleration."""
        if self._started_at is None and _is_driving(state):
            return None
        a = state.acceleration
        magnitude = self._magnitude.update(math.hypot(a.x, a.y, a.z))
        if self._started_at is None:
            if magnitude <= START:
                return None
            self._started_at, self._peak = state.robot_time, magnitude
            return RobotEvent(
                Type.SHAKEN_STARTED, "the robot is being shaken", acceleration=magnitude
            )
        self._peak = max(self._peak, magnitude)
        if magnitude >= GOES_ON:
            return None
        duration, self._started_at = state.robot_time - self._started_at, None
        how = next(word for least, word in _SHAKEN if duration > least)
        text = f"the robot was shaken {how} for {duration:.1f} s"
        return RobotEvent(Type.SHAKEN_STOPPED, text, duration=duration, acceleration=self._peak)


LEAST, MOST = math.radians(10.0), math.radians(55.0)
"""Pitch, nose up, rad."""
STILL_RATE = 0.01
STILL_TIME = 0.4
"""Largest rate about any axis in rad/s, and for how long, s."""
HANDLED_WITHIN = 1.5
"""A robot that was last lifted longer ago drove there by itself, s."""
REPEATED_WITHIN = 10.0


class SlopeDetector:
    """Reports a slope once each time the robot is put on one."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._still_since: float | None = None
        self._lifted_at = self._noticed_at = -math.inf
        self._is_reported = False

    def update(self, state: RobotState) -> RobotEvent | None:
        """Return that the robot was put on a slope; twice within 10 s the head may be off."""
        now, pitch, rate = state.robot_time, -state.pitch, state.angular_velocity
        if state.has(RobotStatusFlag.IS_PICKED_UP):
            self._lifted_at = now
        is_still = all(abs(value) < STILL_RATE for value in (rate.x, rate.y, rate.z))
        if not is_still or not LEAST < pitch < MOST:
            self._still_since, self._is_reported = None, False
            return None
        if self._still_since is None:
            self._still_since = now
        if (
            self._is_reported
            or now - self._still_since <= STILL_TIME
            or now - self._lifted_at >= HANDLED_WITHIN
            or state.off_treads not in (OffTreads.ON_TREADS, OffTreads.IN_AIR)
        ):
            return None
        is_repeated = now - self._noticed_at < REPEATED_WITHIN
        self._is_reported, self._noticed_at = True, now
        again = " again; is the head calibrated?" if is_repeated else ""
        text = f"the robot was put on a slope of {math.degrees(pitch):.0f} deg{again}"
        return RobotEvent(Type.PLACED_ON_SLOPE, text)
