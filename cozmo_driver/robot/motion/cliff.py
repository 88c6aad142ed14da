"""The edge of the table: the robot stops by itself, and may then not drive on (spec 10 §3-4)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import pvariance

from ...protocol import RobotStatusFlag, messages
from ..data import OffTreads, RobotState
from ..errors import check_range
from ..session import Session
from ..signal import Signal

BACKED_OFF = 0.060
"""After reversing this far the robot may drive forward again, m."""
_TURNED_AWAY = math.radians(20.0)
"""After turning this far over floor the robot may drive forward, though it reports the edge still:
its sensor, 25 mm ahead of what it turns about, went on by more than it sees."""
_WENT_ON = 0.002
"""m forward from where it saw an edge: that much no turn in place goes by what treads jitter by, or
report while they stop (spec 18)."""
_LONGEST_STEP = 0.3
_EVENT_DELAY = 2.0
"""A CliffEvent within this time after the stop reports the same edge, s."""


class CliffGuard:
    """Knows whether there is ground under the front and whether the robot may drive forward."""

    def __init__(self, session: Session, threshold: CliffThreshold, enabled: bool) -> None:
        self.is_enabled = enabled
        self.is_detected = False
        """The robot sees no ground; also while it is held in the air.

        Not all the time that it reports an edge: it does so on until the floor is half as bright
        again as the threshold.
        """
        self.on_stop: Signal[bool] = Signal()
        """The robot stopped itself at an edge (False), or is to be stopped at one (True)."""
        self._safety, self._threshold = session.safety, threshold
        self._suspensions = 0
        self._is_forward_blocked = False
        self._reversed = 0.0
        """m since forward was blocked."""
        self._turned = 0.0
        """rad since then, and since the robot last saw the edge."""
        self._is_stop_due = False
        """The robot does not stop itself at the edge that it sees: it did not drive forward when it
        met it, or reports the one before.
        """
        self._last: RobotState | None = None
        self._stopped_at = -math.inf
        session.on(messages.RobotStopped, self._on_stop)
        session.on(messages.CliffEvent, self._on_cliff_event)
        session.on_setup.connect(self._on_setup)
        self._apply()

    def enable(self, on: bool) -> None:
        """Let the robot stop by itself at an edge, now and in later sessions (spec 10 §4)."""
        self.is_enabled = on
        self._apply()

    @property
    def is_active(self) -> bool:
        return self.is_enabled and not self._suspensions

    @property
    def is_forward_forbidden(self) -> bool:
        """Tell whether driving forward would mean driving over the edge."""
        return self.is_active and self._is_forward_blocked

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Ignore edges for a while: the charger's platform ends in one (spec 14)."""
        self._suspensions += 1
        self._apply()
        try:
            yield
        finally:
            self._suspensions -= 1
            self._apply()

    def update(self, state: RobotState) -> None:
        last, self._last = self._last, state
        was_detected, is_reported = self.is_detected, state.is_cliff_detected
        self.is_detected = self._threshold.is_edge(state)
        speed = state.speed
        if last is None or (last.is_off_ground and not state.is_off_ground):
            self._block(self.is_detected)
            return
        if is_reported != last.is_cliff_detected:
            self._block(is_reported)
        elif self.is_detected and not was_detected:
            self._block(True)
            self._is_stop_due = True
        if self._is_forward_blocked:
            dt = min(max(state.robot_time - last.robot_time, 0.0), _LONGEST_STEP)
            self._reversed -= speed * dt
            _, turn = state.traveled_since(last) or (0.0, 0.0)
            self._turned = 0.0 if self.is_detected else self._turned + turn
            if self._reversed >= BACKED_OFF or abs(self._turned) >= _TURNED_AWAY:
                self._block(False)
        is_seen = self._is_stop_due and self.is_detected and self.is_active
        if is_seen and self._reversed <= -_WENT_ON:
            self._is_stop_due = False
            self.on_stop.emit(True)

    def _block(self, blocked: bool) -> None:
        self._is_forward_blocked = blocked
        self._is_stop_due &= blocked
        self._reversed = self._turned = 0.0

    def _on_setup(self, _: None) -> None:
        self._last, self.is_detected = None, False
        self._block(False)

    def _apply(self) -> None:
        self._safety.set(messages.EnableStopOnCliff(self.is_active))

    def _on_stop(self, _: messages.RobotStopped, now: float) -> None:
        self._stopped_at, self._is_stop_due = now, False
        self._block(True)
        self.on_stop.emit(False)

    def _on_cliff_event(self, message: messages.CliffEvent, now: float) -> None:
        if not message.detected_flags:
            self._block(False)
        elif now - self._stopped_at > _EVENT_DELAY:
            self._block(True)
            self._is_stop_due = not message.did_stop_for_cliff
            if message.did_stop_for_cliff:
                self.on_stop.emit(False)


USUAL = 400
CAREFUL = 50
"""Before the robot has moved, and on the charger's platform: what may be under it is not known."""
SUSPICIOUS = 150
"""On a floor that looked like a cliff and was none."""
HIGHEST = 800
"""The floor itself reads about 880."""
_FIRST_DISTANCE = 0.050
_PLATFORM = 0.096
"""Length of the charger's platform, m (spec 07 §8)."""
_SAMPLES = 100
_VARIANCE = 10_000.0
_RISE = 15
_WATCHED_AFTER_STOP = 1.0
_BACKWARDS = -0.005


class CliffThresholdSchedule:
    """The official app's rule for one session; pure, fed with every state."""

    def __init__(self) -> None:
        self._last: RobotState | None = None
        self._driven = 0.0
        self._is_suspicious = False
        self._is_on_platform = False
        self._left_behind = 0.0
        self._samples: deque[int] = deque(maxlen=_SAMPLES)
        self._stopped_at = 0.0
        self._least: int | None = None
        """Least reading since the robot was stopped; None when that is not of interest."""

    def stopped(self) -> None:
        """Tell that the robot stopped at an edge, or was stopped at that of the latest state."""
        if self._last is not None:
            self._stopped_at, self._least = self._last.robot_time, self._last.cliff_raw[0]

    def update(self, state: RobotState) -> int:
        """Return the threshold after a state."""
        last, self._last = self._last, state
        speed = state.speed
        elapsed = state.robot_time - last.robot_time if last else 0.0
        distance = abs(speed) * min(max(elapsed, 0.0), _LONGEST_STEP)
        was_on_treads = last is None or last.off_treads is OffTreads.ON_TREADS
        is_on_treads = state.off_treads is OffTreads.ON_TREADS
        self._driven += distance
        self._follow_platform(state, distance)
        if was_on_treads is not is_on_treads:
            self._is_on_platform = False
            self._trust_the_floor()
        if is_on_treads:
            self._judge_floor(state, speed)
        if self._is_on_platform or self._driven < _FIRST_DISTANCE:
            return CAREFUL
        return SUSPICIOUS if self._is_suspicious else USUAL

    def _trust_the_floor(self) -> None:
        self._driven = max(self._driven, _FIRST_DISTANCE)
        self._is_suspicious = False

    def _follow_platform(self, state: RobotState, distance: float) -> None:
        if state.has(RobotStatusFlag.IS_ON_CHARGER):
            self._is_on_platform, self._left_behind = True, 0.0
        elif self._is_on_platform:
            self._left_behind += distance
            if self._left_behind >= _PLATFORM:
                self._is_on_platform = False
                self._trust_the_floor()

    def _judge_floor(self, state: RobotState, speed: float) -> None:
        """Distrust a floor of changing brightness that got brighter while the robot stopped."""
        raw = state.cliff_raw[0]
        self._samples.append(raw)
        if self._least is None:
            return
        if speed < _BACKWARDS or state.robot_time - self._stopped_at > _WATCHED_AFTER_STOP:
            self._least = None
            return
        self._least = min(self._least, raw)
        if raw - self._least >= _RISE and pvariance(self._samples) > _VARIANCE:
            self._is_suspicious, self._least = True, None


class CliffThreshold:
    """Sends the threshold to the robot, in every session."""

    def __init__(self, session: Session, level: int = 0) -> None:
        """Send through ``session``; ``level`` 0 is the schedule. Raises ``ValueError``."""
        self._safety = session.safety
        check_range("the cliff threshold", level, 0, HIGHEST)
        self._level = level
        self._schedule = CliffThresholdSchedule()
        self.current = CAREFUL
        """Reflectance that the robot is to use."""
        session.on_setup.connect(self._on_setup)

    def set(self, level: int) -> None:
        """Use a threshold from 1 to 800, lower for darker floors, or 0 for the schedule.

        Raises ``ValueError``.
        """
        check_range("the cliff threshold", level, 0, HIGHEST)
        self._level = level
        if level:
            self._send(level)

    def is_edge(self, state: RobotState) -> bool:
        """Whether the robot reports an edge and sees one now: on a dark floor it goes on to."""
        return state.is_cliff_detected and state.cliff_raw[0] < self.current

    def stopped(self) -> None:
        """Let the schedule judge the floor that the robot was stopped on."""
        self._schedule.stopped()

    def update(self, state: RobotState) -> None:
        """Follow the schedule, whether it is used or not."""
        scheduled = self._schedule.update(state)
        level = self._level or scheduled
        if level != self.current:
            self._send(level)

    def _on_setup(self, _: None) -> None:
        self._schedule = CliffThresholdSchedule()
        self._send(self._level or CAREFUL)

    def _send(self, level: int) -> None:
        self.current = level
        self._safety.set(messages.SetCliffDetectThreshold(level))
