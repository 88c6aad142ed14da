"""What there is to react to, the rules of each trigger, and what disables it (spec 12 §4)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum

from ..resources import quoted
from ..robot import Reason


class Trigger(IntEnum):
    """The numbers are the engine's and the order of evaluation; the last ones are this package's.

    Names in files are those of the members in camel case: ``CliffDetected``.
    """

    CLIFF_DETECTED = 0
    CUBE_MOVED = 1
    FACE_POSITION_UPDATED = 2
    FIST_BUMP = 3
    FRUSTRATION = 4
    HICCUP = 5
    MOTOR_CALIBRATION = 6
    NO_PRE_DOCK_POSES = 7
    OBJECT_POSITION_UPDATED = 8
    PLACED_ON_CHARGER = 9
    PET_INITIAL_DETECTION = 10
    ROBOT_FALLING = 11
    ROBOT_PICKED_UP = 12
    ROBOT_PLACED_ON_SLOPE = 13
    RETURNED_TO_TREADS = 14
    ROBOT_ON_BACK = 15
    ROBOT_ON_FACE = 16
    ROBOT_ON_SIDE = 17
    ROBOT_SHAKEN = 18
    SPARKED = 19
    UNEXPECTED_MOVEMENT = 20
    ROBOT_POKED = 21
    BUTTON_PRESSED = 22
    CUBE_TAPPED = 23
    BATTERY_LOW = 24

    @property
    def file_name(self) -> str:
        return _FILE_NAMES[self]


_FILE_NAMES = {
    trigger: "".join(word.capitalize() for word in trigger.name.split("_")) for trigger in Trigger
}


class Interrupts(Enum):
    NEVER = 0
    AS_MAPPED = 1
    """Where the map of the files says so."""
    ALWAYS = 2
    SAFETY = 3
    """Always, and even before the other reaction has begun to act."""


@dataclass(frozen=True, slots=True)
class TriggerRule:
    """``window``: s for which what happened is worth a reaction that cannot come at once.

    ``cooldown``: s between two reactions. ``resumes``: whether what was interrupted goes on
    afterwards. Cooldown and resuming where the map says nothing. ``waits_for``: who or what
    raises it where the driver cannot.
    """

    interrupts: Interrupts = Interrupts.AS_MAPPED
    resumes: bool = True
    window: float = 3.0
    cooldown: float = 0.0
    waits_for: str = ""


RULES: dict[Trigger, TriggerRule] = {
    Trigger.CLIFF_DETECTED: TriggerRule(Interrupts.SAFETY),
    Trigger.CUBE_MOVED: TriggerRule(cooldown=20.0),
    Trigger.FACE_POSITION_UPDATED: TriggerRule(cooldown=4.0),
    Trigger.FIST_BUMP: TriggerRule(waits_for="something to be proud of"),
    Trigger.FRUSTRATION: TriggerRule(Interrupts.NEVER),
    Trigger.HICCUP: TriggerRule(),
    Trigger.MOTOR_CALIBRATION: TriggerRule(),
    Trigger.NO_PRE_DOCK_POSES: TriggerRule(waits_for="a cube that no path leads to"),
    Trigger.OBJECT_POSITION_UPDATED: TriggerRule(cooldown=20.0),
    Trigger.PLACED_ON_CHARGER: TriggerRule(),
    Trigger.PET_INITIAL_DETECTION: TriggerRule(),
    Trigger.ROBOT_FALLING: TriggerRule(Interrupts.SAFETY, resumes=False),
    Trigger.ROBOT_PICKED_UP: TriggerRule(Interrupts.SAFETY, resumes=False),
    Trigger.ROBOT_PLACED_ON_SLOPE: TriggerRule(Interrupts.ALWAYS),
    Trigger.RETURNED_TO_TREADS: TriggerRule(resumes=False),
    Trigger.ROBOT_ON_BACK: TriggerRule(resumes=False),
    Trigger.ROBOT_ON_FACE: TriggerRule(resumes=False),
    Trigger.ROBOT_ON_SIDE: TriggerRule(),
    Trigger.ROBOT_SHAKEN: TriggerRule(Interrupts.ALWAYS),
    Trigger.SPARKED: TriggerRule(waits_for="somebody who asks for it"),
    Trigger.UNEXPECTED_MOVEMENT: TriggerRule(),
    Trigger.ROBOT_POKED: TriggerRule(cooldown=3.0),
    Trigger.BUTTON_PRESSED: TriggerRule(cooldown=2.0),
    Trigger.CUBE_TAPPED: TriggerRule(cooldown=5.0),
    Trigger.BATTERY_LOW: TriggerRule(window=60.0),
}
"""In the order of evaluation."""

_BY_NAME = {trigger.file_name: trigger for trigger in Trigger}


class UnknownTrigger(LookupError):
    """There is no trigger of that name, or nothing to do about it."""


def trigger_named(name: str) -> Trigger:
    """Return the trigger with a name of the files. Raises ``UnknownTrigger``."""
    found = _BY_NAME.get(name)
    if found is None:
        near = difflib.get_close_matches(name, _BY_NAME, 3)
        hint = f"did you mean {quoted(near)}?" if near else f"there are {quoted(_BY_NAME, 30)}"
        raise UnknownTrigger(f"there is no reaction trigger {name!r}; {hint}")
    return found


def _numbers(*numbers: int) -> frozenset[Trigger]:
    return frozenset(map(Trigger, numbers))


REACTION_LOCKS: Mapping[Trigger, frozenset[Trigger]] = {
    Trigger.CLIFF_DETECTED: _numbers(1, 2, 8, 20),
    Trigger.MOTOR_CALIBRATION: _numbers(0, 5, 12, 14, 15, 16, 17),
    Trigger.ROBOT_PLACED_ON_SLOPE: _numbers(0, 12, 14),
    Trigger.ROBOT_SHAKEN: _numbers(*range(6), 8, *range(10, 18), 20),
    Trigger.FIST_BUMP: _numbers(1, 2, 8, 10, 11, 12, 14, 20),
}
"""What is disabled while a reaction runs."""

ENDED_BY: Mapping[Trigger, Reason] = {
    Trigger.CLIFF_DETECTED: Reason.CLIFF,
    Trigger.PLACED_ON_CHARGER: Reason.ON_CHARGER,
    Trigger.ROBOT_FALLING: Reason.PICKED_UP,
    Trigger.ROBOT_PICKED_UP: Reason.PICKED_UP,
    Trigger.BATTERY_LOW: Reason.LOW_BATTERY,
}
"""Why a request ended that does not outlive such a reaction."""

DISABLED_BY: Mapping[str, frozenset[Trigger]] = {
    "CubeLiftWorkout": _numbers(1, 2, 8, 10, 20, 23),
    "Dance": _numbers(1, 2, 3, 8, 10, 20),
    "OnboardingShowCube": _numbers(1, 2, 3, 4, 5, 8, 10, 20, 23),
    "PeekABoo": _numbers(1, 2, 3, 8, 10),
    "Feeding": _numbers(*range(1, 6), 8, 10, 19, 23),
    "FeedingEat": _numbers(1, 8, *range(11, 15), 20, 23),
    "GuardDog": _numbers(1, 2, 3, 4, 5, 8, 10, 20, 21, 22, 23),
    "Games": _numbers(*range(1, 6), 7, 8, 10, 14, 19, 20, 21, 22, 23),
}
"""What a behaviour of a class disables while it runs."""


def file_names(triggers: Iterable[Trigger]) -> frozenset[str]:
    return frozenset(trigger.file_name for trigger in triggers)


class Locks:
    """Sets of triggers that owners disable; a trigger is free when nobody disables it."""

    def __init__(self) -> None:
        self.held: dict[str, frozenset[Trigger]] = {}

    def hold(self, owner: str, triggers: Iterable[Trigger]) -> None:
        self.held[owner] = frozenset(triggers)

    def release(self, owner: str) -> None:
        self.held.pop(owner, None)

    def owner_of(self, trigger: Trigger) -> str:
        """Return who disables a trigger, empty for nobody."""
        return next((owner for owner, held in self.held.items() if trigger in held), "")
