"""What is in sight: whether an object should be seen, what the lift hides (spec 15 §3.2, §7)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..detection.camera import Camera
from .frames import AS_DRAWN, Matrix, Mount, camera_pose, carried_place, inverse, moved, wrist
from .objects import CUBE_EDGE, Kind, TrackedObject
from .pose_history import StampedState

LEAST_SIZE = 40.0
"""Edge in pixels of a marker that cannot be overlooked."""
_MOST_TURNED = math.cos(math.radians(45.0))
_MARGIN = 4.0
"""Pixels from the image's edge within which a marker may be missed."""
_LIFT_PARTS = np.array(
    [
        [(-0.001, 0.004), (-0.015, 0.015), (-0.029, -0.020)],
        [(-0.001, 0.004), (0.015, 0.029), (-0.030, 0.003)],
        [(-0.001, 0.004), (-0.029, -0.015), (-0.030, 0.003)],
    ]
)
"""Crossbar and posts from the wrist: x, y, z from and to, m (spec 13 §2; posts: an estimate)."""
_LIFT_MARGIN = np.array([-0.001, 0.001])
"""m around them in which they may be, too."""
_NEAREST = 0.005
"""m before the camera; what is nearer is not projected."""


def should_be_seen(
    thing: TrackedObject,
    robot: StampedState,
    camera: Camera,
    seen: Iterable[TrackedObject],
    doubt: float = 0.0,
) -> bool:
    """Whether a marker of an object is so large and open to view that a detector finds it.

    ``seen`` are objects in the same image; what is behind a nearer one of them may be hidden.
    ``doubt``: rad by which the camera may look beside where it is believed to look. A charger's
    marker is never so: it is found up to 31 pixels high, 0.17 m away, and not in every image.
    """
    assert thing.pose is not None
    if thing.model.kind is Kind.CHARGER:
        return False
    to_camera = inverse(robot.camera)
    uncertain = doubt * camera.fx
    occluders = [_rectangle(_lift(robot), to_camera, camera, uncertain)]
    for other in seen:
        if other.pose is not None:
            corners = moved(other.pose, other.model.corners)
            occluders.append(_rectangle(corners, to_camera, camera))
    in_camera = to_camera @ thing.pose
    for marker in thing.model.markers.values():
        frame = in_camera @ marker.matrix
        away = frame[:3, 3] / np.linalg.norm(frame[:3, 3])
        if float(frame[:3, 1] @ away) < _MOST_TURNED:
            continue
        corners = moved(in_camera, marker.corners)
        if not _is_large_and_inside(corners, camera, _MARGIN + uncertain):
            continue
        box = _bounds(corners, camera)
        if not any(o is not None and _covers(o, box, float(frame[2, 3])) for o in occluders):
            return True
    return False


def own_outlines(
    head: float,
    lift: float,
    camera: Camera,
    is_carrying: bool = False,
    mount: Mount = AS_DRAWN,
    doubt: float = 0.0,
) -> list[Matrix]:
    """Return the pixels around which the robot's lift, and a cube on it, hide what is behind.

    Each (n, 2), of which the convex hull is hidden; rad. ``doubt`` as above.
    """
    boxes = [wrist(lift)[:, None] + part + _LIFT_MARGIN for part in _LIFT_PARTS]
    if is_carrying:
        boxes.append(carried_place(lift)[:, None] + np.array([-0.5, 0.5]) * CUBE_EDGE)
    to_camera = inverse(camera_pose(np.eye(4), head, mount))
    around = doubt * camera.fx * np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    outlines = []
    for spans in boxes:
        seen = moved(to_camera, _corners(spans))
        seen = seen[seen[:, 2] > _NEAREST]
        if len(seen):
            pixels = np.column_stack(_project(seen, camera))
            outlines.append((pixels[:, None] + around).reshape(-1, 2) if doubt else pixels)
    return outlines


def _is_large_and_inside(corners: Matrix, camera: Camera, margin: float) -> bool:
    if corners[:, 2].min() < 0.01:
        return False
    x, y = _project(corners, camera)
    right, lower = camera.width - margin, camera.height - margin
    is_inside = (x > margin) & (x < right) & (y > margin) & (y < lower)
    area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
    return bool(is_inside.all()) and math.sqrt(area) >= LEAST_SIZE


def _project(points: Matrix, camera: Camera) -> tuple[Matrix, Matrix]:
    z = np.maximum(points[:, 2], 1e-3)
    return camera.cx + camera.fx * points[:, 0] / z, camera.cy + camera.fy * points[:, 1] / z


_Box = tuple[float, float, float, float]


def _bounds(points: Matrix, camera: Camera) -> _Box:
    x, y = _project(points, camera)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _rectangle(
    points: Matrix, to_camera: Matrix, camera: Camera, margin: float = 0.0
) -> tuple[_Box, float] | None:
    """Return the rectangle in the image around points of odom, and how far the nearest is."""
    seen = moved(to_camera, points)
    seen = seen[seen[:, 2] > _NEAREST]
    if not len(seen):
        return None
    x0, y0, x1, y1 = _bounds(seen, camera)
    return (x0 - margin, y0 - margin, x1 + margin, y1 + margin), float(seen[:, 2].min())


def _covers(occluder: tuple[_Box, float], box: _Box, distance: float) -> bool:
    (x0, y0, x1, y1), near = occluder
    return near < distance and x0 < box[2] and x1 > box[0] and y0 < box[3] and y1 > box[1]


def _lift(robot: StampedState) -> Matrix:
    """Return the corners in odom of the box around the whole lift, (8, 3)."""
    whole = np.column_stack((_LIFT_PARTS[..., 0].min(axis=0), _LIFT_PARTS[..., 1].max(axis=0)))
    return moved(robot.base, _corners(wrist(robot.lift)[:, None] + whole))


def _corners(spans: Matrix) -> Matrix:
    """Return the corners of a box from its lowest and highest x, y and z: (8, 3) from (3, 2)."""
    return np.stack(np.meshgrid(*spans), axis=-1).reshape(-1, 3)
