"""Robot and landmarks on the map as one extended Kalman filter, so that their errors stay linked.

What many sightings of a badly placed landmark tell is then no surer than the landmark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..perception import MOUNT_PRIOR, MOUNT_SESSION, Matrix, StampedState
from ..robot import SLIP
from .bundle import LANDMARK, Bundle, moved_landmark
from .camera_model import Prediction, predict
from .motion import (
    CAMERA_YAW,
    DISTANCE_SCALE,
    PITCH,
    ROBOT,
    TURN_SCALE,
    YAW,
    Priors,
    Step,
    X,
    step_through,
)
from .sightings import Sighting

_CLOSE = 1e-4
"""m and rad; a step so small is the last one."""
_SOLVED_AT = 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64
"""Images after which all of them are solved at once; after the last the filter goes on alone."""
_MOST_MOUNT = math.radians(6.0)
"""No camera looks farther astray: what says so is wrong otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How a sighting fits before it is used."""

    sighting: Sighting
    prediction: Prediction
    distance: float
    """Mahalanobis distance of the innovation, squared."""
    covariance: Matrix
    """Of the innovation."""

    @property
    def freedom(self) -> int:
        return len(self.prediction.residual)

    @property
    def size_ratio(self) -> float:
        """Return how large the landmark is seen, of how large it should be."""
        seen = self.sighting.directions
        expected = seen - self.prediction.residual.reshape(-1, 2)
        a, b = (
            float(np.linalg.norm(one - one.mean(axis=0), axis=1).sum()) for one in (seen, expected)
        )
        return a / max(b, 1e-9)

    @property
    def aside(self) -> float:
        """Return how far it is seen from where it should be, in its sides."""
        away = self.prediction.residual.reshape(-1, 2).mean(axis=0) / self.sighting.pixel
        return float(np.linalg.norm(away)) / max(self.sighting.pixels, 1e-9)


class MapFilter:
    """Mean and covariance; the order of landmarks is that in which they came."""

    def __init__(self, priors: Priors, mount: Matrix, mount_deviations: Sequence[float]) -> None:
        """``mount``: pitch, roll and yaw that the camera is believed to have, rad."""
        self.stamp = -math.inf
        self.robot = np.zeros(ROBOT)
        self.covariance = np.zeros((ROBOT, ROBOT))
        self.names: list[str] = []
        self.places: dict[str, Matrix] = {}
        self.odometry_factor = 1.0
        """Of the variances of what odometry errs by, from now on."""
        self.leg = np.zeros((ROBOT, ROBOT))
        """Covariance that odometry added since the pose was set or corrected."""
        self.bundle: Bundle | None = None
        """What was seen since the pose was set, for ``keep``."""
        self.set_calibration(priors, mount, mount_deviations)

    def copy(self) -> MapFilter:
        twin = MapFilter.__new__(MapFilter)
        twin.stamp, twin.robot = self.stamp, self.robot.copy()
        twin.covariance = self.covariance.copy()
        twin.names, twin.places = list(self.names), dict(self.places)
        twin.odometry_factor, twin.leg = self.odometry_factor, self.leg
        twin.bundle = None if self.bundle is None else self.bundle.copy()
        return twin

    # -- the robot

    def set_calibration(
        self, priors: Priors, mount: Matrix, mount_deviations: Sequence[float]
    ) -> None:
        """Know of scales and camera this alone; ``mount`` as at the beginning."""
        self.robot[TURN_SCALE:] = 0.0
        self.robot[TURN_SCALE : DISTANCE_SCALE + 1] = priors.turn_mean, 1.0
        self.robot[PITCH : CAMERA_YAW + 1] = mount
        pitch, roll, yaw = mount_deviations
        self._set_own(np.diag(priors.variances((pitch, roll, yaw))))

    def doubt_mount(self) -> None:
        """Take it that the head may have been calibrated anew, as in another session."""
        own = np.einsum("ii->i", self.covariance)[PITCH : CAMERA_YAW + 1]
        own[:] = np.maximum(own, np.minimum(own + np.square(MOUNT_SESSION), np.square(MOUNT_PRIOR)))

    def copy_calibration(self, other: MapFilter) -> None:
        """Know of scales and camera what another filter has learnt."""
        self.robot[TURN_SCALE:] = other.robot[TURN_SCALE:]
        self._set_own(other.covariance[TURN_SCALE:ROBOT, TURN_SCALE:ROBOT])

    def copy_pose(self, other: MapFilter) -> None:
        """Be where another filter is, at its time, by a map that it helped to make.

        Both tell of the same images, which must not count twice.
        """
        self.stamp, self.odometry_factor = other.stamp, other.odometry_factor
        self.set_pose(other.robot[X : YAW + 1], 2.0 * other.covariance[X : YAW + 1, X : YAW + 1])

    def _set_own(self, covariance: Matrix) -> None:
        self.covariance[TURN_SCALE:ROBOT] = 0.0
        self.covariance[:, TURN_SCALE:ROBOT] = 0.0
        self.covariance[TURN_SCALE:ROBOT, TURN_SCALE:ROBOT] = covariance
        if self.bundle is not None:
            self.bundle = Bundle(self.robot, self.covariance, self.places)

    def set_pose(self, pose: Iterable[float], covariance: Matrix) -> None:
        """Put the robot at x, y, yaw; what is known of it is independent of the rest then."""
        self.robot[X : YAW + 1] = list(pose)
        self.covariance[X : YAW + 1] = 0.0
        self.covariance[:, X : YAW + 1] = 0.0
        self.covariance[X : YAW + 1, X : YAW + 1] = covariance
        self.leg = np.zeros((ROBOT, ROBOT))
        self.bundle = Bundle(self.robot, self.covariance, self.places)

    def doubt_place(self) -> None:
        """Take it that the robot slipped, as the driver says."""
        position, heading = SLIP
        own = np.einsum("ii->i", self.covariance)[X : YAW + 1]
        own += np.square((position, position, heading))
        self.bundle, self.leg = None, np.zeros((ROBOT, ROBOT))

    def drive(self, states: Sequence[StampedState]) -> None:
        """Follow odometry through states, the first of which is where the filter is."""
        if not states:
            return
        self.apply(step_through(self.robot, states))
        self.stamp = states[-1].stamp

    def apply(self, step: Step) -> None:
        step = replace(step, noise=self.odometry_factor * step.noise)
        if self.bundle is not None:
            self.bundle.drive(self.robot, step)
        self.robot = step.mean.copy()
        whole = self.covariance
        whole[:ROBOT] = step.slope @ whole[:ROBOT]
        whole[:, :ROBOT] = whole[:, :ROBOT] @ step.slope.T
        whole[:ROBOT, :ROBOT] += step.noise
        self.leg = step.covariance(self.leg, 1.0)

    # -- landmarks

    def add(self, name: str, place: Matrix, covariance: Matrix) -> None:
        """Add a landmark whose errors have nothing to do with the others'."""
        rows = np.zeros((LANDMARK, len(self.covariance)))
        self._append(name, place, rows, covariance)

    def place(self, sighting: Sighting, state: StampedState, landmark: Matrix) -> bool:
        """Add a landmark where a sighting shows it; return False where it tells too little.

        ``landmark`` is about its pose, one of the two that the sighting allows.
        """
        found = predict(self.robot, state, sighting, landmark)
        if found is None:
            return False
        weighted = np.linalg.solve(found.noise, found.by_landmark)
        information = found.by_landmark.T @ weighted
        try:
            covariance = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return False
        gain = covariance @ weighted.T
        by_robot = -gain @ found.by_robot
        rows = by_robot @ self.covariance[:ROBOT]
        own = by_robot @ self.covariance[:ROBOT, :ROBOT] @ by_robot.T + covariance
        self._append(sighting.name, moved_landmark(landmark, gain @ found.residual), rows, own)
        return True

    def _append(self, name: str, place: Matrix, rows: Matrix, own: Matrix) -> None:
        self.covariance = np.block([[self.covariance, rows.T], [rows, own]])
        self.names.append(name)
        self.places[name] = place

    def remove(self, name: str) -> None:
        start = self.start_of(name)
        taken = range(start, start + LANDMARK)
        self.covariance = np.delete(np.delete(self.covariance, taken, 0), taken, 1)
        self.names.remove(name)
        if self.bundle is not None:
            self.bundle.forget(name)
        del self.places[name]

    def start_of(self, name: str) -> int:
        """Return the first row of a landmark. Raises ``ValueError`` for one that is not there."""
        return ROBOT + LANDMARK * self.names.index(name)

    def landmark_covariance(self, name: str) -> Matrix:
        start = self.start_of(name)
        return self.covariance[start : start + LANDMARK, start : start + LANDMARK]

    def bind(self, name: str, offset: Matrix, noise: Matrix) -> float:
        """Take it that the robot is at a pose in a landmark's frame, flat; return the distance.

        ``noise``: 3x3, of x, y and yaw there. The distance is Mahalanobis', squared.
        """
        where = self.places[name] @ offset
        heading = math.atan2(where[1, 0], where[0, 0])
        residual = np.array([*where[:2, 3], heading]) - self.robot[X : YAW + 1]
        residual[YAW] = math.remainder(residual[YAW], 2 * math.pi)
        arm = where[:2, 3] - self.places[name][:2, 3]
        slopes = np.zeros((3, len(self.covariance)))
        slopes[:, X : YAW + 1] = np.eye(3)
        start = self.start_of(name)
        slopes[:2, start : start + 2] = -np.eye(2)
        slopes[:, start + 5] = arm[1], -arm[0], -1.0
        crossed = self.covariance @ slopes.T
        inner = slopes @ crossed + noise
        distance = float(residual @ np.linalg.solve(inner, residual))
        self.bundle, self.leg = None, np.zeros((ROBOT, ROBOT))
        self._shift(crossed @ np.linalg.solve(inner, residual))
        self.covariance -= crossed @ np.linalg.solve(inner, crossed.T)
        self.covariance = (self.covariance + self.covariance.T) / 2
        return distance

    # -- sightings

    def fit(self, sighting: Sighting, state: StampedState, factor: float = 1.0) -> Fit | None:
        """Return how a sighting of a landmark fits; ``factor``: of its noise's variance."""
        found = predict(self.robot, state, sighting, self.places[sighting.name])
        if found is None:
            return None
        rows = self._rows(sighting.name)
        slopes = np.hstack((found.by_robot, found.by_landmark))
        inner = slopes @ self.covariance[np.ix_(rows, rows)] @ slopes.T + factor * found.noise
        try:
            distance = float(found.residual @ np.linalg.solve(inner, found.residual))
        except np.linalg.LinAlgError:
            return None
        return Fit(sighting, found, distance, inner) if math.isfinite(distance) else None

    def update(self, fits: Sequence[Fit], factors: Sequence[float]) -> float:
        """Take all sightings of one image together; return their Mahalanobis distance, squared.

        ``factors``: of the variances of each one's own noise.
        """
        if not fits:
            return 0.0
        self.leg = np.zeros((ROBOT, ROBOT))
        residual = np.concatenate([fit.prediction.residual for fit in fits])
        crossed = np.hstack([self._crossed(fit) for fit in fits])
        inner = np.vstack([self._slopes_times(fit, crossed) for fit in fits])
        shared = np.vstack([fit.prediction.shared for fit in fits])
        inner += max(factors) * shared @ shared.T
        at = 0
        for fit, factor in zip(fits, factors, strict=True):
            end = at + fit.freedom
            inner[at:end, at:end] += factor * fit.prediction.own_noise
            at = end
        solved = np.linalg.solve(inner, np.column_stack((crossed.T, residual)))
        distance = float(residual @ solved[:, -1])
        self._shift(crossed @ solved[:, -1])
        self.covariance -= crossed @ solved[:, :-1]
        self.covariance = (self.covariance + self.covariance.T) / 2
        return distance

    def keep(self, sightings: Sequence[Sighting], state: StampedState, factor: float = 1.0) -> None:
        """Remember an image that was taken; in the beginning, solve it all again now and then."""
        if self.bundle is None:
            return
        self.bundle.look(state, sightings, factor)
        count = len(self.bundle.looks)
        if count in _SOLVED_AT:
            self.solve()
        if count >= _SOLVED_AT[-1]:
            self.bundle = None

    def solve(self) -> float:
        """Be what fits best to all that was kept; return its cost, infinite where nothing fits."""
        found = None if self.bundle is None else self.bundle.solve(self.robot, self.places)
        if found is None:
            return math.inf
        self.robot, self.places = found.robot, found.places
        self.robot[YAW] = math.remainder(self.robot[YAW], 2 * math.pi)
        self.covariance = found.covariance
        return found.cost

    def _rows(self, name: str) -> Matrix:
        start = self.start_of(name)
        rows: Matrix = np.r_[0:ROBOT, start : start + LANDMARK]
        return rows

    def _crossed(self, fit: Fit) -> Matrix:
        """Return the covariance of the whole state with a sighting's prediction."""
        start = self.start_of(fit.sighting.name)
        crossed: Matrix = self.covariance[:, :ROBOT] @ fit.prediction.by_robot.T
        crossed += self.covariance[:, start : start + LANDMARK] @ fit.prediction.by_landmark.T
        return crossed

    def _slopes_times(self, fit: Fit, crossed: Matrix) -> Matrix:
        start = self.start_of(fit.sighting.name)
        rows: Matrix = fit.prediction.by_robot @ crossed[:ROBOT]
        rows += fit.prediction.by_landmark @ crossed[start : start + LANDMARK]
        return rows

    def _shift(self, step: Matrix) -> None:
        self.robot += step[:ROBOT]
        self.robot[YAW] = math.remainder(self.robot[YAW], 2 * math.pi)
        mount = self.robot[PITCH : CAMERA_YAW + 1]
        np.clip(mount, -_MOST_MOUNT, _MOST_MOUNT, out=mount)
        for index, name in enumerate(self.names):
            start = ROBOT + LANDMARK * index
            self.places[name] = moved_landmark(self.places[name], step[start : start + LANDMARK])

    def search(
        self,
        sightings: Sequence[Sighting],
        state: StampedState,
        factor: float = 1.0,
        rounds: int = 8,
    ) -> float:
        """Find the robot from nearly nothing by sightings; return their distance, squared.

        The filter's pose is where the search begins, its covariance says how little that means.
        """
        start, before = self.robot.copy(), self.covariance.copy()
        places, here, distance = dict(self.places), self.robot.copy(), math.inf
        for _ in range(rounds):
            self.robot, self.covariance, self.places = here, before.copy(), dict(places)
            fits = [fit for one in sightings if (fit := self.fit(one, state)) is not None]
            if len(fits) < len(sightings):
                distance = math.inf
                break
            self._relinearize(fits, start)
            self.robot = start.copy()
            distance = self.update(fits, [factor] * len(fits))
            step, here = np.abs(self.robot - here).max(), self.robot
            if step < _CLOSE:
                break
        return distance

    def _relinearize(self, fits: Sequence[Fit], start: Matrix) -> None:
        """Add to residuals what the slopes make of the step back to where the search began."""
        back = self.robot - start
        back[YAW] = math.remainder(back[YAW], 2 * math.pi)
        for fit in fits:
            fit.prediction.residual[:] += fit.prediction.by_robot @ back
