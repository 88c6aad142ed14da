"""``pycozmo.robot``: sizes, limits, bits of the state (spec 21 §10)."""

from __future__ import annotations

import enum

from ..sdk import robot_state as sdk
from .protocol_encoder import _NAMES
from .util import Angle, Distance, Speed

MIN_HEAD_ANGLE, MAX_HEAD_ANGLE = Angle(degrees=-25), Angle(degrees=44.5)
MIN_LIFT_HEIGHT, MAX_LIFT_HEIGHT = Distance(mm=32.0), Distance(mm=92.0)
LIFT_ARM_LENGTH, LIFT_PIVOT_HEIGHT = Distance(mm=66.0), Distance(mm=45.0)
MAX_WHEEL_SPEED, TRACK_WIDTH = Speed(mmps=200.0), Distance(mm=45.0)
FRAME_RATE = 30
# As versions before 0.6 named them.
MIN_HEAD_ANGLE_RAD, MAX_HEAD_ANGLE_RAD = MIN_HEAD_ANGLE.radians, MAX_HEAD_ANGLE.radians
MIN_LIFT_HEIGHT_MM, MAX_LIFT_HEIGHT_MM = MIN_LIFT_HEIGHT.mm, MAX_LIFT_HEIGHT.mm
MAX_WHEEL_SPEED_MMPS, TRACK_WIDTH_MM = MAX_WHEEL_SPEED.mmps, TRACK_WIDTH.mm


class LiftPosition(sdk.LiftPosition):
    """Where the lift is: as height, ratio or angle."""

    @property
    def height(self) -> Distance:  # type: ignore[override]
        return Distance(mm=self._height)


MIN_LIFT_ANGLE = LiftPosition(height=MIN_LIFT_HEIGHT).angle
MAX_LIFT_ANGLE = LiftPosition(height=MAX_LIFT_HEIGHT).angle


class RobotStatusFlag:
    """Bits of ``RobotState.status``."""


for _name, _bit in _NAMES["flags"].items():
    setattr(RobotStatusFlag, _name, _bit)
RobotStatusFlagNames: dict[int, str] = {bit: name for name, bit in _NAMES["flags"].items()}


class RobotOrientation(enum.Enum):
    """How the robot lies."""

    ON_THREADS = 0
    ON_BACK = 1
    ON_FACE = 2
    ON_LEFT_SIDE = 3
    ON_RIGHT_SIDE = 4
