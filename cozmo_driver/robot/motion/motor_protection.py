"""Motors that the robot's overload protection switched off (message 0xD8, spec 10 §3)."""

from __future__ import annotations

import logging

from ...protocol import messages
from ...protocol.enums import MotorID
from ..session import Session
from ..signal import Signal

_log = logging.getLogger(__name__)

WHEELS = (MotorID.LEFT_WHEEL, MotorID.RIGHT_WHEEL)


class MotorProtection:
    """Knows which motors are switched off; a motor stays blocked until the robot frees it."""

    def __init__(self, session: Session) -> None:
        """Listen to ``session``."""
        self.disabled: frozenset[MotorID] = frozenset()
        self.on_change: Signal[frozenset[MotorID]] = Signal()
        session.on(messages.MotorAutoEnabled, self._take)
        session.on_setup.connect(self._start_anew)

    def _start_anew(self, _: None) -> None:
        self.disabled = frozenset()

    def _take(self, message: messages.MotorAutoEnabled, _: float) -> None:
        try:
            motor = MotorID(message.motor_id)
        except ValueError:
            _log.warning("overload protection of an unknown motor %d", message.motor_id)
            return
        name = motor.name.lower().replace("_", " ")
        if message.enabled:
            self.disabled -= {motor}
            _log.info("the overload protection gave the %s motor free", name)
        else:
            self.disabled |= {motor}
            _log.warning("the overload protection switched the %s motor off", name)
        self.on_change.emit(self.disabled)
