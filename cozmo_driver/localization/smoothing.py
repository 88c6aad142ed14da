"""From corrections that come with images to a transform that robots can be steered by."""

from __future__ import annotations

import math

import numpy as np

from ..perception import Matrix, StampedState, inverse, pose
from .estimate import Estimate

_SETTLES = 0.5
"""s in which a correction is taken over but for a third: below the time in which a robot at 0.1 m/s
drives its own length, above the 0.07 s between two images."""


class SmoothCorrection:
    """The pose of odom on the map; it follows the filter, at the robot's place, without jumps."""

    def __init__(self) -> None:
        self.matrix: Matrix | None = None
        self._stamp = -math.inf
        self._is_lost = True

    def lose(self) -> None:
        """Jump when the pose is known again: nothing steers by it until then."""
        self._is_lost = True

    def jump(self, state: StampedState, place: Matrix) -> None:
        x, y, yaw = map(float, place)
        self.matrix = pose(x, y, 0.0, yaw) @ inverse(state.base)
        self._stamp, self._is_lost = state.stamp, False

    def update(self, state: StampedState, known: Estimate) -> None:
        """Come nearer to where the robot is on the map; ``known`` is as of ``state``."""
        if not known.is_known:
            self.lose()
            return
        place = np.array([known.x, known.y, known.yaw])
        if self.matrix is None or self._is_lost:
            self.jump(state, place)
            return
        share = -math.expm1(-max(state.stamp - self._stamp, 0.0) / _SETTLES)
        self._stamp = state.stamp
        here = self.matrix @ state.base
        yaw = math.atan2(here[1, 0], here[0, 0])
        off = place - (here[0, 3], here[1, 3], yaw)
        off[2] = math.remainder(off[2], 2 * math.pi)
        x, y, yaw = np.array([here[0, 3], here[1, 3], yaw]) + share * off
        self.matrix = pose(float(x), float(y), 0.0, float(yaw)) @ inverse(state.base)
