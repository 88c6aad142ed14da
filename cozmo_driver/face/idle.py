"""The life of a face that has nothing to do: eye darts, blinks, glances (spec 04 §7).

All chance comes from the generator that is given, all time from the caller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from .blink import CLOSED_AT, DURATION, blink
from .look import look_at
from .parameters import Face, combine

Range = tuple[float, float]

LONGEST_WITHOUT_BLINK = 29.0
"""s; the screen needs one every 30 s, also where blinks are not wished (spec 04 §3)."""
_GAP = 5.0
"""s without a picture after which everything begins anew."""
_TURN_SEEN, _TURN_FULL = 0.2, 2.0
"""rad/s at which the eyes begin to lead into a turn, and at which they do so fully."""
_GLANCE = 10.0
"""px"""
_GLANCE_TIME = 0.12
"""s in which the eyes make up for about two thirds of what they have to move."""
_STILL = 0.25
"""px that are not worth a movement."""


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """What the eyes do by themselves; times in s, distances in px."""

    blinks: bool = True
    """False: none but those that protect the screen."""
    saccades: bool = True
    glances: bool = True
    rate: float = 1.0
    """How often they dart and blink, as a factor."""
    blink_pause: Range = (3.0, 4.0)
    dart_pause: Range = (0.25, 1.0)
    dart_time: Range = (0.05, 0.2)
    dart_distance: float = 6.0
    """Of each coordinate."""
    dart_radius: float = 5.0
    """From the middle."""


@dataclass(frozen=True, slots=True)
class _Dart:
    """Eyes on their way from one point to another."""

    begin: float
    end: float
    start: tuple[float, float] = (0.0, 0.0)
    target: tuple[float, float] = (0.0, 0.0)

    def at(self, now: float) -> tuple[float, float]:
        """Return where the eyes look."""
        if now >= self.end:
            return self.target
        rest = (self.end - now) / (self.end - self.begin)
        (x1, y1), (x2, y2) = self.start, self.target
        return x2 + (x1 - x2) * rest, y2 + (y1 - y2) * rest


class IdleLife:
    """Moves the eyes of any face; ``advance`` to the present first, then ``apply``."""

    def __init__(self, random: Random, options: IdleOptions, now: float) -> None:
        """Begin with eyes that look ahead."""
        # Each of its own, so that nothing depends on how often the face is looked at.
        self._dart_random = Random(random.getrandbits(64))
        self._blink_random = Random(random.getrandbits(64))
        self.options = options
        self.closings = 0
        """Blinks that were closed so far."""
        self._glance = self._glance_target = 0.0
        self._now = self._next_dart = self._blink = now
        self._is_closed = False
        self._eyes = _Dart(now, now)
        self._begin(now)

    def advance(self, now: float, yaw_rate: float = 0.0) -> None:
        """Do what was due until ``now``.

        ``yaw_rate`` in rad/s, to the robot's left positive, is how the robot turns; its left is
        the right of the picture.
        """
        if not 0.0 <= now - self._now <= _GAP:
            self._begin(now)
        self._follow_turn(now - self._now, yaw_rate)
        self._now = now
        while now >= self._next_dart:
            self._dart()
        while now >= self._blink + CLOSED_AT:
            if not self._is_closed:
                self._is_closed = True
                self.closings += 1
            if now < self._blink + DURATION:
                break
            self._plan_blink(self._blink + DURATION)

    def apply(self, face: Face, liveliness: float = 1.0) -> Face:
        """Return the face as it looks now; of a liveliness below 1 the eyes move less."""
        if liveliness <= 0.0:
            return face
        if self.options.saccades or self._glance:
            x, y = self._eyes.at(self._now) if self.options.saccades else (0.0, 0.0)
            face = combine(face, look_at(liveliness * (x + self._glance), liveliness * y))
        return blink(face, self._now - self._blink)

    def next_change(self) -> float:
        """Return when the face will not be as it is now, or now while it moves."""
        now, ends = self._now, self._blink + DURATION
        if self._glance != self._glance_target or self._blink <= now < ends:
            return now
        if not self.options.saccades:
            return self._blink
        return min(self._blink, now if now < self._eyes.end else self._next_dart)

    # -- inside

    def _begin(self, now: float) -> None:
        self._now = now
        self._eyes = _Dart(now, now)
        self._next_dart = now + self._pause(self._dart_random, self.options.dart_pause)
        self._plan_blink(now)

    def _pause(self, random: Random, limits: Range) -> float:
        return random.uniform(*limits) / self.options.rate

    def _plan_blink(self, after: float) -> None:
        pause = self._pause(self._blink_random, self.options.blink_pause)
        if not self.options.blinks:
            pause = LONGEST_WITHOUT_BLINK
        self._blink = after + min(pause, LONGEST_WITHOUT_BLINK)
        self._is_closed = False

    def _dart(self) -> None:
        begin, random, options = self._next_dart, self._dart_random, self.options
        x, y = (random.uniform(-options.dart_distance, options.dart_distance) for _ in range(2))
        scale = min(1.0, options.dart_radius / max(math.hypot(x, y), 1e-9))
        end = begin + random.uniform(*options.dart_time)
        self._eyes = _Dart(begin, end, self._eyes.at(begin), (x * scale, y * scale))
        self._next_dart = max(end, begin + self._pause(random, options.dart_pause))

    def _follow_turn(self, elapsed: float, yaw_rate: float) -> None:
        target = 0.0
        if self.options.glances and abs(yaw_rate) >= _TURN_SEEN:
            target = _GLANCE * min(max(yaw_rate / _TURN_FULL, -1.0), 1.0)
        self._glance_target = target
        self._glance += (target - self._glance) * -math.expm1(-elapsed / _GLANCE_TIME)
        if abs(target - self._glance) < _STILL:
            self._glance = target
