"""The named expressions: eyes only, made of rounded boxes and lids."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from .parameters import Eye, Face

Lid = tuple[float, float, float]
"""How far it is closed and its bulge, both as fractions of the eye's height; between them its
angle in degrees, positive where the inner end is lower."""
_OPEN: Lid = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Expression:
    name: str
    face: Face
    liveliness: float = 1.0
    """How far the eyes dart about, as a factor; with 0 they do not even blink."""


def _eye(
    size: tuple[float, float] = (0.92, 0.85),
    upper: Lid = _OPEN,
    lower: Lid = _OPEN,
    *,
    at: tuple[float, float] = (0.0, 0.0),
    radius: tuple[float, float] = (0.6, 0.5),
) -> Eye:
    return Eye(
        *at,
        *size,
        0.0,
        *(4 * radius),
        upper[0],
        math.radians(upper[1]),
        upper[2],
        lower[0],
        math.radians(lower[1]),
        lower[2],
    )


def _both(eye: Eye, *, at: tuple[float, float] = (0.0, 0.0)) -> Face:
    return _two(eye, replace(eye, center_x=-eye.center_x), at=at)


def _two(left: Eye, right: Eye, *, at: tuple[float, float] = (0.0, 0.0)) -> Face:
    return Face(0.0, *at, left_eye=left, right_eye=right)


NEUTRAL = Expression("Neutral", _both(_eye()))

EXPRESSIONS: tuple[Expression, ...] = (
    NEUTRAL,
    Expression("Anger", _both(_eye((1.0, 0.85), (0.3, 26, 0), (0.14, 0, 0), at=(5, 1)))),
    Expression("Sadness", _both(_eye((0.9, 0.8), (0.3, -24, 0), radius=(0.7, 0.6)), at=(0, 6))),
    Expression(
        "Happiness",
        _both(_eye((1.05, 0.9), lower=(0.3, 0, 0.3), radius=(0.8, 0.7), at=(0, 3))),
    ),
    Expression("Surprise", _both(_eye((0.95, 1.2), radius=(1, 0.85), at=(0, -3)))),
    Expression(
        "Disgust",
        _two(
            _eye((1.0, 0.85), (0.32, 16, 0), (0.3, -10, 0.06), at=(5, 3)),
            _eye((1.0, 0.85), (0.22, 20, 0), (0.24, -16, 0.1), at=(-5, -1)),
        ),
    ),
    Expression("Fear", _both(_eye((0.7, 0.9), (0.2, -32, 0), radius=(0.9, 0.7), at=(9, -1)))),
    Expression(
        "Pleading",
        _both(_eye((1.3, 1.15), (0.1, -20, 0), radius=(0.95, 0.9), at=(4, -1))),
    ),
    Expression(
        "Vulnerability",
        _both(_eye((0.75, 0.68), (0.2, -22, 0), radius=(1, 0.9), at=(6, 7))),
    ),
    Expression("Despair", _both(_eye((1.0, 0.85), (0.5, -36, 0), at=(3, 4)), at=(0, 5))),
    Expression(
        "Guilt",
        _two(
            _eye((0.7, 0.7), (0.36, -20, 0)),
            _eye((0.85, 0.75), (0.36, -20, 0)),
            at=(-12, 9),
        ),
        0.5,
    ),
    Expression("Disappointment", _both(_eye((1.0, 0.85), (0.46, -11, 0.05), at=(0, 2)), at=(0, 4))),
    Expression(
        "Embarrassment",
        _two(
            _eye((0.9, 0.8), (0.14, -14, 0), (0.26, 0, 0.2), radius=(0.8, 0.6), at=(0, -1)),
            _eye((0.75, 0.7), (0.14, -14, 0), (0.26, 0, 0.2), radius=(0.8, 0.6), at=(-6, 1)),
            at=(14, 10),
        ),
    ),
    Expression("Horror", _both(_eye((0.6, 1.35), (0.1, -30, 0), radius=(1, 0.8), at=(-4, 0)))),
    Expression(
        "Skepticism",
        _two(
            _eye((0.95, 0.75), (0.4, 5, 0), (0.18, 0, 0), at=(0, 2)),
            _eye((0.95, 1.0), (0.1, -12, 0), at=(0, -4)),
        ),
    ),
    Expression(
        "Annoyance",
        _two(
            _eye((0.95, 0.8), (0.44, 7, 0), (0.1, 0, 0)),
            _eye((0.95, 0.8), (0.36, 10, 0), (0.1, 0, 0)),
        ),
    ),
    Expression(
        "Fury",
        _both(_eye((1.2, 1.0), (0.38, 38, 0), (0.2, -16, 0), radius=(0.4, 0.3), at=(7, 2))),
    ),
    Expression(
        "Suspicion",
        _two(
            _eye((1.05, 0.8), (0.36, 6, 0), (0.36, 0, 0)),
            _eye((1.05, 0.8), (0.32, 9, 0), (0.34, 0, 0)),
            at=(10, 0),
        ),
    ),
    Expression(
        "Rejection",
        _two(
            _eye((0.5, 0.75), (0.42, 14, 0), (0.1, 0, 0), at=(4, 0)),
            _eye((0.85, 0.9), (0.42, 14, 0), (0.1, 0, 0), at=(-6, 0)),
            at=(-16, -6),
        ),
        0.5,
    ),
    Expression("Boredom", _both(_eye((1.0, 0.9), (0.54, 0, 0)), at=(10, -6)), 0.5),
    Expression(
        "Tiredness",
        _two(
            _eye((1.0, 0.9), (0.46, -7, 0.14)),
            _eye((1.0, 0.85), (0.56, -7, 0.14)),
            at=(0, 3),
        ),
        0.3,
    ),
    Expression("Asleep", _both(_eye((1.1, 0.7), (0.5, 0, 0.27), radius=(1, 1)), at=(0, 6)), 0.0),
    Expression(
        "Confusion",
        _two(
            _eye((0.7, 0.62), (0.14, 12, 0), radius=(1, 0.9), at=(4, 5)),
            _eye((1.1, 1.15), (0.1, -18, 0), radius=(1, 0.9), at=(-2, -3)),
        ),
    ),
    Expression("Amazement", _both(_eye((1.45, 1.35), radius=(1, 1)))),
    Expression(
        "Excitement",
        _both(_eye((1.3, 1.15), (0, 0, 0), (0.2, 0, 0.22), radius=(0.9, 0.8), at=(0, 1))),
    ),
)

BY_NAME = {expression.name: expression for expression in EXPRESSIONS}


def find(name: str) -> Expression:
    """Return the expression of a name, in any case. Raises ``ValueError``."""
    found = _BY_LOWER_NAME.get(name.strip().lower())
    if found is None:
        known = ", ".join(BY_NAME)
        raise ValueError(f"there is no expression '{name}'; there are {known}")
    return found


_BY_LOWER_NAME = {name.lower(): expression for name, expression in BY_NAME.items()}
