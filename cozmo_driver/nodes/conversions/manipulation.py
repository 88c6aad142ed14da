"""What the hands take from messages, and the ways that they ask for."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from geometry_msgs.msg import Point, Pose
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import PointCloud2

from cozmo_interfaces.msg import ObjectState, PathSegment

from ...manipulation.driving import box_of
from ...planning import Box, boxes_of_grid
from ...robot import HazardKind, Line, Segment, Turn
from ...world_model.objects import Kind, LocatedObject, PoseState
from .geometry import seconds, yaw_of

_KINDS = {
    ObjectState.CUBE: Kind.CUBE,
    ObjectState.CHARGER: Kind.CHARGER,
    ObjectState.CUSTOM: Kind.CUSTOM,
}
_STATES = {
    ObjectState.UNKNOWN: PoseState.UNKNOWN,
    ObjectState.KNOWN: PoseState.KNOWN,
    ObjectState.DIRTY: PoseState.DIRTY,
}
_OCCUPIED, _CERTAIN = 65, 100
_AROUND = 0.020
"""m around an object in which the map is not asked."""
_HAZARD = 0.012
"""Edge of the square that stands for a point of a hazard, m."""
_MOST_POINTS = 2000


def located_object(message: ObjectState) -> LocatedObject:
    """Return what a vision node knows of an object. Raises ``ValueError``."""
    if message.kind not in _KINDS or message.state not in _STATES:
        raise ValueError(f"{message.name}: kind {message.kind}, state {message.state}")
    state = _STATES[message.state]
    size = message.size.x, message.size.y, message.size.z
    pose = None if state is PoseState.UNKNOWN else matrix_of(message.pose)
    values = [*size, *(() if pose is None else pose.ravel())]
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{message.name}: a number is not finite")
    return LocatedObject(
        message.name,
        _KINDS[message.kind],
        state,
        pose,
        size,
        None if message.cube_slot == ObjectState.NO_SLOT else int(message.cube_slot),
        seconds(message.last_seen),
        message.is_visible,
        message.is_carried,
        message.on_top_of or None,
    )


def matrix_of(pose: Pose) -> npt.NDArray[np.float64]:
    """Return a pose as a 4x4 matrix."""
    q, p = pose.orientation, pose.position
    x, y, z, w = np.array([q.x, q.y, q.z, q.w]) / (math.hypot(q.x, q.y, q.z, q.w) or math.nan)
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, 3] = p.x, p.y, p.z
    return matrix


def map_boxes(grid: OccupancyGrid, objects: Iterable[LocatedObject] = ()) -> list[Box]:
    """Return what is occupied on a map in the odometry frame, but for what is near to objects.

    Those are obstacles of their own; the map has them in cells, and with the edges of their feet.
    What is not certain is soft. Raises ``ValueError``.
    """
    info = grid.info
    if yaw_of(info.origin.orientation) != 0.0:
        raise ValueError("the map is turned")
    cells = np.array(grid.data, np.int8).reshape(info.height, info.width)
    origin = float(info.origin.position.x), float(info.origin.position.y)
    occupied = cells >= _OCCUPIED
    rows, columns = np.nonzero(occupied)
    x, y = (
        start + (index + 0.5) * info.resolution
        for start, index in zip(origin, (columns, rows), strict=True)
    )
    for box in (box_of(thing) for thing in objects if thing.pose is not None):
        cos, sin = math.cos(box.yaw), math.sin(box.yaw)
        ahead, left = cos * (x - box.x) + sin * (y - box.y), cos * (y - box.y) - sin * (x - box.x)
        is_near = (abs(ahead) <= box.length / 2 + _AROUND) & (abs(left) <= box.width / 2 + _AROUND)
        occupied[rows[is_near], columns[is_near]] = False
    is_certain, resolution = cells >= _CERTAIN, float(info.resolution)
    return [
        *boxes_of_grid(occupied & is_certain, origin, resolution),
        *boxes_of_grid(occupied & ~is_certain, origin, resolution, is_soft=True),
    ]


def hazard_boxes(cloud: PointCloud2) -> list[Box]:
    """Return the points of ``hazards`` that are still there, m in the odometry frame."""
    rows = np.frombuffer(bytes(cloud.data), np.float32).reshape(-1, cloud.point_step // 4)
    here = rows[(rows[:, 2] >= 0.0) & np.isfinite(rows[:, :2]).all(axis=1)][:_MOST_POINTS]
    return [
        Box(float(x), float(y), 0.0, _HAZARD, _HAZARD, HazardKind(int(kind)).name.lower())
        for x, y, _, kind in here[:, :4]
    ]


def segment_messages(segments: Iterable[Segment]) -> list[PathSegment]:
    return [_segment_message(segment) for segment in segments]


def _segment_message(segment: Segment) -> PathSegment:
    profile = {
        "speed": segment.speed,
        "acceleration": segment.acceleration,
        "deceleration": segment.deceleration,
    }
    if isinstance(segment, Turn):
        return PathSegment(
            type=PathSegment.TURN,
            center=_point(segment.center),
            target_angle=segment.target_angle,
            angle_tolerance=segment.tolerance,
            **profile,
        )
    if isinstance(segment, Line):
        return PathSegment(
            type=PathSegment.LINE, start=_point(segment.start), end=_point(segment.end), **profile
        )
    return PathSegment(
        type=PathSegment.ARC,
        center=_point(segment.center),
        radius=segment.radius,
        start_angle=segment.start_angle,
        sweep_angle=segment.sweep_angle,
        **profile,
    )


def _point(point: tuple[float, float]) -> Point:
    return Point(x=float(point[0]), y=float(point[1]))
