"""Where the eyes look, how they blink, and what they do by themselves (spec 04 §6, §7).

All chance comes from the generator that is given, all time from the caller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from ..media.display_codec import HEIGHT, WIDTH
from .parameters import Eye, Face, combine, interpolate

MAX_X, MAX_Y = WIDTH / 2, HEIGHT / 2
"""px to the side and up or down at which the eyes change the most."""
_CONVERGENCE = 2.0
"""px by which each eye moves inwards when they look down."""


def look_at(
    x: float,
    y: float,
    *,
    max_x: float = MAX_X,
    max_y: float = MAX_Y,
    up: float = 1.1,
    down: float = 0.85,
    outer: float = 0.1,
) -> Face:
    """Return the layer for eyes that look ``x`` px to the right and ``y`` px down.

    ``up`` and ``down`` are the heights of the eyes at the most; the eye on the side looked at gets
    larger by ``outer``, the other one smaller.
    """
    height = down + (up - down) * min((max_y - y) / (2.0 * max_y), 1.0)
    change = outer * min(abs(x) / max_x, 1.0)
    left, right = (1.0 + change, 1.0 - change) if x < 0.0 else (1.0 - change, 1.0 + change)
    inwards = _CONVERGENCE * min(y / max_y, 1.0) if y > 0.0 else 0.0
    return Face(
        center_x=x,
        center_y=y,
        left_eye=Eye(center_x=inwards, scale_y=left * height),
        right_eye=Eye(center_x=-inwards, scale_y=right * height),
    )


@dataclass(frozen=True, slots=True)
class Step:
    """What the eyes are like at the end of a step: factors on height and width."""

    height: float
    width: float
    duration: float
    """s from the step before."""
    is_closed: bool = False
    """The eyes are lines at one height, without lids."""


STEPS = (
    Step(0.85, 1.05, 0.033),
    Step(0.60, 1.20, 0.033),
    Step(0.10, 2.50, 0.033),
    Step(0.05, 5.00, 0.033, is_closed=True),
    Step(0.15, 2.00, 0.033),
    Step(0.70, 1.20, 0.033),
    Step(0.90, 1.00, 0.100),
    Step(1.00, 1.00, 0.033),
)
_ENDS = tuple(accumulate(step.duration for step in STEPS))
DURATION = _ENDS[-1]
"""s"""
CLOSED_AT = next(end for end, step in zip(_ENDS, STEPS, strict=True) if step.is_closed)
"""s after its begin a blink is closed; the rows that are lit change places then (spec 04 §3)."""


def blink(face: Face, elapsed: float) -> Face:
    """Return a face that has been blinking for ``elapsed`` s; before and after, the face itself."""
    if not 0.0 < elapsed < DURATION:
        return face
    at = next(index for index, end in enumerate(_ENDS) if elapsed < end)
    before = _at_step(face, STEPS[at - 1]) if at else face
    rest = (_ENDS[at] - elapsed) / STEPS[at].duration
    return interpolate(before, _at_step(face, STEPS[at]), 1.0 - rest)


def _at_step(face: Face, step: Step) -> Face:
    left, right = face.left_eye, face.right_eye
    if step.is_closed:
        middle = (left.center_y + right.center_y) / 2.0
        left, right = (replace(eye.without_lids, center_y=middle) for eye in (left, right))
    return replace(face, left_eye=_squeezed(left, step), right_eye=_squeezed(right, step))


def _squeezed(eye: Eye, step: Step) -> Eye:
    return replace(eye, scale_x=eye.scale_x * step.width, scale_y=eye.scale_y * step.height)


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
