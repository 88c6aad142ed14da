"""A blink: eight steps from open over closed to open (spec 04 §7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from .parameters import Eye, Face, interpolate


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
