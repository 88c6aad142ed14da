"""Treads on the floor: grip, slip and what dead reckoning gets wrong (spec 13 §6, spec 14)."""

from __future__ import annotations

import math
from random import Random

from ..wheels import EFFECTIVE_TRACK

GRIP = 0.8 * 9806.0
"""mm/s^2 that the floor can give the robot; friction 0.8 (spec 13 §6)."""
GYRO_SCALE = 180.0 / 182.4
"""Turn that the robot reports for a true one (spec 14)."""
_TREAD_SPREAD = 0.004
"""Spread of what a tread's millimetre really is. An estimate."""
_SLIP = 0.02
"""Spread of a tread's speed from step to step, as a share of it. An estimate."""


class FloorTraction:
    """Lets the body follow the treads as far as the floor holds them."""

    def __init__(self, random: Random, noise: bool) -> None:
        """Without ``noise`` only the grip is limited and the reckoning is right."""
        self._random, self._noise = random, noise
        spread = _TREAD_SPREAD if noise else 0.0
        self._scales = (random.gauss(1.0, spread), random.gauss(1.0, spread))
        self._gyro = GYRO_SCALE if noise else 1.0
        self._speed = self._rate = 0.0

    @property
    def is_sliding(self) -> bool:
        """Whether the body moves."""
        return bool(self._speed or self._rate)

    def step(self, left: float, right: float, dt: float) -> tuple[float, float]:
        """Return way in mm and turn in rad for tread speeds in mm/s."""
        if self._noise:
            left *= self._scales[0] * (1.0 + self._random.gauss(0.0, _SLIP))
            right *= self._scales[1] * (1.0 + self._random.gauss(0.0, _SLIP))
        change = GRIP * dt
        self._speed = _towards((left + right) / 2, self._speed, change)
        turn_change = change / (EFFECTIVE_TRACK / 2)
        self._rate = _towards((right - left) / EFFECTIVE_TRACK, self._rate, turn_change)
        return self._speed * dt, self._rate * dt

    def felt_turn(self, turn: float) -> float:
        """Return what the gyro makes of a turn in rad."""
        return turn * self._gyro

    def rest(self) -> None:
        """Stand still at once."""
        self._speed = self._rate = 0.0


def _towards(wanted: float, value: float, change: float) -> float:
    return (
        wanted if abs(wanted - value) <= change else value + math.copysign(change, wanted - value)
    )
