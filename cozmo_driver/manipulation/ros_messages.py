"""What manipulation takes from messages, and the paths that it asks for."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from geometry_msgs.msg import Point
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import PointCloud2

from cozmo_interfaces.msg import ObjectState, PathSegment

from ..perception import Kind, LocatedObject, PoseState
from ..planning import Box, boxes_of_grid
from ..robot import Arc, HazardKind, Line, Segment
from ..ros.geometry import constants, filled, matrix_of, seconds, yaw_of
from .obstacle_avoidance import box_of, point_box

_KINDS = {number: kind for kind, number in constants(Kind, ObjectState).items()}
_STATES = {number: state for state, number in constants(PoseState, ObjectState).items()}
_OCCUPIED, _CERTAIN = 65, 100
_AROUND = 0.020
"""m around an object in which the map is not asked."""
_MOST_POINTS = 2000
_POINT_STEP = 16
"""Bytes of x, y, z and kind."""


def located_object(message: ObjectState) -> LocatedObject:
    """Return what a vision node knows of an object. Raises ``ValueError``."""
    if message.kind not in _KINDS or message.state not in _STATES:
        raise ValueError(f"{message.name}: kind {message.kind}, state {message.state}")
    state = _STATES[message.state]
    size = message.size.x, message.size.y, message.size.z
    if not all(0.0 < edge < math.inf for edge in size):
        raise ValueError(f"{message.name}: its size is not positive and finite: {size}")
    pose = message.pose
    is_placed = state is not PoseState.UNKNOWN
    return LocatedObject(
        message.name,
        _KINDS[message.kind],
        state,
        matrix_of(pose.position, pose.orientation) if is_placed else None,
        size,
        None if message.cube_slot == ObjectState.NO_SLOT else int(message.cube_slot),
        seconds(message.last_seen),
        message.is_visible,
        message.is_carried,
        message.on_top_of or None,
    )


def map_boxes(grid: OccupancyGrid, objects: Iterable[LocatedObject] = ()) -> list[Box]:
    """Return what is occupied on a map in the odometry frame, but for what is near to objects.

    Those are obstacles of their own; the map has them in cells, and with the edges at their contact
    lines. Near to what is carried cliffs count: only its edges where it stood are left out. What is
    not certain is soft. Raises ``ValueError``.
    """
    info = grid.info
    if yaw_of(info.origin.orientation) != 0.0:
        raise ValueError("the map is turned")
    cells = np.array(grid.data, np.int8).reshape(info.height, info.width)
    origin = float(info.origin.position.x), float(info.origin.position.y)
    occupied, is_certain = cells >= _OCCUPIED, cells >= _CERTAIN
    rows, columns = np.nonzero(occupied)
    x, y = (
        start + (index + 0.5) * info.resolution
        for start, index in zip(origin, (columns, rows), strict=True)
    )
    for thing in (one for one in objects if one.pose is not None):
        box = box_of(thing)
        cos, sin = math.cos(box.yaw), math.sin(box.yaw)
        ahead, left = cos * (x - box.x) + sin * (y - box.y), cos * (y - box.y) - sin * (x - box.x)
        is_near = (abs(ahead) <= box.length / 2 + _AROUND) & (abs(left) <= box.width / 2 + _AROUND)
        if thing.is_carried:
            is_near &= ~is_certain[rows, columns]
        occupied[rows[is_near], columns[is_near]] = False
    resolution = float(info.resolution)
    return [
        *boxes_of_grid(occupied & is_certain, origin, resolution),
        *boxes_of_grid(occupied & ~is_certain, origin, resolution, is_soft=True),
    ]


def hazard_boxes(cloud: PointCloud2) -> list[Box]:
    """Return the points of ``hazards`` that are still there, m in the odometry frame.

    Raises ``ValueError``.
    """
    if cloud.point_step < _POINT_STEP:
        raise ValueError(f"its points have {cloud.point_step} bytes, not {_POINT_STEP}")
    rows = np.frombuffer(bytes(cloud.data), np.float32).reshape(-1, cloud.point_step // 4)[:, :4]
    here = rows[(rows[:, 2] >= 0.0) & np.isfinite(rows).all(axis=1)][:_MOST_POINTS]
    return [
        point_box(float(x), float(y), HazardKind(int(kind)).name.lower()) for x, y, _, kind in here
    ]


def segment_messages(segments: Iterable[Segment]) -> list[PathSegment]:
    return [_segment_message(segment) for segment in segments]


def _segment_message(segment: Segment) -> PathSegment:
    if isinstance(segment, Line):
        start, end = _point(segment.start), _point(segment.end)
        return filled(PathSegment, segment, type=PathSegment.LINE, start=start, end=end)
    center = _point(segment.center)
    if isinstance(segment, Arc):
        return filled(PathSegment, segment, type=PathSegment.ARC, center=center)
    turn, tolerance = PathSegment.TURN, float(segment.tolerance)
    return filled(PathSegment, segment, type=turn, center=center, angle_tolerance=tolerance)


def _point(point: tuple[float, float]) -> Point:
    return Point(x=float(point[0]), y=float(point[1]))
