"""Numbered motor actions: the robot acknowledges each when it has received it (spec 07 §6)."""

from __future__ import annotations

from ...protocol import messages
from ..session import Session

PATIENCE = 1.0
"""Time for the acknowledgement, s; much longer than a lossy link needs."""


class MotorActions:
    """One counter for head, lift and body."""

    def __init__(self, session: Session) -> None:
        """Listen to ``session``."""
        self._last = 0
        self._acknowledged: set[int] = set()
        session.on(messages.MotorActionAck, self._take)

    def next_id(self) -> int:
        """Return the next number, 1 to 255."""
        self._last = self._last % 255 + 1
        self._acknowledged.discard(self._last)
        return self._last

    def is_acknowledged(self, action_id: int) -> bool:
        """Tell whether the robot has taken this action up."""
        return action_id in self._acknowledged

    def _take(self, message: messages.MotorActionAck, _: float) -> None:
        self._acknowledged.add(message.action_id)
