"""Poses on the floor: ROS messages to and from x, y and yaw."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, PoseStamped, Quaternion, Transform

from ...robot import Pose2D
from .headers import header
from .motion import quaternion

_LEAST_NORM = 1e-3
_MOST_TILT = math.radians(5.0)

_Rotation = tuple[float, float, float, float]
"""x, y, z, w of unit length."""
_Vector = tuple[float, float, float]


def pose_message(pose: Pose2D) -> Pose:
    """Return a pose in the plane."""
    message = Pose(orientation=quaternion(pose.yaw))
    message.position.x, message.position.y = float(pose.x), float(pose.y)
    return message


def stamped_pose_message(pose: Pose2D, stamp: Time, frame: str) -> PoseStamped:
    """Return a pose in the plane with its frame."""
    return PoseStamped(header=header(stamp, frame), pose=pose_message(pose))


def plane_pose(pose: Pose, frame: Transform | None = None) -> Pose2D:
    """Return x, y and yaw of a pose, seen from the parent of ``frame`` if it is given in one.

    Raises ``ValueError`` for what is not finite and for an orientation that is no rotation.
    """
    position = (pose.position.x, pose.position.y, pose.position.z)
    if not all(map(math.isfinite, position)):
        raise ValueError(f"the position is not finite: {position}")
    rotation = _unit(pose.orientation)
    if frame is not None:
        turn = _unit(frame.rotation)
        x, y, z = _rotated(turn, position)
        offset = frame.translation
        position = (x + offset.x, y + offset.y, z + offset.z)
        rotation = _product(turn, rotation)
    return Pose2D(position[0], position[1], _yaw(rotation))


def plane_frame(frame: Transform) -> Pose2D:
    """Return a transform in the plane. Raises ``ValueError`` when it is tilted."""
    x, y, z, w = _unit(frame.rotation)
    tilt = 2 * math.asin(min(1.0, math.hypot(x, y)))
    if tilt > _MOST_TILT:
        raise ValueError(
            f"the frame is tilted by {math.degrees(tilt):.0f} deg; give the path in a level one"
        )
    return Pose2D(frame.translation.x, frame.translation.y, _yaw((x, y, z, w)))


def _unit(rotation: Quaternion) -> _Rotation:
    parts = (rotation.x, rotation.y, rotation.z, rotation.w)
    norm = math.sqrt(sum(part * part for part in parts))
    if not (math.isfinite(norm) and norm > _LEAST_NORM):
        raise ValueError(f"the orientation is no rotation: {parts}")
    x, y, z, w = (part / norm for part in parts)
    return x, y, z, w


def _product(a: _Rotation, b: _Rotation) -> _Rotation:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def _rotated(rotation: _Rotation, vector: _Vector) -> _Vector:
    x, y, z, w = rotation
    inverse = (-x, -y, -z, w)
    turned = _product(_product(rotation, (*vector, 0.0)), inverse)
    return turned[0], turned[1], turned[2]


def yaw_of(orientation: Quaternion) -> float:
    """Return the heading of an orientation of unit length, rad."""
    return _yaw((orientation.x, orientation.y, orientation.z, orientation.w))


def _yaw(rotation: _Rotation) -> float:
    x, y, z, w = rotation
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
