"""Guard Dog: turn the cubes over without waking the robot (spec 17 §5.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

DURATION = 120.0
"""s that it sleeps; half of it where nothing has moved for a while."""
PERIOD = 1 / 30
"""s between two samples of a cube's acceleration (spec 08 §5)."""
_QUIET_DURATION, _QUIET = 60.0, 20.0
_DEEP_SLEEP = 10.0
"""s of sleep before it can be woken up."""
_SMOOTHING, _LARGEST, _DECAY = 0.4, 5.0, 0.5
_IN_MOTION = 1.0
"""What is added at least in each period in which the radio says that the cube moves."""


@dataclass(frozen=True, slots=True)
class Level:
    """From which movement on it is startled, and from which it wakes up."""

    startled: float
    wakes: float


LEVELS = (Level(40.0, 80.0), Level(30.0, 60.0), Level(20.0, 40.0))
"""The first one is the app's (spec 17 §5.4)."""


class Effect(Enum):
    """What becomes of it."""

    STARTLED = "startled"
    FLIPPED = "flipped"
    BUSTED = "busted"
    OUTWITTED = "outwitted"
    GUARDED = "guarded"


ENDS = frozenset({Effect.BUSTED, Effect.OUTWITTED, Effect.GUARDED})


class MovementScore:
    """How much a cube moves, 0 to a cap: high-passed acceleration, less by a constant decay.

    The scale is a reading of the app's (spec 17 §0, "law ?"); counts are 1/32 g.
    """

    def __init__(self, cap: float) -> None:
        self.value = 0.0
        self._cap, self._before, self._filtered = cap, 32.0, 0.0

    def add(self, counts: float, is_moving: bool) -> None:
        """Take a sample: the length of the acceleration, and what the cube's radio says."""
        self._filtered = _SMOOTHING * (self._filtered + counts - self._before)
        self._before = counts
        added = min(_LARGEST, self._filtered**2)
        added = max(added, _IN_MOTION if is_moving else 0.0)
        self.value = min(self._cap, max(0.0, self.value + added - _DECAY))


class Watch:
    """The robot's sleep beside its cubes; times in s."""

    def __init__(self, cubes: Iterable[int], level: Level, now: float, duration: float) -> None:
        self.scores = {cube: MovementScore(level.wakes) for cube in cubes}
        self.startled: set[int] = set()
        self.flipped: set[int] = set()
        self._level, self._began_at, self._moved_at = level, now, now
        self._duration = duration

    @property
    def was_touched(self) -> bool:
        return bool(self.startled or self.flipped)

    def feel(self, cube: int, counts: float, is_moving: bool, now: float) -> list[Effect]:
        """Take a sample of a cube; return what it effects."""
        if cube in self.flipped:
            return []
        score = self.scores[cube]
        score.add(counts, is_moving)
        if score.value > 0.0:
            self._moved_at = now
        found = []
        if score.value > self._level.startled and cube not in self.startled:
            self.startled.add(cube)
            found.append(Effect.STARTLED)
        is_deep = now - self._began_at >= _DEEP_SLEEP
        if is_deep and (score.value >= self._level.wakes or len(self.startled) >= 3):
            found.append(Effect.BUSTED)
        return found

    def flip(self, cube: int) -> list[Effect]:
        """Take that a cube lies upside down: it is safe from now on."""
        if cube in self.flipped:
            return []
        self.flipped.add(cube)
        is_done = self.flipped == set(self.scores)
        return [Effect.FLIPPED, *([Effect.OUTWITTED] if is_done else [])]

    def pass_time(self, now: float) -> list[Effect]:
        slept, quiet = now - self._began_at, now - self._moved_at
        is_over = slept >= self._duration or (
            slept >= min(_QUIET_DURATION, self._duration) and quiet >= _QUIET
        )
        return [Effect.GUARDED] if is_over else []
