"""Learning how a user's own cubes look: what is in the largest ring of a picture (spec 15 §2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .drawing_file import MOST_DRAWINGS, cube_drawing
from .drawings import Drawing, DrawingBook, cut_out
from .rings import find_rings

Gray = npt.NDArray[np.uint8]

SMALLEST = 20.0
"""Side of a ring in pixels from which its drawing is learnt, some 370 mm away."""
_LEAST_CONTRAST, _LEAST_WHOLE = 20.0, 0.85
_SAME = 0.90
"""Score above which a picture shows a drawing that is known already."""
_OTHERS = 0.90
"""Score above which it is another cube's."""


class LearningError(ValueError):
    """A picture that nothing is learnt from; the text says why."""


def learn(
    known: Sequence[Drawing], cube: int, gray: Gray, side: str = "", turns: int = 0
) -> tuple[list[Drawing], Drawing]:
    """Return what is known with one more picture of a cube, and the drawing that it shows.

    ``turns`` are quarter turns, clockwise in the picture, from how the side is upright. The drawing
    of a side that is known already is replaced by that of a larger ring.
    Raises ``LearningError``, and ``ValueError`` for a cube or side that does not exist.
    """
    rings = [ring for ring in find_rings(gray) if ring.wholeness > _LEAST_WHOLE]
    if not rings:
        raise LearningError("no whole marker is in sight: show one side of the cube squarely")
    ring = rings[0]
    if ring.size < SMALLEST:
        raise LearningError(
            f"the marker is only {ring.size:.0f} pixels large: bring the cube nearer, "
            f"{SMALLEST:.0f} are needed"
        )
    if ring.contrast < _LEAST_CONTRAST:
        raise LearningError("the marker is too faint: bring more light")
    upright = np.ascontiguousarray(np.rot90(cut_out(gray, ring), turns))
    new = cube_drawing(cube, upright, ring.size, side)
    kept = list(known)
    match = DrawingBook(kept).find(new.pixels, new.size)
    if match is not None and match.drawing.name != new.name and match.score > _OTHERS:
        name = match.drawing.name.replace("_", " ")
        raise LearningError(f"this is a side of {name}: forget that one first if it is not")
    own = [drawing for drawing in kept if drawing.name == new.name]
    same = DrawingBook(own).find(new.pixels, new.size)
    if same is not None and same.score > _SAME and same.drawing.side in ("", side):
        index = next(i for i, drawing in enumerate(kept) if drawing is same.drawing)
        if new.size > same.drawing.size:
            kept[index] = new
        elif side:
            pixels = np.ascontiguousarray(np.rot90(same.drawing.pixels, -same.turns))
            kept[index] = replace(same.drawing, pixels=pixels, side=side, code=new.code)
        return kept, kept[index]
    if len(kept) >= MOST_DRAWINGS:
        raise LearningError(f"{MOST_DRAWINGS} drawings are known: forget some first")
    return [*kept, new], new
