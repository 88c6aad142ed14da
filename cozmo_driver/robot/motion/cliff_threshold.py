"""From which reflectance on the robot takes the floor for a cliff (spec 10 §4)."""

from __future__ import annotations

from collections import deque
from statistics import pvariance

from ...protocol import messages
from ...protocol.enums import RobotStatusFlag
from ..data import OffTreads, RobotState
from ..session import Session

USUAL = 400
CAREFUL = 50
"""Before the robot has moved, and on the charger's platform: what may be under it is not known."""
SUSPICIOUS = 150
"""On a floor that looked like a cliff and was none."""
HIGHEST = 800
"""The floor itself reads about 880."""
_FIRST_WAY = 0.050
_PLATFORM = 0.096
"""Length of the charger's platform, m (spec 07 §8)."""
_SAMPLES = 100
_VARIANCE = 10_000.0
_RISE = 15
_WATCHED_AFTER_STOP = 1.0
_LONGEST_STEP = 0.3
_BACKWARDS = -0.005


class CliffThresholdSchedule:
    """The official app's rule for one session; pure, fed with every state."""

    def __init__(self) -> None:
        """Begin a session."""
        self._last: RobotState | None = None
        self._driven = 0.0
        self._is_suspicious = False
        self._is_on_platform = False
        self._left_behind = 0.0
        self._samples: deque[int] = deque(maxlen=_SAMPLES)
        self._is_stop_reported = False
        self._stopped_at = 0.0
        self._least: int | None = None
        """Least reading since the robot stopped itself; None when that is not of interest."""

    def stopped(self) -> None:
        """Take note that the robot has just stopped itself."""
        self._is_stop_reported = True

    def update(self, state: RobotState) -> int:
        """Take a state; return the threshold from now on."""
        last, self._last = self._last, state
        speed = (state.left_wheel_speed + state.right_wheel_speed) / 2
        elapsed = state.robot_time - last.robot_time if last else 0.0
        way = abs(speed) * min(max(elapsed, 0.0), _LONGEST_STEP)
        was_on_treads = last is None or last.off_treads is OffTreads.ON_TREADS
        is_on_treads = state.off_treads is OffTreads.ON_TREADS
        self._driven += way
        self._follow_platform(state, way)
        if was_on_treads is not is_on_treads:
            self._is_on_platform = False
            self._trust_the_floor()
        if is_on_treads:
            self._judge_floor(state, speed)
        if self._is_on_platform or self._driven < _FIRST_WAY:
            return CAREFUL
        return SUSPICIOUS if self._is_suspicious else USUAL

    def _trust_the_floor(self) -> None:
        self._driven = max(self._driven, _FIRST_WAY)
        self._is_suspicious = False

    def _follow_platform(self, state: RobotState, way: float) -> None:
        if state.has(RobotStatusFlag.IS_ON_CHARGER):
            self._is_on_platform, self._left_behind = True, 0.0
        elif self._is_on_platform:
            self._left_behind += way
            if self._left_behind >= _PLATFORM:
                self._is_on_platform = False
                self._trust_the_floor()

    def _judge_floor(self, state: RobotState, speed: float) -> None:
        """Distrust a floor of changing brightness that got brighter while the robot stopped."""
        raw = state.cliff_raw[0]
        self._samples.append(raw)
        if self._is_stop_reported:
            self._is_stop_reported = False
            self._stopped_at, self._least = state.robot_time, raw
        if self._least is None:
            return
        if speed < _BACKWARDS or state.robot_time - self._stopped_at > _WATCHED_AFTER_STOP:
            self._least = None
            return
        self._least = min(self._least, raw)
        if raw - self._least >= _RISE and pvariance(self._samples) > _VARIANCE:
            self._is_suspicious, self._least = True, None


class CliffThreshold:
    """Tells the robot the threshold, in every session anew."""

    def __init__(self, session: Session, level: int = 0) -> None:
        """Send through ``session``; ``level`` 0 is the schedule. Raises ``ValueError``."""
        self._safety = session.safety
        self._level = _checked(level)
        self._schedule = CliffThresholdSchedule()
        self.present = CAREFUL
        """Reflectance that the robot is to use."""
        session.on(messages.RobotStopped, lambda *_: self._schedule.stopped())
        session.on_setup.connect(self._start_anew)

    @property
    def level(self) -> int:
        """Reflectance set by the user, 0 for the schedule."""
        return self._level

    def set(self, level: int) -> None:
        """Use a threshold from 1 to 800, lower for darker floors, or 0 for the schedule.

        Raises ``ValueError``.
        """
        self._level = _checked(level)
        if level:
            self._tell(level)

    def take_state(self, state: RobotState) -> None:
        """Follow the schedule, whether it is used or not."""
        scheduled = self._schedule.update(state)
        self._tell(self._level or scheduled)

    def _start_anew(self, _: None) -> None:
        self._schedule = CliffThresholdSchedule()
        self._tell(self._level or CAREFUL)

    def _tell(self, level: int) -> None:
        self.present = level
        self._safety.set(messages.SetCliffDetectThreshold(level))


def _checked(level: int) -> int:
    if not 0 <= level <= HIGHEST:
        raise ValueError(f"the cliff threshold is from 1 to {HIGHEST}, or 0, not {level}")
    return level
