"""Eyes that look somewhere: a layer to be put over a face (spec 04 §6)."""

from __future__ import annotations

from ..media.display_codec import HEIGHT, WIDTH
from .parameters import Eye, Face

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
