"""Driving against something: the robot stops, and may then not drive on against it (spec 10 §7)."""

from __future__ import annotations

import math

from ..data import RobotState
from ..events.unexpected_movement import Side, UnexpectedMovement

BACKED_OFF = 0.020
"""After driving this far away from it the robot may drive towards it again, m ..."""
TURNED = 0.3
"""... or after turning this far, rad ..."""
GIVEN_UP = 1.0
"""... or when nobody asked it to for this time, s."""
_LONGEST_STEP = 0.3
_OPEN = {Side.FRONT: 1.0, Side.BACK: -1.0}
"""Sign of the speed that drives against what is there; turns are always possible."""


class BumpGuard:
    """Knows where something is in the way; times are those of the states, s."""

    def __init__(self, enabled: bool = True) -> None:
        """Stop the robot at what it pushes against if ``enabled``."""
        self.is_enabled = enabled
        self.pushing: UnexpectedMovement | None = None
        """What the robot pushes against now."""
        self.last: UnexpectedMovement | None = None
        """What it pushed against last in this session."""
        self.reset()

    def reset(self) -> None:
        """Forget everything: a new session, or the robot was lifted."""
        self.pushing = self.last = None
        self._side = Side.NONE
        self._way = self._turn = 0.0
        self._asked_at = -math.inf
        self._last_state: RobotState | None = None

    def enable(self, on: bool) -> None:
        """Stop at what the robot pushes against from now on, or do not."""
        self.is_enabled = on

    @property
    def side(self) -> Side:
        """Where the robot may not drive to, FRONT or BACK; NONE for anywhere."""
        return self._side if self.is_enabled else Side.NONE

    @property
    def is_present(self) -> bool:
        """Tell whether the robot pushes now, or may not drive against what is there."""
        return self.pushing is not None or self.side is not Side.NONE

    def forbids(self, linear: float, now: float) -> bool:
        """Tell whether a speed in m/s is against what is in the way; asking keeps it so."""
        forbidden = linear * _OPEN.get(self.side, 0.0) > 0.0
        if forbidden:
            self._asked_at = now
        return forbidden

    def update(self, state: RobotState, pushing: UnexpectedMovement | None) -> bool:
        """Take a state and what is pushed against; return whether that has just begun."""
        last, self._last_state = self._last_state, state
        has_begun = pushing is not None and pushing is not self.pushing
        self.pushing = pushing
        if state.is_off_ground:
            self._side = Side.NONE
        if has_begun:
            assert pushing is not None
            self.last, self._asked_at = pushing, state.time
            self._side = pushing.side if pushing.side in _OPEN else Side.NONE
            self._way = self._turn = 0.0
        elif last is not None and self._side is not Side.NONE:
            dt = min(max(state.robot_time - last.robot_time, 0.0), _LONGEST_STEP)
            speed = (state.left_wheel_speed + state.right_wheel_speed) / 2
            self._way -= speed * dt * _OPEN[self._side]
            self._turn += state.yaw_rate * dt
            given_up = state.time - self._asked_at > GIVEN_UP
            if self._way > BACKED_OFF or abs(self._turn) > TURNED or given_up:
                self._side = Side.NONE
        return has_begun
