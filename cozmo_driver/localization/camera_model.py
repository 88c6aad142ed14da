"""Where the corners of landmarks should be seen, and how that changes with all that is not sure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..perception import Matrix, Mount, StampedState, camera_pose, rotation
from .motion import CAMERA_YAW, FOCAL, LAG, PITCH, ROBOT, ROLL, YAW, X, Y
from .sightings import Sighting

_CORNER = 0.36
"""Pixels, standard deviation of a corner by itself, on each axis: twice the 0.16 of rendered
images, since no real camera's was measured. With 0.15 to 0.25 here estimates were no better."""
_EDGE = 0.42
"""Pixels by which all corners of a tag are seen farther out or in: of rendered ones 0.09, most of
it the same in all images. Ink that spreads and badly scaled prints do this, too."""
_SHAKEN = 0.004, 0.004, 0.002
"""rad by which pitch, roll and heading of a driving robot are off for a moment (spec 18: 0.004; the
heading of emulated ones 0.002)."""
_STANDS = 0.0015
"""rad, the same of a robot that stands: what is left of the tilt of its body."""
_STAMP = 0.005
"""s by which an image's time errs by itself. An estimate."""
_READOUT = 0.0003
"""s from a line of an image to the next: a tag is sheared while the robot turns. An estimate."""
_NEAREST = 0.02
"""m; a corner that is nearer to the lens, or behind it, is not seen."""
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
_CROSSES = np.zeros((3, 9))
for _x, _y, _z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _CROSSES[_x, 3 * _z + _y], _CROSSES[_x, 3 * _y + _z] = 1.0, -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Where corners should be seen, less where they are; slopes, and the noise of the sighting."""

    residual: Matrix
    """Measured less predicted, (2 n,): x/z and y/z of each corner in turn."""
    by_robot: Matrix
    """(2 n, ROBOT)."""
    by_landmark: Matrix
    """(2 n, 6): position, then rotation about the map's axes."""
    own_noise: Matrix
    """(2 n, 2 n), of this sighting alone."""
    shared: Matrix
    """(2 n, 3), what a standard deviation of shake and time moves it by: one image has one."""

    @property
    def noise(self) -> Matrix:
        """Return the covariance of the sighting if it is the only one of its image."""
        total: Matrix = self.own_noise + self.shared @ self.shared.T
        return total


def predict(
    robot: Matrix, state: StampedState, sighting: Sighting, landmark: Matrix
) -> Prediction | None:
    """Return how a sighting fits to a robot's state and a landmark's pose; None if behind it.

    ``state``: the robot as it was then, for its head, tilt and speed.
    """
    angles = tuple(robot[PITCH : CAMERA_YAW + 1].tolist())
    to_camera, eye, axes = _view(angles, state.head, state.tilt)
    rate = state.yaw_rate or 0.0
    yaw = robot[YAW] + rate * robot[LAG]
    c, s = np.cos(yaw), np.sin(yaw)
    to_base = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    arms = sighting.corners @ landmark[:3, :3].T
    offsets = arms + landmark[:3, 3] - (robot[X], robot[Y], 0.0)
    in_base = offsets @ to_base.T
    in_camera = (in_base - eye) @ to_camera.T
    if not in_camera[:, 2].min() > _NEAREST:
        return None
    count = len(in_camera)
    from_map = to_camera @ to_base
    # How corners move in the optical frame: (corner, axis, cause).
    moves = np.zeros((count, 3, ROBOT + 6))
    moves[:, :, X] = -from_map[:, 0]
    moves[:, :, Y] = -from_map[:, 1]
    moves[:, 0:3, YAW] = (
        np.column_stack((in_base[:, 1], -in_base[:, 0], np.zeros(count))) @ to_camera.T
    )
    # The camera turns, so that what it sees turns the other way.
    moves[:, :, PITCH : CAMERA_YAW + 1] = _crosses(in_camera) @ axes
    moves[:, :, ROBOT : ROBOT + 3] = from_map
    moves[:, :, ROBOT + 3 :] = from_map @ _crosses(-arms)
    near = 1.0 / in_camera[:, 2]
    focal = 1.0 + robot[FOCAL]
    seen = in_camera[:, :2] * near[:, None]
    slopes = focal * near[:, None, None] * (moves[:, :2] - seen[:, :, None] * moves[:, 2:3])
    slopes[:, :, FOCAL] = seen
    slopes[:, :, LAG] = rate * slopes[:, :, YAW]
    slopes = slopes.reshape(2 * count, -1)
    residual = (sighting.directions - focal * seen).ravel()
    by_robot = slopes[:, :ROBOT]
    return Prediction(
        residual, by_robot, slopes[:, ROBOT:], _own_noise(sighting, rate), _shared(by_robot, state)
    )


@lru_cache(maxsize=256)
def _view(angles: tuple[float, ...], head: float, tilt: float) -> tuple[Matrix, Matrix, Matrix]:
    """Return what turns axes of the robot's frame into the camera's, and where the camera is there.

    The third: about which axes of the optical frame pitch, roll and yaw of the mount turn it.
    """
    mount = Mount(*angles)
    view = camera_pose(np.eye(4), head, mount, tilt)
    up = rotation((0.0, -mount.pitch, 0.0))
    aside = up @ rotation((0.0, 0.0, mount.yaw))
    turned = aside @ rotation((mount.roll, 0.0, 0.0)) @ _OPTICAL
    axes = np.column_stack(((0.0, -1.0, 0.0), aside[:, 0], up[:, 2]))
    return view[:3, :3].T, view[:3, 3], turned.T @ axes


@lru_cache(maxsize=1024)
def _own_noise(sighting: Sighting, rate: float) -> Matrix:
    outwards = sighting.directions - sighting.directions.mean(axis=0)
    outwards = outwards / np.maximum(np.linalg.norm(outwards, axis=1), 1e-9)[:, None]
    edge = (_EDGE * sighting.pixel) * outwards.ravel()
    noise = np.outer(edge, edge)
    shear = np.zeros_like(edge)
    shear[::2] = rate * _READOUT / sighting.pixel
    shear[::2] *= sighting.directions[:, 1] - sighting.directions[:, 1].mean()
    noise += np.outer(shear, shear)
    noise[np.diag_indices_from(noise)] += (_CORNER * sighting.pixel) ** 2
    return noise * sighting.noise**2


def _shared(by_robot: Matrix, state: StampedState) -> Matrix:
    rate = abs(state.yaw_rate or 0.0)
    moves = state.is_moving or rate > 0.02
    pitch, roll, yaw = _SHAKEN if moves else (_STANDS, _STANDS, 0.0)
    return by_robot[:, (PITCH, ROLL, YAW)] * (pitch, roll, yaw + _STAMP * rate)


def _crosses(vectors: Matrix) -> Matrix:
    """Return what makes cross products of vectors with others, (n, 3, 3)."""
    crosses: Matrix = (vectors @ _CROSSES).reshape(-1, 3, 3)
    return crosses
