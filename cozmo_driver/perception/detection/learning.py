"""Learning how a user's own cubes look, side by side, also while one is rolled (spec 15 §2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...media import SIDE_AXES, SIDES
from .quads import Floats, Gray
from .rings import find_rings
from .template_file import MOST_TEMPLATES, cube_template
from .templates import Template, TemplateBook, cut_out

SMALLEST = 20.0
"""Side of a ring in pixels from which its template is learnt, some 370 mm away."""
_LEAST_CONTRAST, _LEAST_WHOLE = 20.0, 0.85
_SAME = 0.90
"""Score above which an image shows a template that is known already."""
_OTHERS = 0.90
"""Score above which it is another cube's."""
UP_SIDES = ("front", "back", "right", "left", "bottom", "top")
"""Side that is up by the axis that a cube's radio reports: -x, x, -y, y, -z, z."""
_STEADY, _IMAGES = 1.5, 3
"""Pixels by which a marker that is held still moves, and for how many images it must be."""
_PATIENCE = 10.0
"""s after which a request is repeated."""
_TOWARDS = "roll the cube a quarter turn towards the robot"
_PLACE = f"put the cube 12 to 18 cm in front of the camera, one side squarely to it, and {_TOWARDS}"
_SIDEWAYS = "roll the cube a quarter turn to its left or right"
_HOLD = "hold it still, one side squarely to the camera"


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
        raise LearningError(f"{MOST_TEMPLATES} templates are known: forget some first")
    return [*kept, new], new


def up_side(axis: int) -> str:
    """Return the side that is up by the axis that a radio reports; empty where it does not know."""
    return UP_SIDES[axis] if 0 <= axis < len(UP_SIDES) else ""


class CubeLearner:
    """Learns the sides of a cube with their names; asks for a roll after each.

    What was up comes to face a camera towards which the cube is rolled. What is up then says how
    the side is turned.
    """

    def __init__(self, templates: Sequence[Template], cube: int) -> None:
        """Add to what is known. Raises ``ValueError`` for a cube that does not exist."""
        self.templates = list(templates)
        self.learnt: set[str] = set()
        self.problem = ""
        """Why nothing is learnt from what is seen, while there is a reason."""
        self._cube = cube
        self._up = self._facing = ""
        self._corners: Floats | None = None
        self._steady = 0
        self._prompted, self._prompted_at = "", 0.0

    @property
    def is_done(self) -> bool:
        return len(self.learnt) == len(SIDES)

    @property
    def request(self) -> str:
        """What a person shall do now."""
        if self.is_done:
            return "all six sides are learnt"
        if not self._up:
            return _PLACE
        if self._facing and self._facing not in self.learnt:
            return self.problem or _HOLD
        return _SIDEWAYS if self._is_ring_learnt() else _TOWARDS

    def prompt(self, now: float) -> str:
        """Return the request if it is new, or nothing came of it for a while; else "".

        The radio does not tell of every roll. ``now`` in s.
        """
        if self.request == self._prompted and now - self._prompted_at < _PATIENCE:
            return ""
        self._prompted, self._prompted_at = self.request, now
        return self.request

    def on_up(self, side: str) -> None:
        """Follow the radio: which side of the resting cube is up.

        It tells that for the first time when the cube is rolled.
        """
        if side == self._up:
            return
        was_sideways = self._is_ring_learnt()
        before, self._up = self._up, side
        self._prompted = ""
        is_quarter = before != "" and side != _opposite(before)
        self._facing = before if is_quarter and not was_sideways else ""
        self._corners, self._steady, self.problem = None, 0, ""

    def on_image(self, gray: Gray) -> Template | None:
        """Return the template of the side that faces the camera when it has been learnt."""
        if not self._facing or self._facing in self.learnt:
            return None
        rings = find_rings(gray)
        corners = rings[0].corners if rings else None
        is_steady = (
            corners is not None
            and self._corners is not None
            and float(np.abs(corners - self._corners).max()) < _STEADY
        )
        self._corners, self._steady = corners, self._steady + 1 if is_steady else 0
        if self._steady < _IMAGES:
            return None
        turns = turns_of(self._facing, self._up)
        try:
            self.templates, template = learn(self.templates, self._cube, gray, self._facing, turns)
        except LearningError as error:
            self.problem = str(error)
            return None
        self.learnt.add(self._facing)
        return template

    def _is_ring_learnt(self) -> bool:
        """Whether rolls towards the camera bring up nothing new."""
        if not self._facing:
            return self._up in self.learnt
        return {self._up, _opposite(self._facing), _opposite(self._up)} <= self.learnt


def turns_of(side: str, up: str) -> int:
    """Return the quarter turns, clockwise, of a side's template as seen with ``up`` on top."""
    normal, own_up = (np.array(axis) for axis in SIDE_AXES[side])
    above = np.array(SIDE_AXES[up][0])
    right = np.cross(own_up, normal)
    tops = (own_up, -right, -own_up, right)
    return next(turns for turns, top in enumerate(tops) if (top == above).all())


def _opposite(side: str) -> str:
    normal = SIDE_AXES[side][0]
    return next(one for one in SIDES if SIDE_AXES[one][0] == tuple(-v for v in normal))
