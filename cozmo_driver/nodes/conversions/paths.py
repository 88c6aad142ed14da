"""Paths of goals as the robot's segments and waypoints."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Point as PointMessage
from geometry_msgs.msg import Transform
from nav_msgs.msg import Path
from std_msgs.msg import Header

from cozmo_interfaces.msg import PathSegment

from ...robot import Arc, Line, Segment, Turn, Waypoint
from ...robot.paths.segments import (
    DEFAULT_ACCELERATION,
    DEFAULT_DECELERATION,
    DEFAULT_SPEED,
    DEFAULT_TURN_ACCELERATION,
    DEFAULT_TURN_SPEED,
    DEFAULT_TURN_TOLERANCE,
)
from .poses import plane_pose
from .values import or_default, signed_or_default


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
    speed = or_default("speed", speed, DEFAULT_SPEED)
    turn_speed = or_default("angular_speed", turn_speed, DEFAULT_TURN_SPEED)
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
            signed_or_default(message.speed, turn_speed),
            or_default("acceleration", message.acceleration, DEFAULT_TURN_ACCELERATION),
            or_default("deceleration", message.deceleration, DEFAULT_TURN_ACCELERATION),
        )
    profile = (
        signed_or_default(message.speed, speed),
        or_default("acceleration", message.acceleration, DEFAULT_ACCELERATION),
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
