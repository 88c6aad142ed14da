"""``cozmo.robot_alignment``: how the robot stands before what it docks with."""

from __future__ import annotations

from typing import NamedTuple

from .names import named_values


class _RobotAlignmentType(NamedTuple):
    name: str
    id: int


class RobotAlignmentTypes:
    """What of the robot touches the object."""


for _name, _id in named_values("alignment_types").items():
    setattr(RobotAlignmentTypes, _name, _RobotAlignmentType(_name, _id))
