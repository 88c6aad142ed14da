"""Keeps the camera's pictures neither dark nor bright: the robot does not (spec 03 §6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

DARKEST, BRIGHTEST = 100.0, 130.0
"""Mean gray values that are left alone."""
STEP = 1.15
LEAST_INTERVAL = 0.3
"""Between two changes, s: the next pictures still show the old exposure."""


@dataclass(frozen=True, slots=True)
class CameraLimits:
    """What the sensor can do; the values are those of every robot seen."""

    min_gain: float = 0.1
    max_gain: float = 3.984
    min_exposure_ms: int = 1
    max_exposure_ms: int = 66

    def clamped(self, exposure: Exposure) -> Exposure:
        """Return the nearest exposure within the limits."""
        return Exposure(
            min(max(exposure.gain, self.min_gain), self.max_gain),
            min(max(exposure.exposure_ms, self.min_exposure_ms), self.max_exposure_ms),
        )


@dataclass(frozen=True, slots=True)
class Exposure:
    """Amplification of the sensor and exposure time, ms."""

    gain: float = 2.0
    exposure_ms: int = 16


class AutoExposure:
    """Longer exposure first, then more gain; the other way round back.

    The exposure time comes in whole ms, which are large steps when it is short: the gain makes up
    for the rounding.
    """

    def __init__(self, start: Exposure, limits: CameraLimits) -> None:
        """Begin at ``start``; its gain is kept while the exposure time alone will do."""
        self._limits = limits
        start = limits.clamped(start)
        self._usual_gain = self._gain = start.gain
        self._time = float(start.exposure_ms)
        self._changed_at = -math.inf

    @property
    def exposure(self) -> Exposure:
        """What the camera shall be set to."""
        exposure_ms = math.ceil(self._time - 1e-9)
        gain = self._gain * self._time / exposure_ms
        return self._limits.clamped(Exposure(gain, exposure_ms))

    def update(self, mean: float, now: float) -> Exposure | None:
        """Take a picture's mean gray value at a time in s; return a change to be made."""
        if DARKEST <= mean <= BRIGHTEST or now - self._changed_at < LEAST_INTERVAL:
            return None
        before = self.exposure
        if mean < DARKEST:
            self._brighten()
        else:
            self._darken()
        if self.exposure == before:
            return None
        self._changed_at = now
        return self.exposure

    def _brighten(self) -> None:
        limits = self._limits
        if self._time < limits.max_exposure_ms:
            self._time = min(limits.max_exposure_ms, self._time * STEP)
        else:
            self._gain = min(limits.max_gain, self._gain * STEP)

    def _darken(self) -> None:
        limits = self._limits
        if self._gain > self._usual_gain:
            self._gain = max(self._usual_gain, self._gain / STEP)
        elif self._time > limits.min_exposure_ms:
            self._time = max(limits.min_exposure_ms, self._time / STEP)
        else:
            self._gain = max(limits.min_gain, self._gain / STEP)
