"""The end of a docking before its time: aborted until the robot is idle (spec 16 §2.6)."""

from __future__ import annotations

import asyncio
import math

from ...protocol import Message, messages
from ..data import RobotState
from ..motion.motion import Motion
from ..session import Session

_PERIOD = 0.2
"""s between two aborts, and from the acknowledgement on until a state counts as later than it."""


class Aborting:
    """Sends an abort again until the robot is idle: only in the approach it obeys at once."""

    def __init__(self, session: Session, motion: Motion) -> None:
        self._session, self._motion = session, motion
        self._last = 0
        """Ordinal of the last abort."""
        self._taken_at: float | None = None
        """Time of the first state since the robot has it; inf until then, None without an abort."""

    def begin(self) -> None:
        self._send(messages.AbortDocking(), messages.StopAllMotors())

    def end(self) -> None:
        """Leave the robot alone: it is idle, or another one."""
        self._taken_at = None

    def update(self, state: RobotState) -> None:
        """Send it again, if need be; to be called with every state."""
        if self._taken_at is None:
            return
        now = asyncio.get_running_loop().time()
        if not self._session.link.is_acknowledged(self._last):
            # A request that is on its way with it begins to dock only when they arrive.
            self._taken_at = math.inf
        elif self._taken_at == math.inf:
            self._taken_at = now
        elif now - self._taken_at >= _PERIOD:
            self.end()
            if state.is_docking:
                self._repeat()

    def _repeat(self) -> None:
        motion = self._motion
        parts = (motion.wheels, motion.joints.head, motion.joints.lift)
        is_held = any(part.claim_held for part in parts)
        self._send(messages.AbortDocking(), *(() if is_held else (messages.StopAllMotors(),)))

    def _send(self, *stops: Message) -> None:
        self._last = self._session.safety.stop(*stops)
        self._taken_at = math.inf
