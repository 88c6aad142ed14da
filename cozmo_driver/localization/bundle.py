"""All that was seen since the pose was lost, solved at once (bundle adjustment).

A filter takes each sighting where it believed to be then. At first that is degrees off, and what
later corrects the heading leaves it too sure of how the camera is turned: simulated robots had
10 times the error that their covariance told in the first minute. Here every slope is taken where
the whole of it says that the robot was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..perception import Matrix, StampedState, rotation
from .camera_model import Prediction, predict
from .motion import DISTANCE_SCALE, ROBOT, TURN_SCALE, YAW, Step
from .sightings import Sighting

LANDMARK = 6
_POSE = 3
_SCALES = slice(TURN_SCALE, DISTANCE_SCALE + 1)
_LEAST = np.diag([1e-8, 1e-8, 1e-8])
"""m and rad, squared, that a motion errs by at least: also where the robot stood."""
_ROUNDS = 6
_CLOSE = 2e-4
"""m and rad; a step of all figures so small is the last one."""
_FAR = 6.0
"""Mahalanobis distance squared for each figure from which a sighting counts less, as the square
root of its distance (Huber)."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """What odometry says of the motion between two images, in the frame of its beginning."""

    move: Matrix
    """x, y, yaw."""
    by_scales: Matrix
    """(3, 2), by the scales of turns and distances."""
    noise: Matrix
    """3x3."""
    scales: Matrix
    """At which it was taken, (2,)."""

    @classmethod
    def none(cls, scales: Matrix) -> Leg:
        return cls(np.zeros(3), np.zeros((3, 2)), np.zeros((3, 3)), scales.copy())

    def then(self, before: Matrix, step: Step) -> Leg:
        """Return this motion and another one, that began where the robot's state was ``before``."""
        back = turned(-before[YAW])
        slope = back @ step.slope[: YAW + 1, _SCALES]
        move = back @ (step.mean[: YAW + 1] - before[: YAW + 1])
        move[YAW] = math.remainder(move[YAW], 2 * math.pi)
        move += slope @ (self.scales - before[_SCALES])
        ahead = turned(self.move[YAW])
        # What turns more, swings the rest of the motion around.
        swing = np.eye(3)
        swing[:2, YAW] = (
            ahead[1, 0] * -move[0] - ahead[0, 0] * move[1],
            (ahead[0, 0] * move[0] - ahead[1, 0] * move[1]),
        )
        own = ahead @ back
        return Leg(
            self.move + ahead @ move,
            swing @ self.by_scales + ahead @ slope,
            swing @ self.noise @ swing.T + own @ step.noise[: YAW + 1, : YAW + 1] @ own.T,
            self.scales,
        )

    def between(self, scales: Matrix) -> Matrix:
        moved: Matrix = self.move + self.by_scales @ (scales - self.scales)
        return moved


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """An image, and the motion to it from the one before."""

    leg: Leg
    state: StampedState
    sightings: tuple[Sighting, ...]
    factor: float
    """Of the variance of its sightings."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What fits best; ``covariance`` is of robot and landmarks at the image that was asked for, in
    the order of the names.
    """

    track: Matrix
    """x, y and yaw at the start, and at each image."""
    robot: Matrix
    places: dict[str, Matrix]
    covariance: Matrix
    cost: float
    """Mahalanobis distance of everything, squared, with what is far off counted less."""


class Bundle:
    """Collects; ``solve`` tells. ``robot``, ``covariance``, ``places``: what is known before."""

    def __init__(self, robot: Matrix, covariance: Matrix, places: dict[str, Matrix]) -> None:
        self.robot, self.places, self.covariance = robot.copy(), dict(places), covariance.copy()
        self.looks: tuple[Look, ...] = ()
        self._leg = Leg.none(robot[_SCALES])

    def copy(self) -> Bundle:
        twin = Bundle.__new__(Bundle)
        twin.robot, twin.places, twin.covariance = self.robot, self.places, self.covariance
        twin.looks, twin._leg = self.looks, self._leg
        return twin

    def drive(self, before: Matrix, step: Step) -> None:
        """Take a motion that began where the robot's state was ``before``."""
        self._leg = self._leg.then(before, step)

    def look(self, state: StampedState, sightings: Sequence[Sighting], factor: float) -> None:
        self.looks = (*self.looks, Look(self._leg, state, tuple(sightings), factor))
        self._leg = Leg.none(self._leg.scales)

    def forget(self, name: str) -> None:
        """Leave out what was seen of a landmark, and where it was, as it has moved."""
        if name in self.places:
            start = ROBOT + LANDMARK * list(self.places).index(name)
            taken = range(start, start + LANDMARK)
            self.covariance = np.delete(np.delete(self.covariance, taken, 0), taken, 1)
            self.places = {other: place for other, place in self.places.items() if other != name}
        self.looks = tuple(
            replace(look, sightings=tuple(one for one in look.sightings if one.name != name))
            for look in self.looks
        )

    def solve(
        self,
        robot: Matrix,
        places: dict[str, Matrix],
        track: Matrix | None = None,
        rounds: int = _ROUNDS,
        at: int = -1,
    ) -> Solution | None:
        """Return what fits best to all of it, at an image; None where nothing does.

        ``robot``, ``places``: where the search begins, at the last image, and ``track``: x, y and
        yaw at each of them; by default odometry tells those.
        """
        problem = _Problem(self, robot, places, track)
        cost = math.inf
        for _ in range(rounds):
            matrix, vector, here = problem.normal_equations()
            try:
                step = np.linalg.solve(matrix, vector)
            except np.linalg.LinAlgError:
                return None
            if not np.isfinite(step).all() or np.abs(step[problem.poses]).max() > 1.0:
                return None
            cost = here
            problem.shift(step.astype(np.float64, copy=False))
            if np.abs(step).max() < _CLOSE:
                break
        first = _POSE * (at % len(self.looks) + 1)
        chosen = np.r_[first : first + _POSE, problem.rest]
        covariance = np.linalg.inv(matrix)[np.ix_(chosen, chosen)]
        return Solution(
            problem.track,
            np.concatenate((problem.track[first // _POSE], problem.others)),
            problem.places,
            covariance,
            cost,
        )


class _Problem:
    """Figures in this order: pose at the start, at each image, the robot's others, landmarks."""

    def __init__(
        self,
        bundle: Bundle,
        robot: Matrix,
        places: dict[str, Matrix],
        track: Matrix | None,
    ) -> None:
        self._bundle = bundle
        self.places = dict(places)
        self.others = robot[_POSE:].copy()
        count = len(bundle.looks)
        self.poses = slice(0, _POSE * (count + 1))
        start = self.poses.stop
        self._columns = {
            name: start + ROBOT - _POSE + LANDMARK * number for number, name in enumerate(places)
        }
        self._size = start + ROBOT - _POSE + LANDMARK * len(places)
        self._own = range(start, start + ROBOT - _POSE)
        self.rest = range(start, self._size)
        self.track = _by_odometry(bundle, robot) if track is None else np.vstack((track[:1], track))
        columns, kept = [*range(_POSE), *self._own], [*range(ROBOT)]
        self._known: list[str] = []
        for number, name in enumerate(bundle.places):
            if name in self._columns:
                at, own = self._columns[name], ROBOT + LANDMARK * number
                columns += range(at, at + LANDMARK)
                kept += range(own, own + LANDMARK)
                self._known.append(name)
        self._prior_columns = columns
        self._prior = np.linalg.inv(
            bundle.covariance[np.ix_(kept, kept)] + 1e-10 * np.eye(len(kept))
        )

    def shift(self, step: Matrix) -> None:
        self.track += step[self.poses].reshape(-1, _POSE)
        self.others += step[self._own]
        for name, at in self._columns.items():
            self.places[name] = moved_landmark(self.places[name], step[at : at + LANDMARK])

    def normal_equations(self) -> tuple[Matrix, Matrix, float]:
        """Return matrix, vector and the cost here."""
        self._matrix = np.zeros((self._size, self._size))
        self._vector = np.zeros(self._size)
        self._cost = 0.0
        self._add_prior()
        for number, look in enumerate(self._bundle.looks, 1):
            self._add_leg(number, look.leg)
            self._add_image(number, look)
        return self._matrix, self._vector, self._cost

    def _add(self, columns: Sequence[int], slopes: Matrix, residual: Matrix, inner: Matrix) -> None:
        """Add what says that slopes times a step should be the residual, with that covariance."""
        weighted = np.linalg.solve(inner, np.column_stack((slopes, residual)))
        self._matrix[np.ix_(columns, columns)] += slopes.T @ weighted[:, :-1]
        self._vector[columns] += slopes.T @ weighted[:, -1]
        self._cost += float(residual @ weighted[:, -1])

    def _add_prior(self) -> None:
        before = self._bundle
        pose = self.track[0] - before.robot[: YAW + 1]
        pose[YAW] = math.remainder(pose[YAW], 2 * math.pi)
        moved = [_step_between(before.places[name], self.places[name]) for name in self._known]
        off = np.concatenate([pose, self.others - before.robot[_POSE:], *moved])
        columns = self._prior_columns
        self._matrix[np.ix_(columns, columns)] += self._prior
        self._vector[columns] -= self._prior @ off
        self._cost += float(off @ self._prior @ off)

    def _add_leg(self, number: int, leg: Leg) -> None:
        a, b = self.track[number - 1 : number + 1]
        back = turned(-a[YAW])
        move = back @ (b - a)
        move[YAW] = math.remainder(b[YAW] - a[YAW], 2 * math.pi)
        slopes = np.zeros((3, 8))
        slopes[:, :3], slopes[:, 3:6] = -back, back
        slopes[:2, YAW] = move[1], -move[0]
        slopes[:, 6:] = -leg.by_scales
        residual = leg.between(self.others[:2]) - move
        residual[YAW] = math.remainder(residual[YAW], 2 * math.pi)
        first = _POSE * (number - 1)
        columns = [*range(first, first + 2 * _POSE), *self._own[:2]]
        self._add(columns, slopes, residual, leg.noise + _LEAST)

    def _add_image(self, number: int, look: Look) -> None:
        robot = np.concatenate((self.track[number], self.others))
        found: list[tuple[str, Prediction, float]] = []
        for one in look.sightings:
            if one.name not in self._columns:
                continue
            seen = predict(robot, look.state, one, self.places[one.name])
            if seen is not None:
                distance = float(seen.residual @ np.linalg.solve(seen.noise, seen.residual))
                ratio = distance / (look.factor * _FAR * len(seen.residual))
                found.append((one.name, seen, max(math.sqrt(ratio), 1.0)))
        if not found:
            return
        rows = [len(seen.residual) for _, seen, _ in found]
        slopes = np.zeros((sum(rows), ROBOT + LANDMARK * len(found)))
        inner = np.zeros((sum(rows), sum(rows)))
        columns = [*range(_POSE * number, _POSE * (number + 1)), *self._own]
        at = 0
        for index, (name, seen, less) in enumerate(found):
            own = slice(at, at + len(seen.residual))
            start = ROBOT + LANDMARK * index
            slopes[own, :ROBOT] = seen.by_robot
            slopes[own, start : start + LANDMARK] = seen.by_landmark
            inner[own, own] = less * look.factor * seen.own_noise
            columns += range(self._columns[name], self._columns[name] + LANDMARK)
            at = own.stop
        shared = np.vstack([math.sqrt(less) * seen.shared for _, seen, less in found])
        inner += look.factor * shared @ shared.T
        self._add(columns, slopes, np.concatenate([one.residual for _, one, _ in found]), inner)


def _by_odometry(bundle: Bundle, robot: Matrix) -> Matrix:
    """Return the track back from where it is now: of all that the filter believed the best."""
    track = [robot[: YAW + 1].copy()]
    for look in reversed(bundle.looks):
        leg = look.leg.between(robot[_SCALES])
        track.append(track[-1] - turned(track[-1][YAW] - leg[YAW]) @ leg)
    return np.array(track[::-1])


def moved_landmark(place: Matrix, step: Matrix) -> Matrix:
    """Return a landmark's pose moved by a step of its position and rotation on the map."""
    after: Matrix = place.copy()
    after[:3, 3] += step[:3]
    after[:3, :3] = rotation(step[3:]) @ place[:3, :3]
    return after


def _step_between(before: Matrix, after: Matrix) -> Matrix:
    """Return what ``moved_landmark`` makes the one of the other by; rotations are small."""
    turn = after[:3, :3] @ before[:3, :3].T
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate((after[:3, 3] - before[:3, 3], axis / 2))


def turned(angle: float) -> Matrix:
    """Return what turns x and y of a pose, 3x3."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
