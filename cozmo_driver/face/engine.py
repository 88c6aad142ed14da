"""What the face looks like at any moment: an expression, blended to, and idle motion over it.

Time is the caller's, in s, and runs forwards.
"""

from __future__ import annotations

import math
from random import Random

from .expressions import NEUTRAL, Expression, find
from .gaze import IdleMotion, IdleOptions, towards
from .parameters import Face, clip, interpolate
from .renderer import FacePicture, render

IDLE_AFTER = 0.5
"""s after the last face that was given in parameters until idle motion starts (spec 04 §7)."""
_ALL_IDLE_MOTION = IdleOptions()
_LONGEST = 3600.0
"""s that a blend or a hold may take."""


class FaceEngine:
    """Keeps the face: ``show`` or ``set_face`` it, then ask for it at any later time."""

    def __init__(
        self, random: Random, options: IdleOptions = _ALL_IDLE_MOTION, now: float = 0.0
    ) -> None:
        self._random = random
        self._idle = IdleMotion(random, options, now)
        self._expression = NEUTRAL
        self._from, self._to = NEUTRAL.face, NEUTRAL.face
        self._start, self._blend_time = now, 0.0
        self._back_at = math.inf
        self._idle_from = now
        self._is_named = True

    # -- what to show

    def show(self, name: str, now: float, blend_time: float = 0.0, hold_time: float = 0.0) -> None:
        """Blend to a named expression within ``blend_time`` s.

        After ``hold_time`` s, unless that is 0, the face goes back to neutral in the same time.
        Raises ``ValueError`` for a name or a time that cannot be.
        """
        expression = find(name)
        _check_time("blend_time", blend_time)
        _check_time("hold_time", hold_time)
        self._go_to(expression, now, blend_time)
        self._back_at = now + blend_time + hold_time if hold_time else math.inf

    def set_face(self, face: Face, now: float) -> None:
        """Show exactly this face; idle motion starts 0.5 s later. Raises ``ValueError``."""
        self._from = self._to = clip(face)
        self._start, self._blend_time, self._back_at = now, 0.0, math.inf
        self._is_named = False
        self._idle_from = now + IDLE_AFTER

    def attend(self, u: float, v: float, now: float) -> None:
        """Let the eyes rest on a place in the camera's image for a moment, -1 to 1 each way."""
        self._idle.attend(*towards(u, v), now)

    def set_options(self, options: IdleOptions, now: float) -> None:
        self._idle = IdleMotion(self._random, options, now)

    # -- what is seen

    def parameters_at(self, now: float, yaw_rate: float = 0.0) -> Face:
        """Return the face; ``yaw_rate``, rad/s, to the robot's left positive, leads the eyes."""
        if now >= self._back_at:
            self._go_to(NEUTRAL, self._back_at, self._blend_time)
        face = self._blended(now)
        if now < self._idle_from:
            return face
        self._idle.update(now, yaw_rate)
        return self._idle.apply(face, self._expression.liveliness if self._is_named else 1.0)

    def picture_at(self, now: float) -> FacePicture:
        """Return the picture, of all rows; which of them are lit is up to the display."""
        return render(self.parameters_at(now), None)

    def next_change(self, now: float) -> float:
        """Return when the face of ``parameters_at(now)`` changes by itself; while it moves, now."""
        if now < self._start + self._blend_time:
            return now
        idle = self._idle.next_change() if now >= self._idle_from else self._idle_from
        return max(now, min(idle, self._back_at))

    def _go_to(self, expression: Expression, now: float, blend_time: float) -> None:
        self._from, self._to = self._blended(now), expression.face
        self._start, self._blend_time = now, blend_time
        self._back_at = math.inf
        self._expression, self._is_named = expression, True
        self._idle_from = min(self._idle_from, now)

    def _blended(self, now: float) -> Face:
        elapsed = now - self._start
        if elapsed >= self._blend_time:
            return self._to
        return interpolate(self._from, self._to, elapsed / self._blend_time)


def _check_time(name: str, value: float) -> None:
    if not 0.0 <= value <= _LONGEST:
        raise ValueError(f"{name} must be between 0 and {_LONGEST:g} s, not {value:g}")
