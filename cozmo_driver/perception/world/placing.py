"""From markers seen in one image to the pose of the object that carries them (spec 15 §3.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .frames import Matrix, angle_between, flattened, inverse, moved, rotation, tilt
from .objects import CUBE_EDGE, MarkerPlace, ObjectModel

FLAT = math.radians(20.0)
"""An object that is tilted by less lies flat."""
_TOGETHER, _TOGETHER_ANGLE = 0.015, math.radians(15.0)
"""m; a marker that puts the object farther away from where another one does is left out."""
_TILT_COST = 0.12
"""What a tilt of 1 rad counts as, in parts of a marker's size: of two poses that fit nearly as
well the flatter one is taken."""
_RISES = math.sqrt(0.5)
"""Cosine to the vertical of the direction of a side that is up."""
_ROUNDS = 6
_CLOSE = 2e-5
"""m and rad; a step so small is the last one."""
# Rows of places times one of these are what the places move by with a turn about x, y or z.
_TURNS = np.array(
    [
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
        [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ]
)
_WORST, _WORST_SMALL, _SMALL = 0.15, 0.25, 0.07
"""Mean distance of a marker's corners from where they would be, in parts of its size, with which
an object is not believed; the same for one that stands upright and whose marker has so many rad, 20
pixels, or less: its corners are 4 pixels off at times, and do not show how it is tilted."""


@dataclass(frozen=True, slots=True)
class MarkerObservation:
    """A marker of an object in an image; in the camera's optical frame (x right, y down)."""

    name: str
    """Of the object: cube_1, charger, or that of a custom object."""
    side: str
    """Which of the object's markers; "" where neither that nor how it is turned is known."""
    poses: tuple[Matrix, ...]
    """One or two solutions; the marker's frame has x to its right, y into it, z up."""
    directions: Matrix
    """x/z and y/z of its corners, (4, 2), from its own upper left one clockwise."""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an object was seen."""

    pose: Matrix
    """In odom."""
    tilt: float
    """As measured, before it was laid flat."""
    distance: float
    """From the camera to its nearest marker."""
    seen: tuple[tuple[MarkerObservation, MarkerPlace], ...] = ()
    """Its markers that were believed."""
    level: float = math.nan
    """m above the floor that it was found to stand on; NaN where that is not known."""


def place(
    model: ObjectModel,
    seen: Sequence[MarkerObservation],
    camera: Matrix,
    before: Matrix | None = None,
    up: str = "",
) -> Placement | None:
    """Return where an object is by all of its markers in an image; None if they make no sense.

    ``camera`` is the pose of the optical frame in odom when the image was taken. Markers whose
    side is unknown are those that agree best with the others, or with where the object was
    ``before``, among those by which its side ``up`` is up, where that is known; the first one ever
    is its front.
    """
    markers: list[_Seen] = []
    for observation in sorted(seen, key=lambda one: not one.side):
        if _is_usable(observation, model):
            marker = model.markers.get(observation.side) or _likely(
                model, observation, camera, before, up
            )
            markers.append((observation, marker))
            if before is None or observation.side:
                before = camera @ observation.poses[0] @ inverse(marker.matrix)
    candidates = [
        camera @ solution @ inverse(marker.matrix)
        for observation, marker in markers
        for solution in observation.poses
    ]
    candidates.sort(key=lambda pose: _cost(model, pose, markers, camera))
    # Of one marker seen squarely both solutions fit; laid flat, the right one fits better.
    best: tuple[float, Placement] | None = None
    for start in candidates[:2] if len(markers) == 1 else candidates[:1]:
        # None fits better when it has been laid flat than before.
        if best is None or _reprojection_error(start, markers, camera) < best[0]:
            placed = _placed(model, start, markers, camera)
            if placed is not None and (best is None or placed[0] < best[0]):
                best = placed
    return best[1] if best else None


def places(
    model: ObjectModel,
    seen: Sequence[MarkerObservation],
    camera: Matrix,
    before: Matrix | None = None,
    up: str = "",
) -> list[Placement]:
    """Return where an object is as ``place`` does, and where else one of its name is, if any."""
    rest, found = list(seen), list[Placement]()
    while rest and (one := place(model, rest, camera, before, up)) is not None:
        used = [observation for observation, _ in one.seen]
        rest = [observation for observation in rest if all(observation is not o for o in used)]
        if not any(model.is_same_pose(one.pose, other.pose) for other in found):
            found.append(one)
    return found


def settled(model: ObjectModel, seen: Placement, tolerance: float) -> Placement:
    """Return an object that lies flat at the height at which it stands on the floor, or on cubes.

    As long as its foot seems to be within ``tolerance``, m, of there; else it is left as it is.
    """
    if seen.tilt > FLAT:
        return seen
    foot = float((model.corners @ seen.pose[2, :3]).min() + seen.pose[2, 3])
    level = max(round(foot / CUBE_EDGE), 0) * CUBE_EDGE
    if abs(foot - level) > tolerance:
        return seen
    pose = seen.pose.copy()
    pose[2, 3] += level - foot
    return replace(seen, pose=pose, level=level)


_Seen = tuple[MarkerObservation, MarkerPlace]


def _likely(
    model: ObjectModel, seen: MarkerObservation, camera: Matrix, before: Matrix | None, up: str
) -> MarkerPlace:
    """Return which marker it is if the object is turned as nearly as possible as in a pose."""
    places = model.turned_markers
    marker = camera[:3, :3] @ seen.poses[0][:3, :3]
    if up in model.markers and not model.is_upright:
        upwards = -model.markers[up].matrix[:3, 1]
        rises = [float((marker @ one.matrix[:3, :3].T @ upwards)[2]) for one in places]
        places = tuple(one for one, rise in zip(places, rises, strict=True) if rise > _RISES)
    if before is None or not places:
        return (places or model.turned_markers)[0]
    turns = np.array([one.matrix[:3, :3] for one in places])
    wanted = before[:3, :3].T @ marker
    return places[int(np.tensordot(turns, wanted).argmax())]


def _placed(
    model: ObjectModel, start: Matrix, markers: Sequence[_Seen], camera: Matrix
) -> tuple[float, Placement] | None:
    """Return the placement near to a pose, and how badly it fits."""
    kept = [m for m in markers if any(_agrees(s, m[1], start, camera) for s in m[0].poses)]
    tilted = _tilt(model, start)
    is_flat, worst = tilted < FLAT, _WORST
    if model.is_upright:
        is_small = all(_size(observation) <= _SMALL for observation, _ in markers)
        if not (is_flat or is_small):
            return None
        is_flat, worst = True, _WORST_SMALL if is_small else _WORST
    if is_flat:
        start = flattened(start, 2 if model.is_upright else None)
    pose = _refined(start, kept, camera, is_flat)
    error = _reprojection_error(pose, kept, camera)
    # Nor is NaN small enough.
    if not error <= worst:
        return None
    in_camera = inverse(camera) @ pose
    distance = min(float(np.linalg.norm((in_camera @ m.matrix)[:3, 3])) for _, m in kept)
    left_out = len(markers) - len(kept)
    cost = error + left_out + (0.0 if is_flat else _TILT_COST * FLAT)
    return cost, Placement(pose, tilted, distance, tuple(kept))


def _is_usable(observation: MarkerObservation, model: ObjectModel) -> bool:
    values = (*observation.poses, observation.directions)
    return (observation.side or "front") in model.markers and all(
        np.isfinite(value).all() for value in values
    )


def _tilt(model: ObjectModel, pose: Matrix) -> float:
    if model.is_upright:
        return math.acos(min(max(float(pose[2, 2]), -1.0), 1.0))
    return tilt(pose)


def _cost(model: ObjectModel, pose: Matrix, markers: Sequence[_Seen], camera: Matrix) -> float:
    return _reprojection_error(pose, markers, camera) + _TILT_COST * min(_tilt(model, pose), FLAT)


def _reprojection_error(pose: Matrix, markers: Sequence[_Seen], camera: Matrix) -> float:
    """Return how far corners are from where they were seen, in parts of their markers' size."""
    errors = []
    for observation, marker in markers:
        apart = _residual(pose, observation, marker, camera)
        errors.append(math.sqrt(float((apart**2).sum(axis=1).mean())) / _size(observation))
    return sum(errors) / len(errors)


def _size(observation: MarkerObservation) -> float:
    return math.sqrt(max(_area(observation.directions), 1e-12))


def _agrees(solution: Matrix, marker: MarkerPlace, pose: Matrix, camera: Matrix) -> bool:
    other = camera @ solution @ inverse(marker.matrix)
    apart = float(np.linalg.norm(other[:3, 3] - pose[:3, 3]))
    return apart < _TOGETHER and angle_between(other, pose) < _TOGETHER_ANGLE


def _residual(
    pose: Matrix, observation: MarkerObservation, marker: MarkerPlace, camera: Matrix
) -> Matrix:
    """Return by how much corners are beside where they were seen, (4, 2)."""
    places = moved(pose, marker.corners)
    x, y, z = ((places - camera[:3, 3]) @ camera[:3, :3]).T
    z = np.maximum(z, 1e-3)
    residual: Matrix = np.column_stack((x / z, y / z)) - observation.directions
    return residual


def _refined(pose: Matrix, markers: Sequence[_Seen], camera: Matrix, is_flat: bool) -> Matrix:
    """Return the pose near to one that fits all corners best (Gauss-Newton).

    Flat objects stay flat: they turn about the vertical only.
    """
    corners = np.concatenate([marker.corners for _, marker in markers])
    wanted = np.concatenate([observation.directions for observation, _ in markers])
    axes = (2,) if is_flat else (0, 1, 2)
    to_camera = camera[:3, :3]
    # How corners move in the camera's frame with each turn and each step: (change, corner, axis).
    moves = np.empty((len(axes) + 3, len(corners), 3))
    moves[len(axes) :] = to_camera[:, None]
    turning = _TURNS[list(axes)] @ to_camera
    pose = pose.copy()
    for _ in range(_ROUNDS):
        arms = corners @ pose[:3, :3].T
        x, y, z = ((arms + pose[:3, 3] - camera[:3, 3]) @ to_camera).T
        if z.min() < 1e-3:
            break
        u, v = x / z, y / z
        moves[: len(axes)] = arms @ turning
        slopes = np.concatenate(
            ((moves[..., 0] - moves[..., 2] * u) / z, (moves[..., 1] - moves[..., 2] * v) / z),
            axis=1,
        )
        residual = np.concatenate((u - wanted[:, 0], v - wanted[:, 1]))
        try:
            step = np.linalg.solve(slopes @ slopes.T, -slopes @ residual)
        except np.linalg.LinAlgError:
            break
        turn = np.zeros(3)
        turn[list(axes)] = step[:-3]
        pose[:3, :3] = rotation(turn) @ pose[:3, :3]
        pose[:3, 3] += step[-3:]
        if max(map(abs, step.tolist())) < _CLOSE:
            break
    return pose


def _area(quadrangle: Matrix) -> float:
    a, b = quadrangle[2] - quadrangle[0], quadrangle[3] - quadrangle[1]
    return 0.5 * abs(float(a[0] * b[1] - a[1] * b[0]))
