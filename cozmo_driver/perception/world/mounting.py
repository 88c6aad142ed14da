"""How the camera is turned against how it is drawn, learnt from what stands on the floor.

Of real robots the camera looks some degrees beside where it should, and the zero of the head moves
by a degree from session to session (spec 15 §9). What a marker on the floor tells:

* how high the camera looks, as the marker's height is known: tilt of the camera and zero of the
  head together, since nothing but their sum is ever needed;
* how it is turned about its line of sight, as the marker's edges are upright;
* how far it looks aside, once the robot has driven: what stands still moves in the image
  straight against the motion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...robot_bounds import MOUNT_BOUND
from .frames import Matrix, Mount, camera_pose, pose
from .objects import Kind, MarkerPlace, ObjectModel
from .placing import Placement
from .pose_history import StampedState

PRIOR = (0.025, 0.020, 0.020)
"""rad, standard deviations of pitch, roll and yaw of a robot of which nothing is known: up to 2
degrees of tilt and 1 of the head's zero. An estimate: 1 to 3 are unexplained (spec 15 §9)."""
MOUNT_SESSION = (0.010, 0.003, 0.003)
"""rad that they change by from session to session, in which the head is calibrated anew."""
_LEAST = (0.003, 0.003, 0.004)
"""No more is believed, however often it is seen: with it old sightings are forgotten."""
_HEIGHT = {Kind.CUBE: 0.001, Kind.CHARGER: 0.003}
"""m by which camera and marker are higher or lower than drawn. That of the charger is 22 or 25 mm
high (spec 13 §2, 15 §4)."""
_FARTHEST = 0.35
_PITCH, _PITCH_NOISE = 0.002, 0.002
"""rad that all sightings from one place err by, and each by itself."""
_ROLL, _ROLL_NOISE = 0.010, 0.05
"""rad by which stickers are askew, an estimate, and rad for each m that the marker is away."""
_MOST_SIGHTINGS = 8
"""From one place that are averaged."""
_ELSEWHERE = 0.012
"""m in the camera's frame from where on a sighting is another one."""
_GATE = 3.0
"""Standard deviations beyond which a sighting is not believed."""
_DOUBTS = 2
"""Places in a row at which what is seen is not believed, until what was learnt is doubted: a head
that was knocked, or calibrated against something."""
_WORST = 0.004
"""Mean distance of a marker's corners from where they would be, as directions: a pixel."""
_ROUNDS = 2
_STEP = 1e-4
_DISTANCE, _TURN = 0.040, 0.5
"""m to drive at least, and rad to turn at most, for the yaw."""
_ALONG, _ACROSS, _TURNED = 0.015, 0.0005, 0.013
"""What a sighting errs by along the line of sight, as a share, and across it, m; and the odometry
in a turn, as a share (spec 14)."""
_LEAST_SURE = 0.03
"""rad; what the yaw is told with less tells nothing."""
_QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


@dataclass(frozen=True, slots=True)
class LearntMount:
    """What is known of a robot's camera."""

    mount: Mount
    deviations: tuple[float, float, float]
    """Standard deviations of pitch, roll and yaw, rad."""
    sightings: int
    """Places from which something was seen that told it."""


@dataclass(slots=True)
class _Place:
    """What an object told while robot and object stood where they are."""

    in_camera: Matrix
    values: Matrix
    """Means of pitch and roll."""
    weights: Matrix
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A marker as it was seen from before the drive: where it is from the camera, yaw taken out."""

    robot: StampedState
    marker: MarkerPlace
    offset: Matrix
    lens: Matrix


class Mounting:
    """Takes what was seen of things that stand on the floor by a robot that stands."""

    def __init__(self) -> None:
        self._weights = np.array(PRIOR) ** -2
        self._values = np.zeros(3)
        self._places: dict[str, _Place] = {}
        self._anchors: dict[str, _Anchor] = {}
        self._doubts = self._yaw_doubts = 0
        self._doubted: Matrix | None = None
        """Where what was not believed was seen last, in the camera's frame."""
        self.sightings = 0
        """Places that count."""
        self._update()

    def _update(self) -> None:
        """Put together what is sure and what the present places tell."""
        weights, values = self._weights.copy(), self._weights * self._values
        for place in self._places.values():
            weights[:2] += place.weights
            values[:2] += place.weights * place.values
        means, deviations = values / weights, np.maximum(weights**-0.5, _LEAST)
        self.mount = Mount(*map(float, means))
        """What the camera is believed to be turned by."""
        pitch, roll, yaw = map(float, deviations)
        self.deviations = pitch, roll, yaw
        """Standard deviations of pitch, roll and yaw, rad."""

    @property
    def learnt(self) -> LearntMount:
        return LearntMount(self.mount, self.deviations, self.sightings)

    def restore(self, learnt: LearntMount | None) -> None:
        """Begin with what was learnt of this robot in another session, or with nothing."""
        self._places.clear()
        self._anchors.clear()
        self._values, deviations, self.sightings = np.zeros(3), np.array(PRIOR), 0
        if learnt is not None:
            mount, self.sightings = learnt.mount, learnt.sightings
            self._values = np.array([mount.pitch, mount.roll, mount.yaw])
            deviations = np.minimum(np.hypot(learnt.deviations, MOUNT_SESSION), PRIOR)
        self._weights = deviations**-2
        self._update()

    def forget_place(self, name: str) -> None:
        """Take it that an object has moved."""
        self._anchors.pop(name, None)

    # -- pitch and roll

    def on_standing(
        self, name: str, model: ObjectModel, seen: Placement, now: StampedState
    ) -> None:
        """Take an object on the floor that a standing robot has seen, itself standing."""
        if seen.distance > _FARTHEST or model.kind not in _HEIGHT:
            return
        in_camera = now.camera[:3, :3].T @ (seen.pose[:3, 3] - now.camera[:3, 3])
        place = self._places.get(name)
        if place is not None and not _is_same(place.in_camera, in_camera):
            place = None
        if place is not None and place.count >= _MOST_SIGHTINGS:
            return
        values = _pitch_and_roll(seen, now)
        if values is None or np.abs(values).max() > MOUNT_BOUND:
            return
        alike, each = _variances(model.kind, seen.distance)
        if place is not None:
            place.count += 1
            place.values = values
            place.weights = 1.0 / (alike + each / place.count)
        elif self._believes(values, alike + each, in_camera):
            self._close(name)
            self._places[name] = _Place(in_camera, values, 1.0 / (alike + each))
            self.sightings += 1
        self._update()

    def _believes(self, values: Matrix, variances: Matrix, in_camera: Matrix) -> bool:
        """Whether they may be true; where they are not again and again, begin anew with them."""
        known = np.array([self.mount.pitch, self.mount.roll])
        off = np.abs(values - known) / np.sqrt(np.square(self.deviations[:2]) + variances)
        if off.max() <= _GATE:
            self._doubts, self._doubted = 0, None
            return True
        if self._doubted is None or not _is_same(self._doubted, in_camera):
            self._doubts, self._doubted = self._doubts + 1, in_camera
        if self._doubts < _DOUBTS:
            return False
        self._doubts, self._doubted = 0, None
        self._places.clear()
        self._weights[:2] = np.array(PRIOR[:2]) ** -2
        return True

    def _close(self, name: str) -> None:
        """Let what an object told from its last place become sure."""
        place = self._places.pop(name, None)
        if place is not None:
            self._fuse(slice(0, 2), place.values, place.weights)

    def _fuse(self, which: slice, values: Matrix, weights: Matrix) -> None:
        known = self._weights[which]
        self._values[which] = (known * self._values[which] + weights * values) / (known + weights)
        most = np.array(_LEAST[which]) ** -2
        self._weights[which] = np.minimum(known + weights, most)

    # -- yaw

    def on_fixed(self, name: str, seen: Placement, now: StampedState) -> None:
        """Take an object, itself standing, that a standing robot has seen, maybe once more."""
        # Where the middle of an object is depends on how it seems to be turned.
        marker, camera = seen.seen[0][1], now.camera[:2, 3]
        away = (seen.pose @ marker.matrix)[:2, 3] - camera
        offset = _turned(now.base[:2, :2].T @ away, -now.mount.yaw)
        after = _Anchor(now, marker, offset, now.view[:2, 3])
        before = self._anchors.get(name)
        if before is None or before.marker is not marker or not _is_near(before.robot, now):
            self._anchors[name] = after
            return
        distance, _ = now.motion_since(before.robot)
        if distance < _DISTANCE and _apart(before, after, self.mount.yaw) < _ELSEWHERE:
            return
        self._anchors[name] = after
        told = _yaw(before, after, self.mount.yaw)
        if told is None:
            return
        value, deviation = told
        if abs(value) > MOUNT_BOUND:
            return
        is_far = abs(value - self.mount.yaw) > _GATE * math.hypot(deviation, self.deviations[2])
        self._yaw_doubts = self._yaw_doubts + 1 if is_far else 0
        if is_far and self._yaw_doubts < _DOUBTS:
            return
        if is_far:
            self._yaw_doubts, self._weights[2] = 0, PRIOR[2] ** -2
        self._fuse(slice(2, 3), np.array([value]), np.array([deviation**-2]))
        self._update()


def _is_same(a: Matrix, b: Matrix) -> bool:
    return bool(np.linalg.norm(a - b) < _ELSEWHERE)


def _variances(kind: Kind, distance: float) -> tuple[Matrix, Matrix]:
    """Return those of pitch and roll: what all sightings from a place share, and of each."""
    height = _HEIGHT[kind] / distance
    return (
        np.array([_PITCH**2 + height**2, _ROLL**2]),
        np.array([_PITCH_NOISE**2, (_ROLL_NOISE * distance) ** 2]),
    )


def _pitch_and_roll(seen: Placement, now: StampedState) -> Matrix | None:
    """Return the mount's pitch and roll with which the markers stand upright at their height."""
    corners = np.concatenate([marker.corners for _, marker in seen.seen])
    wanted = np.concatenate([observation.directions for observation, _ in seen.seen])
    state = np.array([0.0, 0.0, 0.0, now.mount.pitch, now.mount.roll])
    start = seen.pose

    def off(state: Matrix) -> Matrix:
        x, y, turn, pitch, roll = map(float, state)
        places = (start[:3, :3] @ corners.T).T
        places = places @ pose(0.0, 0.0, 0.0, turn)[:3, :3].T + start[:3, 3] + (x, y, 0.0)
        camera = camera_pose(now.base, now.head, Mount(pitch, roll, now.mount.yaw), now.tilt)
        x, y, z = ((places - camera[:3, 3]) @ camera[:3, :3]).T
        z = np.maximum(z, 1e-3)
        apart: Matrix = np.concatenate((x / z - wanted[:, 0], y / z - wanted[:, 1]))
        return apart

    for _ in range(_ROUNDS):
        here = off(state)
        slopes = np.array([(off(state + step) - here) / _STEP for step in _STEP * np.eye(5)])
        try:
            state -= np.linalg.solve(slopes @ slopes.T, slopes @ here)
        except np.linalg.LinAlgError:
            return None
    error = math.sqrt(float((off(state) ** 2).mean()) * 2)
    return state[3:] if error < _WORST else None


def _turned(place: Matrix, angle: float) -> Matrix:
    turned: Matrix = pose(0.0, 0.0, 0.0, angle)[:2, :2] @ place
    return turned


def _is_near(before: StampedState, now: StampedState) -> bool:
    _, turn = now.motion_since(before)
    return before.origin == now.origin and abs(turn) <= _TURN


def _place(one: _Anchor, yaw: float) -> tuple[Matrix, Matrix]:
    """Return where a marker is in odom, and what that changes by with the camera's yaw."""
    axes, offset = one.robot.base[:2, :2], _turned(one.offset, yaw)
    place = one.robot.base[:2, 3] + axes @ (one.lens + offset)
    return place, axes @ _QUARTER @ offset


def _apart(before: _Anchor, after: _Anchor, yaw: float) -> float:
    return float(np.linalg.norm(_place(before, yaw)[0] - _place(after, yaw)[0]))


def _yaw(before: _Anchor, after: _Anchor, guess: float) -> tuple[float, float] | None:
    """Return the yaw with which a marker was at one place twice, and its standard deviation."""
    (first, first_slope), (second, second_slope) = _place(before, guess), _place(after, guess)
    apart, slope = first - second, first_slope - second_slope
    length = float(np.linalg.norm(slope))
    if length < _DISTANCE / 2:
        return None
    direction = slope / length
    across = float(apart @ direction)
    if float(np.linalg.norm(apart - across * direction)) > _ELSEWHERE:
        # No yaw puts it there: it was moved.
        return None
    _, turn = after.robot.motion_since(before.robot)
    variance = (_TURNED * turn * float(np.linalg.norm(after.offset))) ** 2
    for one in (first_slope, second_slope):
        variance += (_ALONG * float(_QUARTER.T @ one @ direction)) ** 2 + _ACROSS**2
    deviation = math.sqrt(variance) / length
    return (guess - across / length, deviation) if deviation < _LEAST_SURE else None
