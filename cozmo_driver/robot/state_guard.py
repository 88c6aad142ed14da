"""Which states of the robot are believed: possible ones, in the order of stamps (spec 10 §1).

The air is open: one forged or damaged state must not freeze or poison all that follow.
"""

from __future__ import annotations

import logging

from ..protocol import messages

_log = logging.getLogger(__name__)

_GREATEST = 1e6
"""Of any number of a state, in the units of the wire."""
_HIGHEST_VOLTAGE = 10.0
_LONGEST_STEP_MS = 10_000
"""Between two stamps; after so long a silence the link has ended."""
_PATIENCE = 30
"""States in a row, a second, after which it is the stamp before them that was wrong."""


class StateGuard:
    """Judges states one by one."""

    def __init__(self) -> None:
        """Begin before the first state."""
        self.refused = 0
        """States with impossible numbers."""
        self.reset()

    def reset(self) -> None:
        """Begin a session, in which the robot's clock begins anew."""
        self.last_stamp: int | None = None
        self._out_of_order = 0
        self._is_told = False

    def takes(self, message: messages.RobotState) -> bool:
        """Tell whether a state counts; ``last_stamp`` is then None where stamps begin anew."""
        if not _is_possible(message):
            self.refused += 1
            if not self._is_told:
                self._is_told = True
                _log.warning("the robot sent a state that cannot be; such states are left out")
            return False
        last = self.last_stamp
        if last is None or 0 < message.timestamp - last <= _LONGEST_STEP_MS:
            self._out_of_order = 0
            return True
        self._out_of_order += 1
        if self._out_of_order < _PATIENCE:
            return False
        _log.warning("the stamps of the robot's states jumped; they are counted from here")
        self._out_of_order = 0
        self.last_stamp = None
        return True


def _is_possible(message: messages.RobotState) -> bool:
    numbers = (
        *message.pose,
        *message.accel,
        *message.gyro,
        message.lwheel_speed_mmps,
        message.rwheel_speed_mmps,
        message.head_angle,
        message.lift_angle,
    )
    # NaN is not within any limits.
    return all(abs(n) < _GREATEST for n in numbers) and (
        0.0 <= message.battery_voltage < _HIGHEST_VOLTAGE
    )
