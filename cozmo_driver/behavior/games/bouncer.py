"""Bouncer: a ball on the display, and a paddle that a leaning head moves (spec 17 §5.8).

Pixels of the display, y down; what a tick is, is up to the caller.
"""

from __future__ import annotations

import math
from random import Random

import numpy as np

from ...media import DISPLAY_HEIGHT, DISPLAY_WIDTH, DisplayImage

MOST_LEAN = math.radians(20.0)
"""Of a head, at which the paddle is at the end of its travel."""

_RADIUS, _HALF_WIDTH, _MOST_STEP = 3, 16, 10.0
_SLOWEST, _FASTEST = 1.0, 3.0
"""Of the ball along each axis, in a tick."""
_PADDLE_TOP, _PADDLE_HEIGHT = 58, 4
_TRAVEL = DISPLAY_WIDTH / 2 - _HALF_WIDTH
_TALLY, _PIP, _GAP = 10, 2, 4
"""Points in a column, their size, and what lies between two."""


class Bouncer:
    """A game; ``hits`` and ``misses`` are of the person who moves the paddle."""

    def __init__(self, rng: Random) -> None:
        self.hits = self.misses = 0
        self.paddle = DISPLAY_WIDTH / 2
        """Its middle."""
        self.ball = 0.0, 0.0
        self._dx = self._dy = 0.0
        self._rng = rng
        self._serve()

    def tick(self, lean: float) -> None:
        """Move the ball, and the paddle towards a lean of the head, rad.

        Leaning to the camera's right it is positive; the display faces the other way.
        """
        share = min(1.0, max(-1.0, lean / MOST_LEAN))
        step = DISPLAY_WIDTH / 2 - share * _TRAVEL - self.paddle
        self.paddle += min(_MOST_STEP, max(-_MOST_STEP, step))
        (x, y), radius = self.ball, _RADIUS
        x, y = x + self._dx, y + self._dy
        if not radius <= x <= DISPLAY_WIDTH - radius:
            x, self._dx = min(DISPLAY_WIDTH - radius, max(radius, x)), -self._dx
        if y < radius:
            y, self._dy = radius, -self._dy
        self.ball = x, min(y, _PADDLE_TOP - radius)
        if y > _PADDLE_TOP - radius:
            self._judge((x - self.paddle) / (_HALF_WIDTH + radius))

    def _judge(self, aside: float) -> None:
        """Throw the ball back, sideways where its paddle meets it near an end, or serve anew."""
        if abs(aside) > 1.0:
            self.misses += 1
            self._serve()
            return
        self.hits += 1
        self._dx = max(-_FASTEST, min(_FASTEST, self._dx + 2.0 * aside))
        self._dy = -self._rng.uniform(_SLOWEST, _FASTEST)

    def picture(self) -> DisplayImage:
        """Return the display, 64 x 128, 0 or 1: the ball, the paddle, hits left, misses right."""
        picture = np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH), np.uint8)
        rows, columns = np.ogrid[:DISPLAY_HEIGHT, :DISPLAY_WIDTH]
        picture[np.hypot(columns - self.ball[0], rows - self.ball[1]) <= _RADIUS] = 1
        left = round(self.paddle) - _HALF_WIDTH
        picture[_PADDLE_TOP : _PADDLE_TOP + _PADDLE_HEIGHT, left : left + 2 * _HALF_WIDTH] = 1
        for flipped, count in ((picture, self.hits), (picture[:, ::-1], self.misses)):
            for number in range(count):
                column, row = divmod(number, _TALLY)
                x, y = 2 + column * _GAP, 2 + row * _GAP
                flipped[y : y + _PIP, x : x + _PIP] = 1
        return picture

    def _serve(self) -> None:
        """Let a new ball fall from above, to either side."""
        rng = self._rng
        self.ball = rng.uniform(0.25, 0.75) * DISPLAY_WIDTH, 2.0 * _RADIUS
        self._dx = rng.choice((-1, 1)) * rng.uniform(_SLOWEST, _FASTEST)
        self._dy = rng.uniform(_SLOWEST, _FASTEST) / 2 + _SLOWEST / 2
