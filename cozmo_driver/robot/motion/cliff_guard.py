"""The edge of the table: the robot stops by itself, and may then not drive on (spec 10 §3-4)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from ...protocol import messages
from ...protocol.enums import RobotStatusFlag
from ..data import RobotState
from ..session import Session
from ..signal import Signal

BACKED_OFF = 0.060
"""After reversing this far the robot may drive forward again, m."""
_LONGEST_STEP = 0.3
_EVENT_DELAY = 2.0
"""A CliffEvent within this time after the stop tells of the same edge, s."""


class CliffGuard:
    """Knows whether there is ground under the front and whether the robot may drive forward."""

    def __init__(self, session: Session, enabled: bool) -> None:
        """Let the robot stop at edges in every session if ``enabled``."""
        self.is_enabled = enabled
        self.is_detected = False
        """The robot sees no ground; also while it is held in the air."""
        self.on_stop: Signal[None] = Signal()
        """The robot stopped itself, or sees an edge while it shall stop at one."""
        self._safety = session.safety
        self._suspensions = 0
        self._is_forward_blocked = False
        self._reversed = 0.0
        self._last_time = 0.0
        self._stopped_at = -math.inf
        session.on(messages.RobotStopped, self._take_stop)
        session.on(messages.CliffEvent, self._take_event)
        session.on_setup.connect(self._set_up)
        self._apply()

    def enable(self, on: bool) -> None:
        """Let the robot stop by itself at an edge, now and in later sessions."""
        self.is_enabled = on
        self._apply()

    @property
    def is_active(self) -> bool:
        """Tell whether edges stop the robot now."""
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

    def take_state(self, state: RobotState) -> None:
        """Follow the sensor and how far the robot backed off."""
        dt = min(max(state.robot_time - self._last_time, 0.0), _LONGEST_STEP)
        self._last_time = state.robot_time
        detected = state.has(RobotStatusFlag.CLIFF_DETECTED)
        if detected != self.is_detected:
            self.is_detected = detected
            self._block(detected)
        if self._is_forward_blocked:
            self._reversed -= (state.left_wheel_speed + state.right_wheel_speed) / 2 * dt
            if self._reversed >= BACKED_OFF:
                self._block(False)

    def _block(self, blocked: bool) -> None:
        self._is_forward_blocked = blocked
        self._reversed = 0.0

    def _set_up(self, _: None) -> None:
        self.is_detected = False
        self._block(False)

    def _apply(self) -> None:
        self._safety.set(messages.EnableStopOnCliff(self.is_active))

    def _take_stop(self, _: messages.RobotStopped, now: float) -> None:
        self._stopped_at = now
        self._block(True)
        self.on_stop.emit(None)

    def _take_event(self, message: messages.CliffEvent, now: float) -> None:
        if not message.detected_flags:
            self._block(False)
        elif now - self._stopped_at > _EVENT_DELAY:
            self._block(True)
            if message.did_stop_for_cliff:
                self.on_stop.emit(None)
