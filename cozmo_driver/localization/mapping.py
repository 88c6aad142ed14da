"""From a map to the filter and back: landmarks with their certainty, and those that come to it."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence, Set

import numpy as np

from ..perception import DOCKED, Matrix, Mount, StampedState, camera_pose, inverse, pose
from .album import Album
from .candidates import Candidate
from .docking import bind_to_charger
from .map_filter import MapFilter
from .motion import CAMERA_YAW, PITCH, YAW, X
from .sightings import Sighting
from .tag_map import CHARGER, MOST_TAGS, MapTag, TagMap

_SPREAD, _ANGLE = 0.10, math.radians(12.0)
"""Standard deviations, m and rad, beyond which a tag is seen too badly to be placed."""
_LEAST, _LEAST_ANGLE = 0.0005, math.radians(0.1)
"""What a landmark in a file is not surer than."""


class Mapping:
    """Knows sizes and names; the filter knows the places."""

    def __init__(self, tag_map: TagMap, album: Album | None = None) -> None:
        self._given = tag_map
        self.sizes = {one.name: one.size for one in tag_map.tags.values()}
        """m, of what may be on the map; the charger's is 0."""
        self._candidates: dict[str, Candidate] = {}
        self.album = album
        """Of all that is seen, while a map is learnt."""

    def fill(self, known: MapFilter) -> None:
        """Add the landmarks of the map to a filter that is new."""
        for one in self._given.tags.values():
            spread, angle = np.square(one.deviation)
            known.add(one.name, one.pose, np.diag([spread] * 3 + [angle] * 3))

    def forget(self, name: str) -> None:
        """Take that a landmark is elsewhere: what is seen of it from now on tells where."""
        kept = [one for one in self._given.tags.values() if one.name != name]
        self._given = TagMap.of(kept, self._given.name, self._given.origin)
        if self.album is not None:
            self.album.forget(name)

    def forget_candidates(self) -> None:
        self._candidates.clear()

    def add(self, known: MapFilter, sighting: Sighting, state: StampedState) -> bool:
        """Take a sighting of what is not on the map; return whether it is there now."""
        spread = np.sqrt(np.diag(known.covariance)[X : YAW + 1])
        if not sighting.is_large or len(known.places) >= MOST_TAGS or max(spread) > _SPREAD:
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
            self.sizes[sighting.name] = sighting.size
        return True

    def add_charger(self, known: MapFilter, docked: Matrix) -> None:
        """Place the charger under a robot that stands on its contacts, which tell well where."""
        x, y, yaw = map(float, known.robot[X : YAW + 1])
        place = pose(x, y, 0.0, yaw) @ inverse(docked)
        known.add(CHARGER, place, np.diag([1.0, 1.0, 1e-6, 1e-6, 1e-6, 1.0]))
        self.sizes[CHARGER] = 0.0

    # -- what is learnt

    def on_state(self, state: StampedState) -> None:
        if self.album is not None:
            self.album.on_state(state)

    def on_image(
        self,
        known: MapFilter,
        sightings: Sequence[Sighting],
        state: StampedState,
        rejected: Container[str],
    ) -> None:
        """Take what an image shows; the filter is at its time.

        What the filter rejects tells more of a tag that was placed meanwhile; one of the map would
        be held where the map has it, and everything else put aside.
        """
        if self.album is not None:
            given = self._given.tags
            kept = [one for one in sightings if one.name not in given or one.name not in rejected]
            self.album.add(state, kept, known.robot[X : YAW + 1])

    def on_docked(self, known: MapFilter, state: StampedState) -> None:
        """Take that the robot stands on the charger's contacts."""
        if self.album is not None:
            self.album.dock(state, known.robot[X : YAW + 1])

    def learnt(self, base: MapFilter, known: MapFilter, origin: str, doubted: Set[str]) -> TagMap:
        """Return the map by all that was seen, or as the filter has it, where that is all.

        ``base``: a filter that is new; ``doubted``: landmarks that are left out.
        """
        known, album = known.copy(), self.album
        for one in (base, known):
            for name in doubted & one.places.keys():
                one.remove(name)
        if album is not None and (solved := album.solve(base, known.robot, doubted)) is not None:
            known = solved
            self.sizes.update(album.sizes)
            if album.has_docked and CHARGER not in known.places:
                self.add_charger(known, DOCKED)
                bind_to_charger(known, is_known=True)
        return self.map_in(known, origin) if origin else self.tag_map(known)

    def tag_map(self, known: MapFilter) -> TagMap:
        """Return the tags and the charger as a filter knows them; cubes are none of a map."""
        tags = [
            self._tag(name, known.places[name], known.landmark_covariance(name))
            for name in known.names
            if name in self.sizes
        ]
        return TagMap.of(tags, self._given.name, self._given.origin)

    def map_in(self, known: MapFilter, origin: str) -> TagMap:
        """Return them in the frame of one of them: on the floor below it, x to where it looks."""
        place = known.places[origin]
        facing = MapTag(origin, self.sizes[origin], place).angles[0]
        frame = inverse(pose(float(place[0, 3]), float(place[1, 3]), 0.0, facing))
        tags = []
        for name in known.names:
            if name in self.sizes:
                here: Matrix = frame @ known.places[name]
                tags.append(self._tag(name, here, _relative(known, name, origin, frame)))
        return TagMap.of(tags, self._given.name, origin)

    def _tag(self, name: str, place: Matrix, covariance: Matrix) -> MapTag:
        # The worst direction's: with the mean of all the others the map would be too sure of it.
        worst = [
            float(np.linalg.eigvalsh(covariance[at : at + 3, at : at + 3])[-1]) for at in (0, 3)
        ]
        spread, angle = np.sqrt(np.maximum(worst, 0.0))
        deviation = max(float(spread), _LEAST), max(float(angle), _LEAST_ANGLE)
        return MapTag(name, self.sizes[name], place, deviation)


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
