"""Faces: the same ones drawn by both, each another one than all before."""

from __future__ import annotations

import math
from itertools import pairwise

from cozmo_driver.face.expressions import EXPRESSIONS
from cozmo_driver.face.parameters import Eye, Face, interpolate
from cozmo_driver.face.renderer import render

from .codec import measure
from .rows import Row, ratio_row

_STEPS = 500
"""Faces between two expressions: more in all than are drawn."""


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    from pycozmo.procedural_face import ProceduralFace

    faces = [
        interpolate(one.face, other.face, step / _STEPS)
        for step in range(_STEPS)
        for one, other in pairwise(EXPRESSIONS)
    ]
    theirs = iter([ProceduralFace(_their_parameters(face)) for face in faces[:1000]])
    ours = iter(faces)
    assert render(faces[1]).any()
    assert any(ProceduralFace(_their_parameters(faces[1])).render().getdata())
    times = measure(lambda: next(theirs).render(), lambda: render(next(ours)), 1500)
    return [ratio_row("draw the faces of a blend", *times, 1.5)]


def _their_parameters(face: Face) -> list[float]:
    own = [face.center_x, face.center_y, face.scale_x, face.scale_y, math.degrees(face.angle)]
    return own + _their_eye(face.left_eye) + _their_eye(face.right_eye)


def _their_eye(eye: Eye) -> list[float]:
    """Return an eye in the order and the units of theirs."""
    lids = (
        (eye.upper_lid_y, eye.upper_lid_angle, eye.upper_lid_bend),
        (eye.lower_lid_y, eye.lower_lid_angle, eye.lower_lid_bend),
    )
    return [
        *(eye.center_x, eye.center_y, eye.scale_x, eye.scale_y, math.degrees(eye.angle)),
        *(eye.lower_inner_radius_x, eye.lower_inner_radius_y),
        *(eye.lower_outer_radius_x, eye.lower_outer_radius_y),
        *(eye.upper_inner_radius_x, eye.upper_inner_radius_y),
        *(eye.upper_outer_radius_x, eye.upper_outer_radius_y),
        *(number for y, angle, bend in lids for number in (y, math.degrees(angle), bend)),
    ]
