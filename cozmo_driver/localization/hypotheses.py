"""Where the robot may be while it does not know: a filter for each pose that landmarks allow.

A small tag allows two poses, mirrored about the line of sight. Each is followed by odometry; what
is seen after some driving, or another landmark, decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..perception import Drop, Matrix, Mount, PoseHistory, StampedState, camera_pose, inverse
from .candidates import angle_between
from .map_filter import MapFilter
from .motion import CAMERA_YAW, PITCH, YAW, X
from .sightings import Sighting

_AS_SOLVED = 0.3
"""Deviation of a pose by one landmark alone, m and rad."""
_ASIDE, _LEAST_ASIDE = 0.25, math.radians(4.0)
"""The same of the direction from which it is seen, in shares of what its two poses are apart, and
rad: wider, and both slide into the one that fits by chance, as 0.3 m did in rendered drives."""
_GATE = 40.0
"""Mahalanobis distance squared of four corners beyond which they are not explained: 3 in a million
by noise as modelled, 1 % with noise of twice the deviation."""
_MARGIN = 12.0
"""By which the best hypothesis' cost must be lower than the next one's: e^-6 as likely."""
_FORGETS = 0.95
"""Share of its costs that a hypothesis keeps with each image."""
_MOST = 8
_SAME, _SAME_HEADING = 0.05, math.radians(5.0)
"""m and rad within which two hypotheses are one. Not standard deviations: from afar both poses of a
tag lie within those of each other."""
_DISTINCT = math.radians(3.0)
"""Between the normals of both poses of a landmark."""
_IMAGES = 2
"""Images that must agree with a hypothesis."""


@dataclass(slots=True, eq=False)
class Hypothesis:
    """One place where the robot may be."""

    filter: MapFilter
    cost: float = 0.0
    images: int = 0
    supports: set[str] = field(default_factory=set)
    """Landmarks that agree with it."""
    is_held: bool = False
    """Whether it was believed until now: another one needs two landmarks to beat it."""

    def take(self, sightings: Sequence[Sighting], state: StampedState) -> None:
        """Compare it with an image, and correct it by what agrees."""
        self.cost *= _FORGETS
        agreeing = []
        for one in sightings:
            fit = self.filter.fit(one, state)
            is_explained = fit is not None and fit.distance <= _GATE
            self.cost += fit.distance - fit.freedom if fit and is_explained else _GATE
            if is_explained:
                agreeing.append(one)
        if agreeing:
            self.filter.search(agreeing, state)
            self.filter.keep(agreeing, state)
            self.images += 1
            self.supports |= {one.name for one in agreeing}


class Hypotheses:
    """All of them, of one search."""

    def __init__(self, base: MapFilter, held: MapFilter | None = None) -> None:
        """``base`` knows the landmarks; ``held`` is what was believed until now, if anything."""
        self._base = base
        self.known: list[Hypothesis] = []
        if held is not None:
            self.known.append(Hypothesis(held.copy(), images=_IMAGES, is_held=True))

    def drive(self, history: PoseHistory, stamp: float) -> None:
        """Let all of them follow odometry up to a time; those that cannot are forgotten."""
        followed = []
        for one in self.known:
            states = history.between(min(one.filter.stamp, stamp), stamp)
            if not isinstance(states, Drop):
                one.filter.drive(states)
                followed.append(one)
        self.known = followed

    def take(self, sightings: Sequence[Sighting], state: StampedState) -> None:
        """Take the landmarks of an image, at the time that all hypotheses are at."""
        for one in self.known:
            one.take(sightings, state)
        explained = {name for one in self.known if not one.is_held for name in one.supports}
        for sighting in sightings:
            if sighting.is_large and sighting.name not in explained:
                self._spawn(sighting, sightings, state)
        self._merge()

    def forget(self, name: str) -> None:
        """Leave out a landmark that has moved, and that the base knows no longer."""
        for one in self.known:
            one.filter.remove(name)
            one.supports.discard(name)

    def decided(self) -> MapFilter | None:
        """Return the filter of the only pose that is left, if there is one."""
        ripe = [one for one in self.known if one.images >= _IMAGES and one.supports]
        if not ripe:
            return None
        best = min(ripe, key=lambda one: one.cost)
        others = [one for one in self.known if one is not best]
        if any(one.cost < best.cost + _MARGIN for one in others):
            return None
        is_contested = any(one.is_held for one in others)
        if is_contested and len(best.supports) < 2:
            return None
        return best.filter

    def _spawn(
        self, sighting: Sighting, all_of_image: Sequence[Sighting], state: StampedState
    ) -> None:
        """Add the poses that one landmark allows."""
        rest = [one for one in all_of_image if one is not sighting]
        solutions = _both(sighting.solutions)
        apart = angle_between(*(one[:3, 1] for one in solutions))
        for solution in solutions:
            made = self._base.copy()
            made.stamp = state.stamp
            place = _pose_by(made, sighting, solution, state)
            landmark = made.places[sighting.name][:2, 3]
            made.set_pose(place, _covariance(place, landmark, apart))
            distance = made.search([sighting], state)
            if not distance <= _GATE:
                continue
            made.keep([sighting], state)
            one = Hypothesis(made, max(distance - 5.0, 0.0), 1, {sighting.name})
            one.take(rest, state)
            one.images = 1
            self.known.append(one)

    def _merge(self) -> None:
        """Keep the better one of those that are the same, and the best ones of all."""
        kept: list[Hypothesis] = []
        for one in sorted(self.known, key=lambda one: one.cost):
            twin = next((other for other in kept if _are_same(one, other)), None)
            if twin is None:
                kept.append(one)
            else:
                twin.is_held |= one.is_held
                twin.images = max(twin.images, one.images)
                twin.supports |= one.supports
        self.known = kept[:_MOST]


def _pose_by(
    base: MapFilter, sighting: Sighting, solution: Matrix, state: StampedState
) -> tuple[float, float, float]:
    """Return about where the robot is if it sees a landmark in one of its poses."""
    mount = Mount(*map(float, base.robot[PITCH : CAMERA_YAW + 1]))
    view = camera_pose(np.eye(4), state.head, mount, state.tilt)
    placed = base.places[sighting.name] @ inverse(solution) @ inverse(view)
    return float(placed[0, 3]), float(placed[1, 3]), math.atan2(placed[1, 0], placed[0, 0])


def _covariance(place: tuple[float, float, float], landmark: Matrix, apart: float) -> Matrix:
    """Return that of a pose by one of a landmark's poses, which are so many rad apart."""
    sight = landmark - place[:2]
    distance = max(float(np.linalg.norm(sight)), 1e-6)
    aside = np.array([-sight[1], sight[0]]) / distance
    spread = min(distance * max(_ASIDE * apart, _LEAST_ASIDE), _AS_SOLVED)
    covariance = _AS_SOLVED**2 * np.eye(3)
    covariance[:2, :2] += (spread**2 - _AS_SOLVED**2) * np.outer(aside, aside)
    return covariance


def _both(solutions: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
    """Return both poses of a landmark, also where noise lets only one fit best.

    That one may be the false one: nearly square to the line of sight, a small tag's slope is
    known from a few tenths of a pixel.
    """
    first, second = solutions[0], solutions[-1]
    if angle_between(first[:3, 1], second[:3, 1]) > _DISTINCT:
        return first, second
    sight = first[:3, 3] / np.linalg.norm(first[:3, 3])
    mirrored = first.copy()
    right, up = (first[:3, i] - 2.0 * sight * (sight @ first[:3, i]) for i in (0, 2))
    mirrored[:3, 0], mirrored[:3, 1], mirrored[:3, 2] = right, np.cross(up, right), up
    return first, mirrored


def _are_same(a: Hypothesis, b: Hypothesis) -> bool:
    apart = a.filter.robot[X : YAW + 1] - b.filter.robot[X : YAW + 1]
    apart[2] = math.remainder(apart[2], 2 * math.pi)
    return math.hypot(apart[0], apart[1]) <= _SAME and abs(apart[2]) <= _SAME_HEADING
