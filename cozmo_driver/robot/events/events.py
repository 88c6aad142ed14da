"""What happens to the robot at one instant, in SI units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ...protocol.enums import MotorID
from ..data import OffTreads
from .unexpected_movement import Movement, Side


class RobotEventType(IntEnum):
    """Names and values of ``cozmo_interfaces/msg/RobotEvent``."""

    BUTTON_PRESSED = 1
    BUTTON_RELEASED = 2
    POKED = 3
    PICKED_UP = 4
    PUT_DOWN = 5
    OFF_TREADS_CHANGED = 6
    FALLING_STARTED = 7
    FALLING_STOPPED = 8
    SHAKEN_STARTED = 9
    SHAKEN_STOPPED = 10
    PLACED_ON_SLOPE = 11
    PLACED_ON_CHARGER = 12
    LEFT_CHARGER = 13
    CHARGING_STARTED = 14
    CHARGING_STOPPED = 15
    CLIFF_DETECTED = 30
    CLIFF_CLEARED = 31
    POTENTIAL_CLIFF = 32
    ROBOT_STOPPED = 33
    UNEXPECTED_MOVEMENT = 34
    DELOCALIZED = 35
    EMERGENCY_STOPPED = 36
    EMERGENCY_STOP_RELEASED = 37
    MOTOR_STALLED = 50
    MOTOR_RECOVERED = 51
    MOTOR_CALIBRATION_STARTED = 52
    MOTOR_CALIBRATED = 53
    LIFT_LOADED = 54
    LIFT_UNLOADED = 55
    ANIMATION_STARTED = 70
    ANIMATION_EVENT = 71
    ANIMATION_ENDED = 72
    ROBOT_ERROR = 73
    BATTERY_LOW = 74
    BATTERY_CRITICAL = 75


HARD_IMPACT = 1000.0
"""Falls that end with more than this are hard ones (spec 10 §7)."""


@dataclass(frozen=True, slots=True)
class RobotEvent:
    """Fields that do not belong to the event's type keep their neutral value.

    ``time`` is when it happened, on the host's monotonic clock, s; ``off_treads`` the posture at
    that time; ``duration`` in s; ``acceleration`` in m/s^2; ``impact`` has no unit; ``code`` is
    the robot's own; ``name`` is that of a clip or of an event in it.
    """

    type: RobotEventType
    description: str
    time: float = math.nan
    off_treads: OffTreads = OffTreads.ON_TREADS
    motor: MotorID | None = None
    movement: Movement = Movement.NONE
    side: Side = Side.NONE
    has_stopped: bool = False
    is_automatic: bool = False
    is_fatal: bool = False
    duration: float = math.nan
    acceleration: float = math.nan
    impact: float = math.nan
    code: int = 0
    name: str = ""
