"""Which strategy serves which trigger (spec 12 §4)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from ..robot import CubeEventType as Cube
from ..robot import OffTreads
from ..robot import RobotEventType as Robot
from .reaction_map import MappedReaction
from .reaction_strategies import Frustration, Hiccups, Latch, Objective, Posture, Strategy
from .sight_strategies import CubeMotion, FaceMoved, ObjectMoved, PetSeen
from .triggers import RULES, Trigger

IGNORED_AT_START = 20.0
"""s after the start in which the charger is no news."""

_EVENTS: dict[Trigger, tuple[Robot | Cube, ...]] = {
    Trigger.CLIFF_DETECTED: (Robot.CLIFF_DETECTED, Robot.ROBOT_STOPPED),
    Trigger.MOTOR_CALIBRATION: (Robot.MOTOR_CALIBRATION_STARTED,),
    Trigger.PLACED_ON_CHARGER: (Robot.PLACED_ON_CHARGER,),
    Trigger.ROBOT_FALLING: (Robot.FALLING_STARTED,),
    Trigger.ROBOT_PLACED_ON_SLOPE: (Robot.PLACED_ON_SLOPE,),
    Trigger.RETURNED_TO_TREADS: (Robot.PUT_DOWN,),
    Trigger.ROBOT_SHAKEN: (Robot.SHAKEN_STARTED,),
    Trigger.UNEXPECTED_MOVEMENT: (Robot.UNEXPECTED_MOVEMENT,),
    Trigger.ROBOT_POKED: (Robot.POKED,),
    Trigger.BUTTON_PRESSED: (Robot.BUTTON_PRESSED,),
    Trigger.CUBE_TAPPED: (Cube.TAPPED, Cube.DOUBLE_TAPPED),
    Trigger.BATTERY_LOW: (Robot.BATTERY_LOW, Robot.BATTERY_CRITICAL),
}
_POSTURES: dict[Trigger, tuple[OffTreads, ...]] = {
    Trigger.ROBOT_PICKED_UP: (OffTreads.IN_AIR,),
    Trigger.ROBOT_ON_BACK: (OffTreads.ON_BACK,),
    Trigger.ROBOT_ON_FACE: (OffTreads.ON_FACE,),
    Trigger.ROBOT_ON_SIDE: (OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE),
}

_SEEN: dict[Trigger, Callable[[Sequence[MappedReaction]], Strategy]] = {
    Trigger.CUBE_MOVED: CubeMotion,
    Trigger.FACE_POSITION_UPDATED: FaceMoved,
    Trigger.OBJECT_POSITION_UPDATED: ObjectMoved,
    Trigger.PET_INITIAL_DETECTION: PetSeen,
}


def strategy_for(
    trigger: Trigger, entries: Sequence[MappedReaction], now: float, rng: random.Random
) -> Strategy:
    rule = RULES[trigger]
    if trigger in _POSTURES:
        return Posture(entries, *_POSTURES[trigger])
    if trigger in _EVENTS:
        return Latch(
            entries,
            _EVENTS[trigger],
            rule.window,
            automatic_only=trigger is Trigger.MOTOR_CALIBRATION,
            not_before=now + (IGNORED_AT_START if trigger is Trigger.PLACED_ON_CHARGER else 0.0),
        )
    if trigger in _SEEN:
        return _SEEN[trigger](entries)
    if trigger is Trigger.FRUSTRATION:
        return Frustration(entries)
    if trigger is Trigger.HICCUP:
        return Hiccups(entries, rng, now)
    if any(entry.objectives for entry in entries):
        return Objective(entries, rng)
    return Strategy(rule.waits_for)
