"""Slow correction of the turn rate by the gyro: treads slip as the floor is (spec 07 §3)."""

from __future__ import annotations

import math

LIMIT = 0.4
"""Largest correction, as a share of the commanded rate (spec 07 §3)."""
_PROPORTIONAL = 0.1
_INTEGRAL = 0.8
"""1/s; the error falls to a third in about 1.3 s."""
_LAG = 0.15
"""Time in which the treads follow a command, s."""
_SLOWEST = 0.2
"""Below this rate the gyro's noise says nothing about slip, rad/s."""
_LONGEST_STEP = 0.1


class YawTrim:
    """PI controller on the body's yaw rate; time is a parameter."""

    def __init__(self) -> None:
        """Start without a correction."""
        self.reset()

    def reset(self) -> None:
        """Forget what was learned: the floor may be another one."""
        self._integral = self._expected = 0.0
        self.factor = 1.0
        """What to multiply the commanded rate with, 0.6 to 1.4."""

    def update(self, commanded: float, measured: float, dt: float) -> float:
        """Take commanded and measured yaw rate in rad/s after ``dt`` s; return the new factor."""
        dt = min(max(dt, 0.0), _LONGEST_STEP)
        self._expected += (commanded - self._expected) * (1 - math.exp(-dt / _LAG))
        expected = self._expected
        if abs(expected) < _SLOWEST or expected * commanded <= 0.0:
            return self.factor
        error = (expected - measured) / expected
        if abs(commanded - expected) < 0.2 * abs(commanded):
            self._integral = _clamped(self._integral + _INTEGRAL * error * dt)
        self.factor = 1.0 + _clamped(self._integral + _PROPORTIONAL * error)
        return self.factor


def _clamped(value: float) -> float:
    return min(LIMIT, max(-LIMIT, value))
