"""Pose, frame and origin."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..registry import ENGINE_TO_ROBOT, message
from ..wire import F32, U32, About


@message(0x45, ENGINE_TO_ROBOT, confidence="H", pycozmo="SetOrigin")
class AbsoluteLocalizationUpdate(NamedTuple):
    """Set the robot pose, its frame id and origin id.

    The robot echoes frame and origin in RobotState [H].
    """

    timestamp: Annotated[U32, About("history time the pose refers to; 0 = now", unit="ms")] = 0
    pose_frame_id: U32 = 0
    pose_origin_id: U32 = 1
    pose_x: Annotated[F32, About(unit="mm")] = 0.0
    pose_y: Annotated[F32, About(unit="mm")] = 0.0
    heading_angle: Annotated[F32, About(unit="rad")] = 0.0
