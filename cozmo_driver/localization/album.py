"""What is seen while a map is made, solved at once at its end: where the robot was, and every tag.

The filter that drives meanwhile takes each tag where it believed to be then, and chooses early
which of its two poses is true; here all that was seen of it, from everywhere, decides.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..perception import Matrix, Mount, StampedState, camera_pose, pose
from .bundle import LANDMARK, Bundle, Leg, Look, moved_landmark
from .camera_model import predict
from .map_filter import MapFilter
from .motion import CAMERA_YAW, DISTANCE_SCALE, PITCH, ROBOT, TURN_SCALE, YAW, step_through
from .sightings import Sighting
from .tag_map import CHARGER
from .views import Views

_APART = 0.05
"""m, and twice as many rad, from one view of a tag to the next that is kept."""
_MOST = 640
"""Images that are solved: 3 s of a fast core. With 160 of the 3,000 of ten minutes the worst tag of
two drives in eight was 16 and 32 mm off (simulated), with 640 of none more than 11."""
_SMALLEST = 12.0
"""Pixels, side of a tag: smaller ones are found by chance."""
_PASSES, _ROUNDS = 2, 12
_TAKEN = 12
"""Views of a tag that tell which of its poses is true."""
_SURE = 6.0
"""Distance squared by which that pose must fit better than the other."""
_CLAMP = 24.0
"""Distance squared that a view adds at most there: some are of something else."""
_ALONE = 0.07
"""Between two poses of a tag, m or rad, that are the same."""
_SPREAD, _ANGLE = 0.04, 0.2
"""Standard deviations, m and rad, from which on a tag is left out: a choice."""
_ANYWHERE = np.diag([25.0, 25.0, 10.0])

View = tuple[Matrix, StampedState, Sighting]
"""The robot's state then, what odometry said, and what was seen."""


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    state: StampedState
    sightings: tuple[Sighting, ...]
    place: Matrix
    """x, y and yaw on the map as the filter had them."""


class Album:
    """Collects; ``solve`` tells."""

    def __init__(self) -> None:
        self.sizes: dict[str, float] = {}
        """m, of the tags that were seen."""
        self._states: list[StampedState] = []
        self._pictures: list[_Picture] = []
        self._docked: _Picture | None = None
        self._views = Views()

    @property
    def has_docked(self) -> bool:
        return self._docked is not None

    def on_state(self, state: StampedState) -> None:
        if self._states and state.stamp < self._states[-1].stamp:
            # A clock that steps back begins a time of its own.
            self._states, self._pictures, self._docked = [], [], None
        self._states.append(state)

    def add(self, state: StampedState, sightings: Sequence[Sighting], place: Matrix) -> None:
        """Take an image. Cubes are left out: tomorrow they are elsewhere."""
        wanted = [one for one in sightings if one.size or one.name == CHARGER]
        wanted = [one for one in wanted if one.pixels >= _SMALLEST]
        fresh = self._views.fresh(wanted, state, _APART)
        self.sizes.update((one.name, one.size) for one in fresh)
        if fresh:
            self._pictures.append(_Picture(state, tuple(fresh), place.copy()))

    def dock(self, state: StampedState, place: Matrix) -> None:
        """Take that the robot stands on the charger's contacts."""
        self._docked = _Picture(state, (), place.copy())

    def forget(self, name: str) -> None:
        """Leave out what was seen of a landmark so far, as it has moved."""
        if name == CHARGER:
            self._docked = None
        self._views.forget(name)
        self._pictures = _without({name}, self._pictures)

    def solve(
        self, base: MapFilter, robot: Matrix, doubted: Set[str] = frozenset()
    ) -> MapFilter | None:
        """Return what fits best to all of it; None where nothing does, or nothing was seen.

        ``base``: the landmarks of the map that is extended, and what was known of the robot at
        first; ``robot``: its state as it is believed to be now; ``doubted``: what is left out.
        """
        states, pictures = list(self._states), _without(doubted, self._pictures)
        pictures = pictures[:: -(-len(pictures) // _MOST) or 1]
        docked = None if CHARGER in base.places else self._docked
        # Contacts tell better where the charger is than its marker.
        taken = base.places.keys() | ({CHARGER} if docked else set())
        pictures = sorted([*pictures, *filter(None, [docked])], key=lambda one: one.state.stamp)
        if len(pictures) < 2:
            return None
        known, given = base.copy(), base.places
        # Where nothing was on the map, the first place defines its frame.
        known.set_pose(pictures[0].place, _ANYWHERE if given else 1e-8 * np.eye(3))
        bundle = Bundle(known.robot, known.covariance, given)
        bundle.looks = tuple(_looks(pictures, states, base.robot[TURN_SCALE : DISTANCE_SCALE + 1]))
        track = np.array([one.place for one in pictures])
        at = -1 if docked is None else pictures.index(docked)
        known.robot = robot.copy()
        for _ in range(_PASSES):
            places = known.places | _placed(pictures, track, known.robot, taken)
            found = bundle.solve(known.robot, places, track, _ROUNDS, at)
            if found is None:
                return None
            track = found.track[1:]
            known.robot, known.places, known.covariance = (
                found.robot,
                found.places,
                found.covariance,
            )
        known.names, known.bundle = list(known.places), None
        for name in known.places.keys() - given.keys():
            variances = np.diag(known.landmark_covariance(name))
            if not (variances[:3].max() < _SPREAD**2 and variances[3:].max() < _ANGLE**2):
                known.remove(name)
        return known


def _without(names: Set[str], pictures: Sequence[_Picture]) -> list[_Picture]:
    """Return the pictures of anything else, with that alone."""
    kept = [
        replace(one, sightings=tuple(seen for seen in one.sightings if seen.name not in names))
        for one in pictures
    ]
    return [one for one in kept if one.sightings]


def _looks(
    pictures: Sequence[_Picture], states: Sequence[StampedState], scales: Matrix
) -> list[Look]:
    """Return each image with what odometry says of the motion to it; all begins at the first."""
    looks = [Look(Leg.none(scales), pictures[0].state, pictures[0].sightings, 1.0)]
    at = 0
    for before, after in pairwise(pictures):
        a, b = before.state, after.state
        while at < len(states) and states[at].stamp <= a.stamp:
            at += 1
        end = at
        while end < len(states) and states[end].stamp < b.stamp:
            end += 1
        robot = np.zeros(ROBOT)
        robot[: YAW + 1], robot[TURN_SCALE : DISTANCE_SCALE + 1] = before.place, scales
        leg = Leg.none(scales)
        if a.origin == b.origin:
            leg = leg.then(robot, step_through(robot, [a, *states[at:end], b]))
        else:
            leg = replace(leg, noise=_ANYWHERE)
        looks.append(Look(leg, b, after.sightings, 1.0))
        at = end
    return looks


def _placed(
    pictures: Sequence[_Picture], track: Matrix, robot: Matrix, taken: Set[str]
) -> dict[str, Matrix]:
    """Return the pose of every tag of which it is clear, as seen from where the robot was."""
    views: dict[str, list[View]] = {}
    for picture, place in zip(pictures, track, strict=True):
        here = np.concatenate((place, robot[YAW + 1 :]))
        for one in picture.sightings:
            if one.name not in taken:
                views.setdefault(one.name, []).append((here, picture.state, one))
    found = {name: _pose_of(seen) for name, seen in views.items()}
    return {name: place for name, place in found.items() if place is not None}


def _pose_of(views: Sequence[View]) -> Matrix | None:
    views = sorted(views, key=lambda view: -view[2].pixels)
    views = views[:: -(-len(views) // _TAKEN)]
    fits: list[tuple[float, Matrix]] = []
    for here, state, one in (views[0], views[-1]):
        mount = Mount(*map(float, here[PITCH : CAMERA_YAW + 1]))
        x, y, yaw = map(float, here[: YAW + 1])
        eye = camera_pose(pose(x, y, 0.0, yaw), state.head, mount, state.tilt)
        fits += [_fitted(eye @ solution, views) for solution in one.solutions]
    cost, best = min(fits, key=lambda fit: fit[0])
    others = [other for other, place in fits if np.abs(place - best).max() > _ALONE]
    return best if min(others, default=np.inf) > cost + _SURE else None


def _fitted(place: Matrix, views: Sequence[View]) -> tuple[float, Matrix]:
    """Return the pose of a tag near one that fits best to views of it, and its cost."""
    cost = np.inf
    for _ in range(_ROUNDS):
        matrix, vector, before, cost = 1e-3 * np.eye(LANDMARK), np.zeros(LANDMARK), cost, 0.0
        for here, state, one in views:
            seen = predict(here, state, one, place)
            if seen is None:
                cost += _CLAMP
                continue
            weighted = np.linalg.solve(
                seen.noise, np.column_stack((seen.by_landmark, seen.residual))
            )
            distance = float(seen.residual @ weighted[:, -1])
            share = min(_CLAMP / max(distance, 1e-9), 1.0)
            matrix += share * seen.by_landmark.T @ weighted[:, :-1]
            vector += share * seen.by_landmark.T @ weighted[:, -1]
            cost += min(distance, _CLAMP)
        if before - cost < 0.1:
            break
        step = np.linalg.solve(matrix, vector).astype(np.float64, copy=False)
        place = moved_landmark(place, step)
    return cost, place
