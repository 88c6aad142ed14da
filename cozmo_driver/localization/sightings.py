"""What an image shows of landmarks: corners as lines of sight, and how well those are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..perception import FAMILIES, Camera, Marker, Matrix, poses_of_markers

_LARGE = 15.0
"""Pixels, side of a tag from which on it tells how it is turned, and how large it is: smaller ones
were seen 0.8 to 1.3 times as large for seconds (simulated by rendered images; no real camera)."""
_SQUARE = np.array([[-0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.5, 0.0, -0.5], [-0.5, 0.0, -0.5]])


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """One landmark in one image."""

    name: str
    """As in the map: ``36h11:5``, charger, cube_1."""
    corners: Matrix
    """In the landmark's frame, m: (n, 3)."""
    directions: Matrix
    """x/z and y/z of their lines of sight in the camera's optical frame: (n, 2)."""
    solutions: tuple[Matrix, ...]
    """The one or two poses of the landmark in the optical frame that fit, the better first."""
    pixel: float
    """Width of a pixel as a direction: 1 / focal length."""
    size: float = 0.0
    """m, of a tag, outer edge of its black border."""
    noise: float = 1.0
    """By how many times its corners err more than those of tags."""

    @property
    def is_sane(self) -> bool:
        arrays = (self.corners, self.directions, *self.solutions)
        return (
            bool(self.solutions)
            and all(bool(np.isfinite(array).all()) for array in arrays)
            and self.corners.shape == (len(self.directions), 3)
            and len(self.directions) >= 4
            and 0.0 < self.pixel < 1.0
        )

    @property
    def pixels(self) -> float:
        """Square root of the area that its corners enclose in the image, pixels."""
        a, b = self.directions[2] - self.directions[0], self.directions[3] - self.directions[1]
        return float(np.sqrt(0.5 * abs(a[0] * b[1] - a[1] * b[0]))) / self.pixel

    @property
    def is_large(self) -> bool:
        return self.pixels >= _LARGE


def tag_corners(size: float) -> Matrix:
    """Return the corners of a tag in its frame, from its upper left one clockwise: (4, 3)."""
    return size * _SQUARE


def sightings_of(
    markers: Iterable[Marker], camera: Camera, sizes: Mapping[str, float], size: float = 0.0
) -> list[Sighting]:
    """Return the tags among markers that are on no object.

    ``sizes``: m, of tags by their names; ``size``: of all others, 0 to leave those out.
    """
    found = []
    for marker in markers:
        name = f"{marker.family}:{marker.code}"
        edge = sizes.get(name, size)
        if marker.family in FAMILIES and marker.name is None and edge > 0.0:
            found.append((name, edge, marker.own_corners))
    poses = poses_of_markers([c for *_, c in found], [(edge, edge) for _, edge, _ in found], camera)
    return [
        Sighting(
            name,
            tag_corners(edge),
            camera.directions(corners),
            tuple(one.matrix for one in both),
            1.0 / camera.fx,
            edge,
        )
        for (name, edge, corners), both in zip(found, poses, strict=True)
        if both
    ]
