"""Keepaway: pull your cube away before the robot pounces on it (spec 17 §3.4)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import IntEnum

from .game_state import Side

POINTS, ROUNDS = 5, 3
WAIT_TIME = (1.0, 4.0)
"""s in reach before it pounces or pretends to."""
FACING = math.radians(5.0)
"""How far aside of its middle the robot pounces on a cube."""
FLINCH_TIME = 0.5
"""A cube that was moved in a fake and still moves so long afterwards was pulled away, s."""
CAUGHT_PITCH = math.radians(5.0)
"""By how much a cube under the lift tips the robot."""
CAUGHT_LIFT = (0.052, 0.070)
"""Where the lift stops on a cube, m; it misses down to 0.027 to 0.035."""
LOST_TIME = 1.0
"""A cube that was not seen for so long is lost, s."""
CREEP_AFTER, CREEP_PAUSE, CREEP = 4.5, (1.0, 3.5), (0.005, 0.030)
"""A cube out of reach that lay still so long, s, is crept up to: every s, by m."""
STILL = 0.004
"""m that a cube moves which lies still."""
HAND_TIME, MOST_HANDS = 10.0, 3
"""s of a hand in which the cube is not brought near, and after how many it gives up."""
FRONT, HALF_CUBE = 0.020, 0.022
"""From the drive center to the front wheels, and from a cube's middle to its edge, m."""
_FAKE_MORE = 0.15
_MOST_FAKES = 2
LEVELS = (0.6, 0.4, 0.2)
"""Chance to pounce at once: the less it is the more it pretends to, and the more people flinch.
Own numbers: with 0.5 to 0.3 (spec 17 §3.4) the levels can hardly be told apart."""


class Zone(IntEnum):
    """Where the cube is: from the front wheels to its edge."""

    OUT = 0
    IN_PLAY = 1
    REACH = 2
    CLOSE = 3


_LIMITS = {Zone.CLOSE: 0.043, Zone.REACH: 0.068, Zone.IN_PLAY: 0.118}
_HYSTERESIS = {Zone.CLOSE: 0.005, Zone.REACH: 0.005, Zone.IN_PLAY: 0.020}


@dataclass(slots=True)
class Zones:
    """Tells the zone of a cube; it leaves one a little farther out than it came in."""

    zone: Zone = Zone.OUT

    def update(self, distance: float) -> Zone:
        """Take the distance from the front wheels to the cube's edge, m."""
        self.zone = next(
            (
                zone
                for zone, limit in _LIMITS.items()
                if distance <= limit + (_HYSTERESIS[zone] if self.zone >= zone else 0.0)
            ),
            Zone.OUT,
        )
        return self.zone


class Nerve:
    """Decides when it pounces and when it only pretends to."""

    def __init__(self, rng: random.Random, chance: float) -> None:
        self._rng, self._chance = rng, chance
        self._fakes = 0

    def pounces(self) -> bool:
        """Return whether to pounce now; the surer the more it has pretended to."""
        is_sure = self._fakes >= _MOST_FAKES
        if is_sure or self._rng.random() < self._chance + _FAKE_MORE * self._fakes:
            self._fakes = 0
            return True
        self._fakes += 1
        return False

    def wait_time(self) -> float:
        return self._rng.uniform(*WAIT_TIME)


@dataclass(slots=True)
class Pounce:
    """Judges a pounce by what the robot feels: pitch in rad, the lift in m."""

    pitch: float
    """Before it."""
    _most: float = 0.0
    _lift: float = math.nan

    def feel(self, pitch: float, lift: float) -> None:
        self._most = max(self._most, abs(pitch - self.pitch))
        self._lift = lift

    @property
    def winner(self) -> Side:
        low, high = CAUGHT_LIFT
        is_caught = self._most > CAUGHT_PITCH or low <= self._lift <= high
        return Side.ROBOT if is_caught else Side.PLAYER
