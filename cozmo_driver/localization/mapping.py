"""From a map to the filter and back: landmarks with their certainty, and those that come to it."""

from __future__ import annotations

import math

import numpy as np

from ..perception import Matrix, Mount, StampedState, camera_pose, inverse, pose
from .candidates import Candidate
from .map_filter import MapFilter
from .motion import CAMERA_YAW, PITCH, YAW, X
from .sightings import Sighting
from .tag_map import CHARGER, MOST_TAGS, MapTag, TagMap

_SPREAD, _ANGLE, _SMALLEST = 0.10, math.radians(12.0), 16.0
"""Standard deviations, m and rad, beyond which a tag is seen too badly to be placed; and the
side, pixels, of one that is too small for it."""
_LEAST, _LEAST_ANGLE = 0.0005, math.radians(0.1)
"""What a landmark in a file is not surer than."""


class Mapping:
    """Knows sizes and names; the filter knows the places."""

    def __init__(self, tag_map: TagMap) -> None:
        self._given = tag_map
        self._sizes = {one.name: one.size for one in tag_map.tags.values()}
        self._candidates: dict[str, Candidate] = {}

    def fill(self, known: MapFilter) -> None:
        """Add the landmarks of the map to a filter that is new."""
        for one in self._given.tags.values():
            spread, angle = np.square(one.deviation)
            known.add(one.name, one.pose, np.diag([spread] * 3 + [angle] * 3))

    def forget_candidates(self) -> None:
        self._candidates.clear()

    def add(self, known: MapFilter, sighting: Sighting, state: StampedState) -> bool:
        """Take a sighting of what is not on the map; return whether it is there now."""
        spread = np.sqrt(np.diag(known.covariance)[X : YAW + 1])
        is_small = sighting.pixels < _SMALLEST
        if is_small or len(known.places) >= MOST_TAGS or max(spread) > _SPREAD:
            return False
        mount = Mount(*map(float, known.robot[PITCH : CAMERA_YAW + 1]))
        x, y, yaw = map(float, known.robot[X : YAW + 1])
        camera = camera_pose(pose(x, y, 0.0, yaw), state.head, mount, state.tilt)
        places = [camera @ solution for solution in sighting.solutions]
        candidate = self._candidates.setdefault(sighting.name, Candidate())
        true = candidate.add(places, sighting.pixels)
        if true is None or not known.place(sighting, state, places[true]):
            return False
        deviation = np.sqrt(np.diag(known.landmark_covariance(sighting.name)))
        if max(deviation[:3]) > _SPREAD or max(deviation[3:]) > _ANGLE:
            known.remove(sighting.name)
            return False
        del self._candidates[sighting.name]
        if sighting.size or sighting.name == CHARGER:
            # Cubes are none of a map: tomorrow they are elsewhere.
            self._sizes[sighting.name] = sighting.size
        return True

    def add_charger(self, known: MapFilter, docked: Matrix) -> None:
        """Place the charger under a robot that stands on its contacts, which tell well where."""
        x, y, yaw = map(float, known.robot[X : YAW + 1])
        place = pose(x, y, 0.0, yaw) @ inverse(docked)
        known.add(CHARGER, place, np.diag([1.0, 1.0, 1e-6, 1e-6, 1e-6, 1.0]))
        self._sizes[CHARGER] = 0.0

    def tag_map(self, known: MapFilter) -> TagMap:
        """Return the tags and the charger as a filter knows them; cubes are none of a map."""
        tags = [
            self._tag(name, known.places[name], known.landmark_covariance(name))
            for name in known.names
            if name in self._sizes
        ]
        return TagMap.of(tags, self._given.name, self._given.origin)

    def map_in(self, known: MapFilter, origin: str) -> TagMap:
        """Return them in the frame of one of them: on the floor below it, x to where it looks."""
        place = known.places[origin]
        facing = MapTag(origin, self._sizes[origin], place).angles[0]
        frame = inverse(pose(float(place[0, 3]), float(place[1, 3]), 0.0, facing))
        tags = []
        for name in known.names:
            if name in self._sizes:
                here: Matrix = frame @ known.places[name]
                tags.append(self._tag(name, here, _relative(known, name, origin, frame)))
        return TagMap.of(tags, self._given.name, origin)

    def _tag(self, name: str, place: Matrix, covariance: Matrix) -> MapTag:
        spread = math.sqrt(max(float(np.diag(covariance)[:3].mean()), 0.0))
        angle = math.sqrt(max(float(np.diag(covariance)[3:].mean()), 0.0))
        deviation = max(spread, _LEAST), max(angle, _LEAST_ANGLE)
        return MapTag(name, self._sizes[name], place, deviation)


def _relative(known: MapFilter, name: str, origin: str, frame: Matrix) -> Matrix:
    """Return the covariance of a landmark in the frame of another one, 6x6."""
    first, own = known.start_of(origin), known.start_of(name)
    arm = known.places[name][:3, 3] - known.places[origin][:3, 3]
    # What the frame's errors (x, y, yaw) move the landmark by.
    by_origin = np.zeros((6, 6))
    by_origin[0, 0] = by_origin[1, 1] = -1.0
    by_origin[0, 5], by_origin[1, 5], by_origin[5, 5] = arm[1], -arm[0], -1.0
    slopes = np.zeros((6, len(known.covariance)))
    slopes[:, first : first + 6] = by_origin
    slopes[:, own : own + 6] += np.eye(6)
    turn = np.kron(np.eye(2), frame[:3, :3])
    spread: Matrix = turn @ slopes @ known.covariance @ slopes.T @ turn.T
    return spread
