"""Learning how a user's own cubes look: what is in the largest ring of an image (spec 15 §2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .rings import find_rings
from .template_file import MOST_TEMPLATES, cube_template
from .templates import Template, TemplateBook, cut_out

Gray = npt.NDArray[np.uint8]

SMALLEST = 20.0
"""Side of a ring in pixels from which its template is learnt, some 370 mm away."""
_LEAST_CONTRAST, _LEAST_WHOLE = 20.0, 0.85
_SAME = 0.90
"""Score above which an image shows a template that is known already."""
_OTHERS = 0.90
"""Score above which it is another cube's."""


class LearningError(ValueError):
    """An image that nothing is learnt from; the text says why."""


def learn(
    known: Sequence[Template], cube: int, gray: Gray, side: str = "", turns: int = 0
) -> tuple[list[Template], Template]:
    """Return what is known with one more image of a cube, and the template that it shows.

    ``turns`` are quarter turns, clockwise in the image, from how the side is upright. The template
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
    new = cube_template(cube, upright, ring.size, side)
    kept = list(known)
    match = TemplateBook(kept).find(new.pixels, new.size)
    if match is not None and match.template.name != new.name and match.score > _OTHERS:
        name = match.template.name.replace("_", " ")
        raise LearningError(f"this is a side of {name}: forget that one first if it is not")
    own = [template for template in kept if template.name == new.name]
    same = TemplateBook(own).find(new.pixels, new.size)
    if same is not None and same.score > _SAME and same.template.side in ("", side):
        index = next(i for i, template in enumerate(kept) if template is same.template)
        if new.size > same.template.size:
            kept[index] = new
        elif side:
            pixels = np.ascontiguousarray(np.rot90(same.template.pixels, -same.turns))
            kept[index] = replace(same.template, pixels=pixels, side=side, code=new.code)
        return kept, kept[index]
    if len(kept) >= MOST_TEMPLATES:
        raise LearningError(f"{MOST_TEMPLATES} drawings are known: forget some first")
    return [*kept, new], new
