"""Tags that are not on the map yet: which of the two poses that each image allows is the true one.

The false one is mirrored about the line of sight, so that it turns when the robot drives past; the
true one stays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..perception import Matrix

_SURE = 4.0
"""Distance, in deviations squared, by which one choice must fit better than the other."""
_NORMAL = 0.12
"""rad, that a normal errs by of a tag of 25 pixels; of smaller ones the more. Tags in rendered
images: benchmarks/localization.py."""
_PIXELS = 25.0
_ALONE = math.radians(4.0)
"""Between both normals: then it does not matter."""
_MOST = 40
_CLAMP = 9.0


@dataclass(slots=True, eq=False)
class Candidate:
    """Sightings of one tag from places that are known."""

    normals: list[tuple[Matrix, float]] = field(default_factory=list)
    """(1 or 2, 3) on the map, and the variance of their direction."""

    def add(self, places: list[Matrix], pixels: float) -> int | None:
        """Take the poses on the map that an image allows; return the true one's index, if clear."""
        directions = np.array([-place[:3, 1] for place in places])
        variance = (_NORMAL * max(_PIXELS / pixels, 1.0) ** 2) ** 2
        self.normals = [*self.normals[1 - _MOST :], (directions, variance)]
        if len(places) == 1:
            return 0
        if angle_between(directions[0], directions[1]) < _ALONE:
            return 0
        costs = [self._cost(direction, variance) for direction in directions]
        best = int(np.argmin(costs))
        return best if costs[1 - best] - costs[best] > _SURE else None

    def _cost(self, direction: Matrix, own: float) -> float:
        """Return how badly the other images agree with a normal: each by its nearer one."""
        cost = 0.0
        for normals, variance in self.normals[:-1]:
            nearest = min(angle_between(normal, direction) for normal in normals)
            cost += min(nearest**2 / (variance + own), _CLAMP)
        return cost


def angle_between(a: Matrix, b: Matrix) -> float:
    return math.acos(min(max(float(a @ b), -1.0), 1.0))
