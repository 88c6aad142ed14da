"""Figures of the docking controller, in one place (spec 16 §2); mm, mm/s, rad, s.

None was measured on the firmware that is emulated: they are those of earlier and later versions
("F1", "F2" in the spec), of which recordings of robots tell the same within some mm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ...protocol import DockAction

# -- from signal to path (§2.2)

HIGHEST = 80.0
"""Of the marker; more is too high."""
WORST_ANGLE = math.radians(67.5)
"""A greater angle of the marker is implausible."""
ALREADY_DOCKED = 10.0
"""So much farther than where it docks the robot goes on with the path it has."""
HISTORY = 0.6
"""How far back a signal may refer, s."""
REPLAN_DISTANCE, REPLAN_ANGLE, REPLAN_COUNT = 10.0, math.radians(10.0), 2
"""HYBRID: so many signals in a row must differ by more from the object's pose."""
K1, K2, SPEED_OFFSET = 0.1, 12.0, 200.0
OFFSET_CLIP, ANGLE_CLIP = 20.0, 0.5
TRACKER_K1, TRACKER_ANGLE_CLIP = 0.05, 0.4
"""Of the steering, also while it nudges."""
ON_GROUND_TOLERANCE, HIGH_TOLERANCE, HIGH_FROM = 3.0, 5.0, 25.0
"""Beside the marker's normal, and the marker's height from which the second one holds."""
LOST_TIMEOUT, LOOKING_TIMEOUT = 0.5, 1.0
"""Since the last signal, s: until the robot stops, and until it gives up."""
VIEW_ANGLE, VIEW_FROM, MARKER = 0.36, 40.0, 25.0
"""Half angle in which the marker must be seen, the distance from which that counts, its edge."""
HEAD_PIVOT, HEAD_TILT, LOWEST_HEAD = 49.0, math.radians(4.0), math.radians(-20.0)
RISE_FROM, RISE_LIMIT, RISE_STEP = 90.0, 79.0, 4.0
"""High pick-up: distance from which on the lift rises, the height it is limited to, the steps."""

# -- the end of the path (§2.3)

FRESH = 0.6
"""s; a last signal of this age is what the position is judged by."""
FRESH_ANGLE = math.radians(10.0)
HYBRID_MARGIN = 10.0
NUDGE_MARGIN, NUDGE_ASIDE, NUDGE_ANGLE = 15.0, 18.0, math.radians(16.0)
STALE_LIMITS = (11.0, 3.0, math.radians(5.0))
STALE_NUDGE = (21.0, 10.0, math.radians(10.0))
"""Ahead, aside and askew of the dock pose, where no fresh signal tells."""
NUDGE_TURN, NUDGE_DISTANCE, NUDGE_SPEED = math.radians(22.0), 50.0, 220.0
NUDGE_TURN_RATE = 2 * 220.0 / 69.0
REVERSE_DISTANCE, REVERSE_SPEED = 60.0, 50.0
RETRY_SPEED, RETRY_ACCEL = 40.0, 40.0

# -- the lift and the rest (§2.4, §2.7)

LOW, HIGH_DOCK, CARRY = 32.0, 76.0, 92.0
LIFT_SPEED, LIFT_ACCEL = 1.5, 10.0
SLOW_LIFT = 0.75
BACK_OUT_SPEED = 60.0
PICK_UP_CREEP, PICK_UP_SPEED, PICK_UP_ACCEL = 8.0, 20.0, 100.0
PICK_UP_PAUSE, PICK_UP_BACK = 0.1, 0.1
PLACED_AFTER, PLACED_HIGH_AFTER = 1.0, 0.5
"""The result of placing comes then at the latest, s."""
ROLL_BELOW, ROLL_SPEED, ROLL_TIME = 68.0, 60.0, 1.0
WHEELIE_SPEED, WHEELIE_PITCH, WHEELIE_TIME = 150.0, 1.2, 0.5
WHEELIE_LIFT = (10.0, 200.0)
FACE_PLANT_PITCH, FACE_PLANT_TIME = math.radians(-25.0), 0.5
FACE_PLANT_TIMEOUT = 1.0
SINK_TIMEOUT = 0.5
"""A lift without power that sinks within this time has a load."""


@dataclass(frozen=True, slots=True)
class DeepRoll:
    """What ``RollActionParams`` may replace."""

    lift: float = 35.0
    speed: float = 50.0
    accel: float = 40.0
    time: float = 1.5
    back_out: float = 100.0


DEEP_ROLL_PITCH = math.radians(35.0)
DEEP_ROLL_LIFT, DEEP_ROLL_LIFT_SPEED, DEEP_ROLL_LIFT_TIME = 10.0, math.radians(50.0), 0.25


class Result(IntEnum):
    """Result codes. Their names are known, their numbers are not: these are made up."""

    SUCCESS = 0
    UNKNOWN = 1
    SUCCESS_RETRY = 2
    SUCCESS_NUDGE = 3
    INTERRUPTED = 4
    TOO_LONG = 5
    TOO_HIGH = 6
    RETRY_FAILURE = 7

    @property
    def is_success(self) -> bool:
        return self in (Result.SUCCESS, Result.SUCCESS_RETRY, Result.SUCCESS_NUDGE)


class Status(IntEnum):
    """Values of ``DockingStatus``; the numbers are a guess."""

    BACKING_UP = 0
    NUDGE = 1


@dataclass(frozen=True, slots=True)
class DockFigures:
    """How the robot docks for one action."""

    distance: float
    """From its origin to the marker, where it is docked."""
    no_return: float | None = None
    """Distance to the marker from which on it goes on without signals."""
    lift: float | None = None
    """Before it starts; None for where it is."""
    back_out: float = 0.0
    into: float = 5.0
    """How far the path goes on beyond that."""
    is_nudged: bool = False


_BESIDE = DockFigures(23.0, None, CARRY, 60.0)
_PICK_UP = DockFigures(23.0, 33.0, LOW, 60.0, is_nudged=True)
_ROLL = DockFigures(13.0, 23.0, CARRY, 35.0, into=10.0)
_ALIGN = DockFigures(23.0, 33.0)
FIGURES = {
    DockAction.PICKUP_LOW: _PICK_UP,
    DockAction.PICKUP_HIGH: DockFigures(20.0, 60.0, LOW, 60.0),
    DockAction.PLACE_HIGH: DockFigures(20.0, 60.0, CARRY, 60.0),
    DockAction.PLACE_LOW: _BESIDE,
    DockAction.PLACE_LOW_BLIND: DockFigures(0.0, None, CARRY, 35.0, into=0.0),
    DockAction.ROLL_LOW: _ROLL,
    DockAction.DEEP_ROLL_LOW: DockFigures(13.0, 23.0, CARRY, 100.0, into=10.0),
    DockAction.POST_DOCK_ROLL: _ROLL,
    DockAction.FACE_PLANT: DockFigures(23.0, 33.0, LOW, 60.0, is_nudged=True),
    DockAction.POP_A_WHEELIE: DockFigures(13.0, 23.0, CARRY),
    DockAction.ALIGN: _ALIGN,
    DockAction.ALIGN_SPECIAL: _ALIGN,
}
"""The actions that were shipped; ramps and bridges were not."""
