"""The corners of markers, averaged over the images of one view.

A marker of 30 pixels that is turned by 13 degrees to the line of sight fits nearly as well turned
by -13: in one image noise decides, in the mean of some the marker.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .frames import Matrix
from .placing import MarkerObservation
from .pose_history import StampedState

SAME_PLACE, SAME_TURN = 0.002, math.radians(0.4)
"""m and rad within which a robot stands: its images are of one view."""
BESIDE = 4.0 / 294.0
"""What a corner's direction changes by in one view, with which the marker was moved."""
_MOST = 15
"""Images that count; with more the mean follows them as if they were so many."""


@dataclass(slots=True)
class _View:
    """A marker as a robot that stands sees it."""

    robot: StampedState
    directions: Matrix
    """Mean of its images, (4, 2)."""
    count: int = 1

    def shows(self, marker: MarkerObservation, robot: StampedState) -> bool:
        """Whether robot and marker stand where they stood."""
        if not robot.stands_as(self.robot, SAME_PLACE, SAME_TURN):
            return False
        # Nor is NaN as small.
        return bool(np.abs(marker.directions - self.directions).max() <= BESIDE)


class CornerAverager:
    """Averages what a standing robot sees of markers that stand."""

    def __init__(self) -> None:
        self._views: dict[tuple[str, str], _View] = {}

    def averaged(
        self, markers: Iterable[MarkerObservation], robot: StampedState
    ) -> list[MarkerObservation]:
        """Return the markers of an image, each with the mean of its corners in this view."""
        if robot.is_moving:
            self._views.clear()
            return list(markers)
        return [self._averaged(marker, robot) for marker in markers]

    def _averaged(self, marker: MarkerObservation, robot: StampedState) -> MarkerObservation:
        key = marker.name, marker.side
        view = self._views.get(key)
        if view is None or not view.shows(marker, robot):
            self._views[key] = _View(robot, marker.directions)
            return marker
        change = marker.directions - view.directions
        view.count = min(view.count + 1, _MOST)
        view.directions = view.directions + change / view.count
        return replace(marker, directions=view.directions)
