"""Headers, and poses and paths on the floor: ROS messages to and from x, y and yaw."""

from __future__ import annotations

import dataclasses
import math
from array import array
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point as PointMessage
from geometry_msgs.msg import (
    Pose,
    PoseStamped,
    Quaternion,
    Transform,
    TransformStamped,
    Twist,
    TwistStamped,
    Vector3,
)
from nav_msgs.msg import Path
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header

from cozmo_interfaces.msg import PathSegment, RobotStatus

from ..robot import (
    DEFAULT_DECELERATION,
    DEFAULT_TURN_ACCELERATION,
    DEFAULT_TURN_TOLERANCE,
    PATH_ACCELERATION,
    PATH_SPEED,
    PATH_TURN_SPEED,
    Arc,
    Line,
    Pose2D,
    Segment,
    Turn,
    Waypoint,
)
from ..robot_bounds import MEASURED_BOUNDS

_Message = TypeVar("_Message", bound=Any)
_Data = TypeVar("_Data", bound=Any)
_Member = TypeVar("_Member", bound=Enum)
_LEAST_NORM = 1e-3
_MOST_TILT = math.radians(5.0)

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "boolean": bool,
    "int": int,
    "uint": int,
    "float": float,
    "double": float,
    "string": str,
}


def filled(kind: type[_Message], /, *sources: object, **fields: Any) -> _Message:
    """Return a message with these fields.

    Of the others, numbers and texts come from the first source that has one of the same name.
    """
    for name, type_name in kind.get_fields_and_field_types().items():
        convert = _CONVERSIONS.get(type_name.rstrip("0123456789"))
        if convert is None or name in fields:
            continue
        source = next((one for one in sources if hasattr(one, name)), None)
        if source is not None:
            fields[name] = convert(getattr(source, name))
    return kind(**fields)


def from_message(cls: type[_Data], message: Any, **fields: Any) -> _Data:
    """Return a dataclass with these fields; the others are of the message, where it has them."""
    names = {field.name for field in dataclasses.fields(cls)} - fields.keys()
    same = {name: getattr(message, name) for name in names if hasattr(message, name)}
    return cls(**same, **fields)


def constants(members: type[_Member], kind: Any, prefix: str = "") -> dict[_Member, Any]:
    """Return the constants of a message type that are named like the members of an enumeration."""
    return {member: getattr(kind, prefix + member.name) for member in members}


def header(stamp: Time, frame: str) -> Header:
    return Header(stamp=stamp, frame_id=frame)


def stamp_header(message: Header, stamp: Time, frame: str) -> None:
    message.stamp, message.frame_id = stamp, frame


def seconds(stamp: Time) -> float:
    """Return a stamp in s."""
    return stamp.sec + stamp.nanosec * 1e-9


def quaternion(yaw: float) -> Quaternion:
    """Return a rotation about z, rad."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def set_yaw(rotation: Quaternion, yaw: float) -> None:
    rotation.z, rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)


def fill_transform(
    message: TransformStamped, pose: Pose2D, stamp: Time, frame: str, child_frame: str
) -> TransformStamped:
    stamp_header(message.header, stamp, frame)
    message.child_frame_id = child_frame
    _set_pose(message.transform, pose)
    return message


def transform(pose: Pose2D) -> Transform:
    message = Transform()
    _set_pose(message, pose)
    return message


def _set_pose(message: Transform, pose: Pose2D) -> None:
    message.translation.x, message.translation.y = float(pose.x), float(pose.y)
    set_yaw(message.rotation, pose.yaw)


def pose_message(pose: Pose2D) -> Pose:
    message = Pose(orientation=quaternion(pose.yaw))
    message.position.x, message.position.y = float(pose.x), float(pose.y)
    return message


def stamped_pose_message(pose: Pose2D, stamp: Time, frame: str) -> PoseStamped:
    return PoseStamped(header=header(stamp, frame), pose=pose_message(pose))


def velocity_message(
    linear: float, angular: float, stamp: Time | None = None
) -> Twist | TwistStamped:
    """Return a velocity, m/s and rad/s, as ``cmd_vel`` takes it; stamped with a ``stamp``."""
    twist = Twist()
    twist.linear.x, twist.angular.z = linear, angular
    if stamp is None:
        return twist
    stamped = TwistStamped(twist=twist)
    stamped.header.stamp = stamp
    return stamped


_SET, _SET_YAW = 0.005, 0.03
"""m and rad by which odometry was set where its origin moves by more between two messages, beside
what it moves by where a calibration corrects what the robot counts."""
_CORRECTED = max(
    abs(scale - 1.0) for name in ("distance_scale", "turn_scale") for scale in MEASURED_BOUNDS[name]
)
"""Share of what was driven and turned that is corrected, at most."""


class OdometrySets:
    """Counts how often ``odom`` was set to another pose, by where ``status`` has the origin."""

    def __init__(self) -> None:
        self.count = 0
        self._status: RobotStatus | None = None
        self._last = 0, Pose2D()
        """Number and pose of the robot's own coordinate system."""
        self._pose: Pose2D | None = None
        self._driven = self._turned = 0.0
        """m and rad since the last ``status``, or more."""

    def update(self, status: RobotStatus, pose: Pose2D) -> int:
        """Take where the robot is in ``odom``; return the count."""
        step = (self._pose or pose).inverse().compose(pose)
        driven, turned = math.hypot(step.x, step.y), abs(step.yaw)
        self._pose = pose
        self._driven += driven
        self._turned += turned
        if status is self._status:
            return self.count
        self._status = status
        number, last = self._last
        place, rotation = status.origin_transform.translation, status.origin_transform.rotation
        origin = Pose2D(place.x, place.y, yaw_of(rotation))
        if number == status.origin_id and origin != last:
            # As it would be had nobody set it: far from the origin little turns move much.
            unset = last.compose(origin.inverse()).compose(pose)
            off = unset.inverse().compose(pose)
            astray = _CORRECTED * self._driven * (1.0 + self._turned)
            self.count += (
                math.hypot(off.x, off.y) > _SET + astray
                or abs(off.yaw) > _SET_YAW + _CORRECTED * self._turned
            )
        self._last = int(status.origin_id), origin
        # Of this step, too, some may have come after the status.
        self._driven, self._turned = driven, turned
        return self.count


def plane_pose(pose: Pose, frame: Transform | None = None) -> Pose2D:
    """Return x, y and yaw of a pose, seen from the parent of ``frame`` if it is given in one.

    Raises ``ValueError`` for what is not finite and for an orientation that is no rotation.
    """
    return pose_and_height(pose, frame)[0]


def pose_and_height(pose: Pose, frame: Transform | None = None) -> tuple[Pose2D, float]:
    """Return x, y and yaw, and z, as ``plane_pose`` does."""
    matrix = matrix_of(pose.position, pose.orientation)
    if frame is not None:
        matrix = matrix_of(frame.translation, frame.rotation) @ matrix
    return _plane(matrix), float(matrix[2, 3])


def plane_frame(frame: Transform) -> Pose2D:
    """Return a transform in the plane. Raises ``ValueError`` when it is tilted."""
    matrix = matrix_of(frame.translation, frame.rotation)
    tilt = math.acos(min(1.0, matrix[2, 2]))
    if tilt > _MOST_TILT:
        raise ValueError(
            f"the frame is tilted by {math.degrees(tilt):.0f} deg; give the path in a level one"
        )
    return _plane(matrix)


def matrix_of(place: PointMessage | Vector3, rotation: Quaternion) -> NDArray[np.float64]:
    """Return a pose as a 4x4 matrix. Raises ``ValueError``, as ``plane_pose``."""
    position = (place.x, place.y, place.z)
    if not all(map(math.isfinite, position)):
        raise ValueError(f"the position is not finite: {position}")
    parts = (rotation.x, rotation.y, rotation.z, rotation.w)
    norm = math.hypot(*parts)
    if not (math.isfinite(norm) and norm > _LEAST_NORM):
        raise ValueError(f"the orientation is no rotation: {parts}")
    x, y, z, w = (part / norm for part in parts)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), position[0]],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), position[1]],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), position[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _plane(matrix: NDArray[np.float64]) -> Pose2D:
    x, y = map(float, matrix[:2, 3])
    return Pose2D(x, y, math.atan2(matrix[1, 0], matrix[0, 0]))


def yaw_of(orientation: Quaternion) -> float:
    """Return the heading of an orientation of unit length, rad."""
    x, y, z, w = orientation.x, orientation.y, orientation.z, orientation.w
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def or_default(name: str, value: float, default: float) -> float:
    """Return ``value``, or ``default`` for 0. Raises ``ValueError`` unless finite and positive."""
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f"{name} must be positive, or 0 for the default, not {value}")
    return float(value) or default


def path_header(path: Path) -> Header:
    """Return the header that holds for all poses of a path. Raises ``ValueError`` for several."""
    headers = [path.header, *(pose.header for pose in path.poses)]
    named = [header for header in headers if header.frame_id]
    frames = sorted({header.frame_id for header in named})
    if len(frames) > 1:
        raise ValueError(f"the poses of the path are in several frames: {', '.join(frames)}")
    return named[0] if named else path.header


def waypoints(path: Path, frame: Transform | None) -> list[Waypoint]:
    """Return the poses, seen from the parent of ``frame``. Raises ``ValueError``."""
    poses = [plane_pose(stamped.pose, frame) for stamped in path.poses]
    return [Waypoint(pose.x, pose.y, pose.yaw) for pose in poses]


def segments(
    messages: Sequence[PathSegment], speed: float = 0.0, turn_speed: float = 0.0
) -> list[Segment]:
    """Return explicit segments; the speeds (0 for the default) are for those without one.

    Raises ``ValueError``, naming the segment.
    """
    speed = or_default("speed", speed, PATH_SPEED)
    turn_speed = or_default("angular_speed", turn_speed, PATH_TURN_SPEED)
    made = []
    for number, message in enumerate(messages):
        try:
            made.append(_segment(message, speed, turn_speed))
        except ValueError as error:
            raise ValueError(f"segment {number}: {error}") from error
    return made


def _segment(message: PathSegment, speed: float, turn_speed: float) -> Segment:
    if message.type == PathSegment.TURN:
        return Turn(
            _point(message.center),
            float(message.target_angle),
            or_default("angle_tolerance", message.angle_tolerance, DEFAULT_TURN_TOLERANCE),
            float(message.speed) or turn_speed,
            or_default("acceleration", message.acceleration, DEFAULT_TURN_ACCELERATION),
            or_default("deceleration", message.deceleration, DEFAULT_TURN_ACCELERATION),
        )
    profile = (
        float(message.speed) or speed,
        or_default("acceleration", message.acceleration, PATH_ACCELERATION),
        or_default("deceleration", message.deceleration, DEFAULT_DECELERATION),
    )
    if message.type == PathSegment.LINE:
        return Line(_point(message.start), _point(message.end), *profile)
    if message.type == PathSegment.ARC:
        radius, start, sweep = message.radius, message.start_angle, message.sweep_angle
        return Arc(_point(message.center), float(radius), float(start), float(sweep), *profile)
    raise ValueError(f"the type must be LINE, ARC or TURN, not {message.type}")


def _point(point: PointMessage) -> tuple[float, float]:
    return float(point.x), float(point.y)


def point_cloud(values: array[float], fields: Sequence[str], head: Header) -> PointCloud2:
    """Return a cloud of ``array("f")``: for each point the value of each field."""
    step = 4 * len(fields)
    width = len(values) // len(fields)
    return PointCloud2(
        header=head,
        height=1,
        width=width,
        fields=[
            PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
            for i, name in enumerate(fields)
        ],
        point_step=step,
        row_step=step * width,
        is_dense=True,
        data=values.tobytes(),
    )
