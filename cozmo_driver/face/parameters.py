"""The 43 parameters of a face: 5 of the whole and 19 of each eye (spec 04 §4).

Angles are in rad, counter-clockwise on the picture; positions in px, y down. The app's files have
degrees, and the eyes as lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from operator import attrgetter

import numpy as np

_LID_LIMIT = math.radians(45.0)


@dataclass(frozen=True, slots=True)
class Eye:
    """One eye, in the order of the app's lists.

    Radii are fractions of half the width and half the height, lids of the height. "Inner" is
    towards the nose.
    """

    center_x: float = 0.0
    center_y: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0
    angle: float = 0.0
    lower_inner_radius_x: float = 0.0
    lower_inner_radius_y: float = 0.0
    upper_inner_radius_x: float = 0.0
    upper_inner_radius_y: float = 0.0
    upper_outer_radius_x: float = 0.0
    upper_outer_radius_y: float = 0.0
    lower_outer_radius_x: float = 0.0
    lower_outer_radius_y: float = 0.0
    upper_lid_y: float = 0.0
    upper_lid_angle: float = 0.0
    upper_lid_bend: float = 0.0
    lower_lid_y: float = 0.0
    lower_lid_angle: float = 0.0
    lower_lid_bend: float = 0.0

    @property
    def values(self) -> tuple[float, ...]:
        """Return the 19 values in the app's order."""
        values: tuple[float, ...] = _eye_values(self)
        return values

    @property
    def without_lids(self) -> Eye:
        return replace(self, **_NO_LIDS)


@dataclass(frozen=True, slots=True)
class Face:
    """The whole face; ``left_eye`` is at the left of the picture, ``right_eye`` is mirrored."""

    angle: float = 0.0
    center_x: float = 0.0
    center_y: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0
    left_eye: Eye = Eye()
    right_eye: Eye = Eye()

    @property
    def values(self) -> tuple[float, ...]:
        """Return the 43 values: face, left eye, right eye."""
        own = (self.angle, self.center_x, self.center_y, self.scale_x, self.scale_y)
        return own + self.left_eye.values + self.right_eye.values


EYE_PARAMETERS = tuple(field.name for field in fields(Eye))
_NO_LIDS = {name: 0.0 for name in EYE_PARAMETERS if "lid" in name}
_eye_values = attrgetter(*EYE_PARAMETERS)
_EYE_ANGLES = tuple(
    EYE_PARAMETERS.index(f"{part}angle") for part in ("", "upper_lid_", "lower_lid_")
)
_ANGLES = frozenset({0, *(5 + at for at in _EYE_ANGLES), *(24 + at for at in _EYE_ANGLES)})
"""Which of the 43 values are angles."""
_LARGEST = 1e6
"""Places and sizes beyond this are cut off: no screen shows the difference."""
_NAMES = (
    *(f"face {name}" for name in ("angle", "center x", "center y", "scale x", "scale y")),
    *(
        f"{eye} eye {name.replace('_', ' ')}"
        for eye in ("left", "right")
        for name in EYE_PARAMETERS
    ),
)


def _limits(name: str) -> tuple[float, float]:
    match name.split()[-2:]:
        case ["scale", _]:
            return 0.0, _LARGEST
        case ["lid", "angle"]:
            return -_LID_LIMIT, _LID_LIMIT
        case ["radius", _] | ["lid", _]:
            return 0.0, 1.0
    return -_LARGEST, _LARGEST


_LOW, _HIGH = np.transpose([_limits(name) for name in _NAMES])


def face_of(values: Iterable[float]) -> Face:
    """Return the face of 43 values: face, left eye, right eye. Raises ``ValueError``."""
    numbers = tuple(values)
    if len(numbers) != 43:
        raise ValueError(f"a face has 43 parameters, not {len(numbers)}")
    angle, center_x, center_y, scale_x, scale_y = numbers[:5]
    left, right = Eye(*numbers[5:24]), Eye(*numbers[24:])
    return Face(angle, center_x, center_y, scale_x, scale_y, left, right)


def clip(face: Face) -> Face:
    """Return the face within its limits (spec 04 §4). Raises ``ValueError`` if not finite."""
    values = np.array(face.values)
    if (values >= _LOW).all() and (values <= _HIGH).all():
        return face
    for name, value in zip(_NAMES, face.values, strict=True):
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}, not a finite number")
    return face_of(np.clip(values, _LOW, _HIGH).tolist())


# -- the app's lists


def eye_from_app(values: Iterable[float]) -> Eye:
    """Return the eye of the app's 19 values, angles in degrees. Raises ``ValueError``."""
    numbers = list(values)
    if len(numbers) != len(EYE_PARAMETERS):
        raise ValueError(f"an eye has {len(EYE_PARAMETERS)} parameters, not {len(numbers)}")
    for at in _EYE_ANGLES:
        numbers[at] = math.radians(numbers[at])
    return Eye(*numbers)


def eye_to_app(eye: Eye) -> list[float]:
    """Return the app's 19 values, angles in degrees."""
    numbers = list(eye.values)
    for at in _EYE_ANGLES:
        numbers[at] = math.degrees(numbers[at])
    return numbers


# -- two faces


def interpolate(start: Face, end: Face, fraction: float) -> Face:
    """Return the face between two; angles turn the shorter way (spec 04 §5)."""
    if fraction <= 0.0 or start == end:
        return start
    if fraction >= 1.0:
        return end
    return face_of(
        a
        if a == b
        else _angle_between(a, b, fraction)
        if index in _ANGLES
        else a + (b - a) * fraction
        for index, (a, b) in enumerate(zip(start.values, end.values, strict=True))
    )


def _angle_between(start: float, end: float, fraction: float) -> float:
    rest = 1.0 - fraction
    return math.atan2(
        rest * math.sin(start) + fraction * math.sin(end),
        rest * math.cos(start) + fraction * math.cos(end),
    )


def combine(base: Face, layer: Face) -> Face:
    """Return the face with a layer over it: positions and angles add, scales multiply.

    Radii and the places of the lids are the base's (spec 04 §5).
    """
    return Face(
        base.angle + layer.angle,
        base.center_x + layer.center_x,
        base.center_y + layer.center_y,
        base.scale_x * layer.scale_x,
        base.scale_y * layer.scale_y,
        _combine_eyes(base.left_eye, layer.left_eye),
        _combine_eyes(base.right_eye, layer.right_eye),
    )


def _combine_eyes(base: Eye, layer: Eye) -> Eye:
    return replace(
        base,
        center_x=base.center_x + layer.center_x,
        center_y=base.center_y + layer.center_y,
        scale_x=base.scale_x * layer.scale_x,
        scale_y=base.scale_y * layer.scale_y,
        angle=base.angle + layer.angle,
        upper_lid_angle=_lid_angle(base.upper_lid_angle + layer.upper_lid_angle),
        lower_lid_angle=_lid_angle(base.lower_lid_angle + layer.lower_lid_angle),
    )


def _lid_angle(angle: float) -> float:
    return min(max(angle, -_LID_LIMIT), _LID_LIMIT)
