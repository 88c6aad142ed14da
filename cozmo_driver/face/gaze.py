"""Where the eyes look, how they blink, and what they do by themselves (spec 04 §6, §7).

All chance comes from the generator that is given, all time, in s, from the caller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from ..media import DISPLAY_HEIGHT, DISPLAY_WIDTH
from .parameters import Eye, Face, combine, interpolate

# -- gaze

MAX_X, MAX_Y = DISPLAY_WIDTH / 2, DISPLAY_HEIGHT / 2
"""px to the side and up or down at which the eyes change the most."""
_CONVERGENCE = 2.0
"""px by which each eye moves inwards when they look down."""
_HEIGHT_UP, _HEIGHT_DOWN = 1.1, 0.85
"""Heights of the eyes at the most, as factors."""
_OUTER = 0.1
"""By how much the eye on the side looked at gets larger, and the other one smaller."""


def look_at(x: float, y: float) -> Face:
    """Return the layer for eyes that look ``x`` px to the right and ``y`` px down."""
    share = min((MAX_Y - y) / (2.0 * MAX_Y), 1.0)
    height = _HEIGHT_DOWN + (_HEIGHT_UP - _HEIGHT_DOWN) * share
    change = _OUTER * min(abs(x) / MAX_X, 1.0)
    left, right = (1.0 + change, 1.0 - change) if x < 0.0 else (1.0 - change, 1.0 + change)
    inwards = _CONVERGENCE * min(y / MAX_Y, 1.0) if y > 0.0 else 0.0
    return Face(
        center_x=x,
        center_y=y,
        left_eye=Eye(center_x=inwards, scale_y=left * height),
        right_eye=Eye(center_x=-inwards, scale_y=right * height),
    )


def towards(u: float, v: float) -> tuple[float, float]:
    """Return where the eyes look for a place in the camera's image: px to the right and down.

    ``u`` and ``v`` are from -1, left and above, to 1. The robot's left is the display's right.
    """
    return -_SIDEWAYS * min(1.0, max(-1.0, u)), _UP * min(1.0, max(-1.0, v))


# -- blinks


@dataclass(frozen=True, slots=True)
class BlinkStep:
    """What the eyes are like at the end of a step: factors on height and width."""

    height: float
    width: float
    duration: float
    """s from the step before."""
    is_closed: bool = False
    """The eyes are lines at one height, without lids."""


BLINK_STEPS = (
    BlinkStep(0.85, 1.05, 0.033),
    BlinkStep(0.60, 1.20, 0.033),
    BlinkStep(0.10, 2.50, 0.033),
    BlinkStep(0.05, 5.00, 0.033, is_closed=True),
    BlinkStep(0.15, 2.00, 0.033),
    BlinkStep(0.70, 1.20, 0.033),
    BlinkStep(0.90, 1.00, 0.100),
    BlinkStep(1.00, 1.00, 0.033),
)
_ENDS = tuple(accumulate(step.duration for step in BLINK_STEPS))
BLINK_DURATION = _ENDS[-1]
"""s"""


def blink(face: Face, elapsed: float) -> Face:
    """Return a face that has been blinking for ``elapsed`` s; before and after, the face itself."""
    if not 0.0 < elapsed < BLINK_DURATION:
        return face
    at = next(index for index, end in enumerate(_ENDS) if elapsed < end)
    before = _at_step(face, BLINK_STEPS[at - 1]) if at else face
    rest = (_ENDS[at] - elapsed) / BLINK_STEPS[at].duration
    return interpolate(before, _at_step(face, BLINK_STEPS[at]), 1.0 - rest)


def _at_step(face: Face, step: BlinkStep) -> Face:
    left, right = face.left_eye, face.right_eye
    if step.is_closed:
        middle = (left.center_y + right.center_y) / 2.0
        left, right = (replace(eye.without_lids, center_y=middle) for eye in (left, right))
    return replace(face, left_eye=_squeezed(left, step), right_eye=_squeezed(right, step))


def _squeezed(eye: Eye, step: BlinkStep) -> Eye:
    return replace(eye, scale_x=eye.scale_x * step.width, scale_y=eye.scale_y * step.height)


# -- idle motion

LONGEST_WITHOUT_BLINK = 29.0
"""s; the screen needs one every 30 s, also where blinks are off (spec 04 §3)."""
_BLINK_PAUSE = (3.0, 4.0)
_SACCADE_PAUSE, _SACCADE_TIME = (0.25, 1.0), (0.05, 0.2)
"""s"""
_SACCADE_DISTANCE, _SACCADE_RADIUS = 6.0, 5.0
"""px, of each coordinate, and from the middle."""
_ATTENTION, _ATTENTION_TIME = 1.0, 0.05
"""s for which the eyes rest on what drew them, and in which they get there."""
_WORTH = 1.5
"""px from which the eyes follow what they rest on."""
_SIDEWAYS, _UP = 14.0, 8.0
"""px for what is at the edge of the camera's image: its angle is seen by the eyes' place."""
_GAP = 5.0
"""s without a picture after which everything is reset."""
_TURN_SEEN, _TURN_FULL = 0.2, 2.0
"""rad/s at which the eyes start to lead into a turn, and at which they do so fully."""
_GLANCE = 10.0
"""px"""
_GLANCE_TIME = 0.12
"""s in which the eyes make up for about two thirds of what they have to move."""
_STILL = 0.25
"""px that are not worth a movement."""


@dataclass(frozen=True, slots=True)
class IdleOptions:
    """What the eyes do by themselves."""

    blinks: bool = True
    """False: none but those that protect the screen."""
    saccades: bool = True
    glances: bool = True
    rate: float = 1.0
    """How often they dart and blink, as a factor."""


@dataclass(frozen=True, slots=True)
class _Saccade:
    start_time: float
    end_time: float
    start: tuple[float, float] = (0.0, 0.0)
    target: tuple[float, float] = (0.0, 0.0)

    def at(self, now: float) -> tuple[float, float]:
        if now >= self.end_time:
            return self.target
        rest = (self.end_time - now) / (self.end_time - self.start_time)
        (x1, y1), (x2, y2) = self.start, self.target
        return x2 + (x1 - x2) * rest, y2 + (y1 - y2) * rest


class IdleMotion:
    """Moves the eyes of any face; ``update`` first, then ``apply``."""

    def __init__(self, random: Random, options: IdleOptions, now: float) -> None:
        # Each of its own, so that nothing depends on how often the face is looked at.
        self._saccade_random = Random(random.getrandbits(64))
        self._blink_random = Random(random.getrandbits(64))
        self.options = options
        self._glance = self._glance_target = 0.0
        self._attends_until = -math.inf
        self._now = self._next_saccade = self._blink = now
        self._saccade = _Saccade(now, now)
        self._reset(now)

    def attend(self, x: float, y: float, now: float) -> None:
        """Dart to a place and rest there for a moment: px to the right and down."""
        if not 0.0 <= now - self._now <= _GAP:
            self._reset(now)
        self._next_saccade = self._attends_until = now + _ATTENTION
        if math.dist(self._saccade.target, (x, y)) >= _WORTH:
            end = now + _ATTENTION_TIME
            self._saccade = _Saccade(now, end, self._saccade.at(now), (x, y))

    def update(self, now: float, yaw_rate: float = 0.0) -> None:
        """Do what was due until ``now``.

        ``yaw_rate`` in rad/s, to the robot's left positive, is how the robot turns; its left is
        the right of the picture.
        """
        if not 0.0 <= now - self._now <= _GAP:
            self._reset(now)
        self._follow_turn(now - self._now, yaw_rate)
        self._now = now
        while now >= self._next_saccade:
            self._start_saccade()
        while now >= self._blink + BLINK_DURATION:
            self._plan_blink(self._blink + BLINK_DURATION)

    def apply(self, face: Face, liveliness: float = 1.0) -> Face:
        """Return the face as it looks now; of a liveliness below 1 the eyes move less."""
        if liveliness <= 0.0:
            return face
        looks = self.options.saccades or self._now < self._attends_until
        if looks or self._glance:
            x, y = self._saccade.at(self._now) if looks else (0.0, 0.0)
            face = combine(face, look_at(liveliness * (x + self._glance), liveliness * y))
        return blink(face, self._now - self._blink)

    def next_change(self) -> float:
        """Return when the face will not be as it is now, or now while it moves."""
        now, ends = self._now, self._blink + BLINK_DURATION
        if self._glance != self._glance_target or self._blink <= now < ends:
            return now
        if not self.options.saccades and now >= self._attends_until:
            return self._blink
        return min(self._blink, now if now < self._saccade.end_time else self._next_saccade)

    def _reset(self, now: float) -> None:
        self._now = now
        self._saccade = _Saccade(now, now)
        pause = self._saccade_random.uniform(*_SACCADE_PAUSE) / self.options.rate
        self._next_saccade = now + pause
        self._plan_blink(now)

    def _plan_blink(self, after: float) -> None:
        pause = self._blink_random.uniform(*_BLINK_PAUSE) / self.options.rate
        if not self.options.blinks:
            pause = LONGEST_WITHOUT_BLINK
        self._blink = after + min(pause, LONGEST_WITHOUT_BLINK)

    def _start_saccade(self) -> None:
        start, random = self._next_saccade, self._saccade_random
        x, y = (random.uniform(-_SACCADE_DISTANCE, _SACCADE_DISTANCE) for _ in range(2))
        scale = min(1.0, _SACCADE_RADIUS / max(math.hypot(x, y), 1e-9))
        end = start + random.uniform(*_SACCADE_TIME)
        self._saccade = _Saccade(start, end, self._saccade.at(start), (x * scale, y * scale))
        pause = random.uniform(*_SACCADE_PAUSE) / self.options.rate
        self._next_saccade = max(end, start + pause)

    def _follow_turn(self, elapsed: float, yaw_rate: float) -> None:
        target = 0.0
        if self.options.glances and abs(yaw_rate) >= _TURN_SEEN:
            target = _GLANCE * min(max(yaw_rate / _TURN_FULL, -1.0), 1.0)
        self._glance_target = target
        self._glance += (target - self._glance) * -math.expm1(-elapsed / _GLANCE_TIME)
        if abs(target - self._glance) < _STILL:
            self._glance = target
