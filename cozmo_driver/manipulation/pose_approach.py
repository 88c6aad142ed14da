"""Driving to a pose around what is known to be in the way: ``go_to_pose`` with ``avoid``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..robot import (
    ANGLE_TOLERANCE,
    PATH_SPEED,
    PATH_TURN_SPEED,
    POSITION_TOLERANCE,
    Line,
    Pose2D,
    Segment,
    Turn,
)
from .manipulator import Manipulator
from .obstacle_avoidance import abort_on_safety_loss, go_to

_HEADINGS = 8
"""To choose from where the heading is ignored; that of the straight path is the first."""


@dataclass(frozen=True, slots=True)
class DriveStyle:
    """How to drive: m/s, rad/s, and what counts as arrived, m and rad. Raises ``ValueError``."""

    speed: float = PATH_SPEED
    turn_speed: float = PATH_TURN_SPEED
    position_tolerance: float = POSITION_TOLERANCE
    angle_tolerance: float = ANGLE_TOLERANCE

    def __post_init__(self) -> None:
        Line((0.0, 0.0), (1.0, 0.0), self.speed)
        Turn((0.0, 0.0), 1.0, self.turn_speed)

    def applied_to(self, segment: Segment) -> Segment:
        if isinstance(segment, Turn):
            return replace(segment, speed=self.turn_speed)
        speed = self.speed if segment.speed > 0 else max(segment.speed, -self.speed)
        return replace(segment, speed=speed)


@abort_on_safety_loss
async def go_to_pose(
    robot: Manipulator, goal: Pose2D, style: DriveStyle, *, is_heading_ignored: bool = False
) -> None:
    """Drive to a pose of the drive center, m and rad in odom. Raises ``RobotError``."""
    goals, angle_tolerance = [goal], style.angle_tolerance
    if is_heading_ignored:
        goals, angle_tolerance = _any_heading(robot.state.pose, goal), math.pi
    tolerances = style.position_tolerance, angle_tolerance
    await go_to(robot, goals, tolerances=tolerances, styled=style.applied_to)


def _any_heading(here: Pose2D, goal: Pose2D) -> list[Pose2D]:
    """Return a place with the heading of the straight path there, and with some others."""
    bearing = math.atan2(goal.y - here.y, goal.x - here.x)
    turns = (number * 2 * math.pi / _HEADINGS for number in range(_HEADINGS))
    return [Pose2D(goal.x, goal.y, math.remainder(bearing + t, 2 * math.pi)) for t in turns]
