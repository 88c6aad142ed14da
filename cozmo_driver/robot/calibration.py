"""Which motors know where they are (spec 07 §6)."""

from __future__ import annotations

from ..protocol import messages
from ..protocol.enums import MotorID


class Calibration:
    """Head and lift are calibrated anew in every session; until then their angles mean nothing."""

    def __init__(self) -> None:
        """Start uncalibrated."""
        self._done: set[int] = set()
        self._running: set[int] = set()

    def reset(self) -> None:
        """Forget everything: a new session begins."""
        self._done.clear()
        self._running.clear()

    def handle(self, message: messages.MotorCalibration, now: float) -> None:
        """Take the robot's word that a calibration began or ended; ``now`` in s."""
        if message.calib_started:
            self._done.discard(message.motor_id)
            self._running.add(message.motor_id)
        else:
            self._running.discard(message.motor_id)
            self._done.add(message.motor_id)

    def has(self, motor: MotorID) -> bool:
        """Tell whether this motor is calibrated."""
        return motor in self._done

    @property
    def is_complete(self) -> bool:
        """Tell whether head and lift are calibrated."""
        return {MotorID.HEAD, MotorID.LIFT} <= self._done

    @property
    def is_running(self) -> bool:
        """Tell whether a calibration that began has not ended; the robot fights commands then."""
        return bool(self._running)
