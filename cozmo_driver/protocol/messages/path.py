"""Paths."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import PathEventType
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..structs import PathSegmentSpeed, RobotPose
from ..wire import F32, U8, U16, About, Bool


@message(0x3C, ENGINE_TO_ROBOT, confidence="E")
class ClearPath(NamedTuple):
    """Drop the path being built or followed."""

    path_id: Annotated[U16, About("engine sends 0")] = 0


@message(0x3D, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegLine")
class AppendPathSegmentLine(NamedTuple):
    """Append a straight segment."""

    x_start_mm: Annotated[F32, About(unit="mm")]
    y_start_mm: Annotated[F32, About(unit="mm")]
    x_end_mm: Annotated[F32, About(unit="mm")]
    y_end_mm: Annotated[F32, About(unit="mm")]
    speed: PathSegmentSpeed


@message(0x3E, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegArc")
class AppendPathSegmentArc(NamedTuple):
    """Append an arc."""

    x_center_mm: Annotated[F32, About(unit="mm")]
    y_center_mm: Annotated[F32, About(unit="mm")]
    radius_mm: Annotated[F32, About(unit="mm")]
    start_rad: Annotated[F32, About("angle of the start point seen from the centre", unit="rad")]
    sweep_rad: Annotated[F32, About("signed", unit="rad")]
    speed: PathSegmentSpeed


@message(0x3F, ENGINE_TO_ROBOT, confidence="E", pycozmo="AppendPathSegPointTurn")
class AppendPathSegmentPointTurn(NamedTuple):
    """Append a turn in place."""

    x_mm: Annotated[F32, About(unit="mm")]
    y_mm: Annotated[F32, About(unit="mm")]
    target_angle_rad: Annotated[F32, About("absolute", unit="rad")]
    angle_tolerance_rad: Annotated[F32, About(unit="rad")]
    speed: Annotated[PathSegmentSpeed, About("here rad/s and rad/s^2 [?]")]
    use_shortest_direction: Bool = True


@message(0x40, ENGINE_TO_ROBOT, confidence="E")
class TrimPath(NamedTuple):
    """Remove segments from either end."""

    num_pop_front: U8
    num_pop_back: U8


@message(0x41, ENGINE_TO_ROBOT, confidence="E")
class ExecutePath(NamedTuple):
    """Start following the path; progress comes as 0xC6."""

    path_id: Annotated[U16, About("echoed in 0xC6; never 0 in the engine")]
    use_manual_speed: Bool = False


@message(0xB3, ROBOT_TO_ENGINE, confidence="E")
class GoalPose(NamedTuple):
    """Docking/path goal for display."""

    pose: RobotPose
    following_marker_normal: Bool


@message(0xC6, ROBOT_TO_ENGINE, confidence="E")
class PathFollowingEvent(NamedTuple):
    """Path progress."""

    path_id: U16
    event_type: Annotated[U8, PathEventType]
