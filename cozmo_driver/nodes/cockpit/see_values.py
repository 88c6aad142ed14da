"""What the tab See shows: messages as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry, Path
from sensor_msgs.msg import CameraInfo, Imu, PointCloud2

from ..conversions.geometry import yaw_of

Value = Any


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
    """Return what ``pointing.Lens`` is made of; other lens models are seen as pinholes."""
    fx, _, cx, _, fy, cy = map(float, message.k[:6])
    is_known = message.distortion_model == "plumb_bob"
    return {"fx": fx, "fy": fy, "cx": cx, "cy": cy, "distortion": list(message.d) * is_known}


def plan(message: Path) -> Value:
    return [[round(one.pose.position.x, 3), round(one.pose.position.y, 3)] for one in message.poses]


def hazards(message: PointCloud2) -> Value:
    """Return x and y of those that are there; what is gone lies below the floor."""
    points = np.frombuffer(message.data, np.float32).reshape(-1, message.point_step // 4)
    return [[round(float(x), 3), round(float(y), 3)] for x, y, z in points[:, :3] if z >= 0.0]


def diagnostics(message: DiagnosticArray) -> Value:
    statuses = []
    for status in message.status:
        node, _, name = status.name.rpartition(": ")
        statuses.append(
            {
                "node": node,
                "name": name,
                "level": status.level[0],
                "message": status.message,
                "values": {one.key: one.value for one in status.values},
            }
        )
    return statuses
