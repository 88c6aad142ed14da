"""How the robot's state changes from one state of odometry to the next, and what that errs by.

The state: pose of ``base_footprint`` on the map, scales of odometry, mount and lens of the
camera, and by how much later than they say images are taken.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..perception import Matrix, StampedState

X, Y, YAW, TURN_SCALE, DISTANCE_SCALE, PITCH, ROLL, CAMERA_YAW, FOCAL, LAG = range(10)
ROBOT = 10
"""Figures of the robot's state; landmarks follow."""

_TURN_MEAN, _TURN_SCALE, _DISTANCE_SCALE = 1.013, 0.010, 0.01
"""What turns of odometry are to be multiplied by of a robot that was not measured (spec 14: the
gyro tells 180 degrees where it turned by 182.4), and the standard deviations of that and of
distances: treads err by 1 %. Of few robots, so that a gyro without error is possible."""
_MEASURED = 0.004
"""Of a scale that odometry was corrected by: ``cozmo calibrate`` keeps those known to 0.003
(checkup/calibrating.py), and floors differ."""
_FOCAL = 0.004
"""Of the focal length, as a share: one of four calibrations is off by 1 % (spec 14, 19)."""
_LAG = 0.025
"""s by which images are taken later than their stamps say: 0.02 in rendered images, as lines are
read one after the other. An estimate."""
_ALONG, _ACROSS = 0.003, 0.0015
"""m per square root of m: what a distance errs by beside its scale. Estimates, of treads that do
not slide; emulated ones err by a third of them."""
_WANDER = 0.001
"""m per square root of rad: by which the center of turns wanders, as treads slip. An estimate."""
_TURN, _TURN_OF_DISTANCE = 0.004, 0.005
"""rad per square root of rad and of m: what a turn errs by beside its scale. Estimates."""
_SCALE_DRIFT = 0.0003
"""Per square root of rad: scales change with floor and battery. An estimate."""
_MOUNT_DRIFT = 0.0003
"""rad per square root of s of driving. An estimate: so that an old belief can be unlearnt."""

_DIAGONAL = np.diag_indices(DISTANCE_SCALE + 1)


@dataclass(frozen=True, slots=True)
class Priors:
    """Standard deviations at the start; a calibrated robot has smaller ones."""

    turn_mean: float = _TURN_MEAN
    """Of the scale of turns; that of distances is 1."""
    turn_scale: float = _TURN_SCALE
    distance_scale: float = _DISTANCE_SCALE
    focal: float = _FOCAL
    lag: float = _LAG

    @classmethod
    def of_measured(cls, measured: Container[str]) -> Priors:
        """Return those of a robot of which these were measured, by ``MEASURED_BOUNDS``' names."""
        has_turns, has_distances = "turn_scale" in measured, "distance_scale" in measured
        return cls(
            1.0 if has_turns else _TURN_MEAN,
            _MEASURED if has_turns else _TURN_SCALE,
            _MEASURED if has_distances else _DISTANCE_SCALE,
        )

    def variances(self, mount: tuple[float, float, float]) -> Matrix:
        """Return those of the state but for the pose, (7,)."""
        return np.square([self.turn_scale, self.distance_scale, *mount, self.focal, self.lag])


@dataclass(slots=True, eq=False)
class Step:
    """What a motion does to the robot's state: its mean, d mean / d mean before, and noise."""

    mean: Matrix
    slope: Matrix
    noise: Matrix

    @classmethod
    def none(cls, mean: Matrix) -> Step:
        return cls(mean.copy(), np.eye(ROBOT), np.zeros((ROBOT, ROBOT)))

    def covariance(self, before: Matrix, factor: float) -> Matrix:
        """Return the covariance after the motion from the one before it; ``factor`` of noise."""
        after: Matrix = self.slope @ before @ self.slope.T + factor * self.noise
        return after

    def drive(self, before: StampedState, after: StampedState) -> None:
        """Go on by what odometry says between two of its states."""
        dx, dy = after.x - before.x, after.y - before.y
        turn = math.remainder(after.yaw - before.yaw, 2 * math.pi)
        if not (dx or dy or turn):
            return
        mean = self.mean
        # In the frame of the robot, then on the map; half of what it turns more comes before.
        heading = mean[YAW] - before.yaw + turn * (mean[TURN_SCALE] - 1.0) / 2
        c, s = math.cos(heading), math.sin(heading)
        ahead, aside = c * dx - s * dy, s * dx + c * dy
        scale = mean[DISTANCE_SCALE]
        half = turn / 2
        # Of pose and scales; the rest of the state stays.
        step = np.array(
            [
                [1.0, 0.0, -scale * aside, -scale * aside * half, ahead],
                [0.0, 1.0, scale * ahead, scale * ahead * half, aside],
                [0.0, 0.0, 1.0, turn, 0.0],
                [0.0, 0.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 0.0, 0.0, 1.0],
            ]
        )
        mean[X] += scale * ahead
        mean[Y] += scale * aside
        mean[YAW] = math.remainder(mean[YAW] + mean[TURN_SCALE] * turn, 2 * math.pi)
        moving = slice(X, DISTANCE_SCALE + 1)
        self.slope[moving] = step @ self.slope[moving]
        noise = step @ self.noise[moving, moving] @ step.T
        distance, turned = math.hypot(dx, dy), abs(turn)
        if distance:
            along = (_ALONG**2 - _ACROSS**2) / distance
            noise[X, X] += along * ahead * ahead
            noise[Y, Y] += along * aside * aside
            noise[X, Y] += along * ahead * aside
            noise[Y, X] += along * ahead * aside
        scales = _SCALE_DRIFT**2 * turned
        across = _ACROSS**2 * distance + _WANDER**2 * turned
        heading = _TURN**2 * turned + _TURN_OF_DISTANCE**2 * distance
        noise[_DIAGONAL] += across, across, heading, scales, scales
        self.noise[moving, moving] = noise
        if after.is_moving:
            drift = _MOUNT_DRIFT**2 * min(max(after.stamp - before.stamp, 0.0), 1.0)
            np.einsum("ii->i", self.noise)[PITCH : CAMERA_YAW + 1] += drift


def step_through(mean: Matrix, states: Iterable[StampedState]) -> Step:
    """Return what the motion through some states does to a robot's state."""
    step = Step.none(mean)
    for before, after in pairwise(states):
        step.drive(before, after)
    return step
