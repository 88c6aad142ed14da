"""What the tab See shows: messages as JSON."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import OccupancyGrid, Odometry, Path
from sensor_msgs.msg import CameraInfo, Imu, PointCloud2

from cozmo_interfaces.msg import FaceArray, MarkerArray, ObjectState, ObjectStates

from ..ros.geometry import seconds, yaw_of

Value = Any

_KINDS = {ObjectState.CUBE: "cube", ObjectState.CHARGER: "charger"}
_LARGEST = 512
"""Cells of a map's side that a page is sent; of a larger map every other cell, and so on."""


def odom(message: Odometry) -> Value:
    place, twist = message.pose.pose.position, message.twist.twist
    return {
        "x": round(place.x, 4),
        "y": round(place.y, 4),
        "yaw": round(yaw_of(message.pose.pose.orientation), 4),
        "linear": round(twist.linear.x, 3),
        "angular": round(twist.angular.z, 3),
    }


def imu(message: Imu) -> Value:
    accel, gyro = message.linear_acceleration, message.angular_velocity
    return {
        "accel": [round(part, 2) for part in (accel.x, accel.y, accel.z)],
        "gyro": [round(part, 2) for part in (gyro.x, gyro.y, gyro.z)],
    }


def camera_info(message: CameraInfo) -> Value:
    """Return what ``perception.Camera`` is made of; other lens models are seen as pinholes."""
    fx, _, cx, _, fy, cy = map(float, message.k[:6])
    distortion = list(message.d) if message.distortion_model == "plumb_bob" else []
    return {"fx": fx, "fy": fy, "cx": cx, "cy": cy, "distortion": distortion or [0.0] * 5}


def plan(message: Path) -> Value:
    return [[round(one.pose.position.x, 3), round(one.pose.position.y, 3)] for one in message.poses]


def hazards(message: PointCloud2) -> Value:
    """Return x and y of those that are there; what is gone lies below the floor."""
    points = np.frombuffer(message.data, np.float32).reshape(-1, message.point_step // 4)
    return [[round(float(x), 3), round(float(y), 3)] for x, y, z in points[:, :3] if z >= 0.0]


def diagnostics(message: DiagnosticArray, namespace: str) -> list[dict[str, Any]]:
    """Return what the robot's own nodes say on the topic of all robots."""
    statuses = []
    for status in message.status:
        node, _, name = status.name.rpartition(": ")
        if not _is_within(node.strip("/"), namespace.strip("/")):
            continue
        statuses.append(
            {
                "node": node,
                "name": name,
                "stamp": round(seconds(message.header.stamp), 3),
                "level": status.level[0],
                "message": status.message,
                "values": {one.key: one.value for one in status.values},
            }
        )
    return statuses


def _is_within(node: str, namespace: str) -> bool:
    """Tell whether a node belongs to a robot; one without a namespace has only nodes without."""
    return node.startswith(f"{namespace}/") if namespace else "/" not in node


# -- what the vision node found


def objects(message: ObjectStates) -> Value:
    """Return those whose place is known."""
    return [
        {
            "name": one.name,
            "kind": _KINDS.get(one.kind, "box"),
            "is_sure": one.state == ObjectState.KNOWN,
            "place": _rounded(one.pose.position, "xyz"),
            "turn": _rounded(one.pose.orientation, "xyzw"),
            "size": _rounded(one.size, "xyz"),
        }
        for one in message.objects
        if one.state != ObjectState.UNKNOWN
    ]


def markers(message: MarkerArray) -> Value:
    """Return corners in pixels of a picture 320 wide, and what carries each marker."""
    scale = 320.0 / max(message.width, 1)
    return _found(
        message,
        [
            {"name": one.name, "corners": [round(scale * float(at), 1) for at in one.corners]}
            for one in message.markers
        ],
    )


def faces(message: FaceArray) -> Value:
    return _found(
        message,
        [
            {
                "name": one.name or "face",
                "box": [round(float(at), 1) for at in (one.x, one.y, one.width, one.height)],
            }
            for one in message.faces
        ],
    )


def _found(message: MarkerArray | FaceArray, found: list[Value]) -> Value:
    """Return it with its time, so that a page knows that it is still so."""
    return {"stamp": round(seconds(message.header.stamp), 3), "found": found}


def ground(message: OccupancyGrid) -> Value:
    """Return what is known of the map: bytes 0 for unknown, 1 free, 2 occupied, in base64."""
    info = message.info
    cells = np.asarray(message.data, np.int8).reshape(info.height, info.width)
    rows, columns = (np.flatnonzero((cells >= 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return {"width": 0, "height": 0}
    cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    step = -(-max(cells.shape) // _LARGEST)
    cells = cells[::step, ::step]
    kinds = np.where(cells < 0, 0, np.where(cells > 50, 2, 1)).astype(np.uint8)
    origin = info.origin.position
    return {
        "x": round(origin.x + columns[0] * info.resolution, 3),
        "y": round(origin.y + rows[0] * info.resolution, 3),
        "resolution": round(step * info.resolution, 4),
        "width": kinds.shape[1],
        "height": kinds.shape[0],
        "cells": base64.b64encode(kinds.tobytes()).decode(),
    }


def _rounded(vector: Any, names: str) -> list[float]:
    return [round(float(getattr(vector, name)), 4) for name in names]
