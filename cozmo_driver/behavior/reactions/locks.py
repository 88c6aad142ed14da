"""Who keeps the robot from reacting to what (spec 12 §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .triggers import Trigger


def _numbers(*numbers: int) -> frozenset[Trigger]:
    return frozenset(map(Trigger, numbers))


_CUBE_GAMES = _numbers(1, 2, 3, 4, 5, 8, 10, 20)

REACTION_LOCKS: Mapping[Trigger, frozenset[Trigger]] = {
    Trigger.CLIFF_DETECTED: _numbers(1, 2, 8, 20),
    Trigger.MOTOR_CALIBRATION: _numbers(0, 5, 12, 14, 15, 16, 17),
    Trigger.ROBOT_PLACED_ON_SLOPE: _numbers(0, 12, 14),
    Trigger.ROBOT_SHAKEN: _numbers(*range(6), 8, *range(10, 18), 20),
    Trigger.FIST_BUMP: _numbers(1, 2, 8, 10, 11, 12, 14, 20),
}
"""What is disabled while a reaction runs."""

DISABLED_BY: Mapping[str, frozenset[Trigger]] = {
    "CubeLiftWorkout": _numbers(1, 2, 8, 10, 20),
    "PeekABoo": _numbers(1, 2, 3, 8, 10),
    "RequestGameSimple": _numbers(1, 2, 3, 8, 10),
    "Dance": _numbers(1, 2, 3, 8, 10, 20),
    "Bouncer": _CUBE_GAMES,
    "GuardDog": _CUBE_GAMES,
    "OnboardingShowCube": _CUBE_GAMES,
    "EnrollFace": _numbers(*range(6), 8, 11, 12, *range(14, 18), 20),
}
"""What a behaviour of a class disables while it runs."""


def file_names(triggers: Iterable[Trigger]) -> frozenset[str]:
    """Return the names that files have for triggers."""
    return frozenset(trigger.file_name for trigger in triggers)


class Locks:
    """Sets of triggers that owners disable; a trigger is free when nobody disables it."""

    def __init__(self) -> None:
        """Start with everything free."""
        self._held: dict[str, frozenset[Trigger]] = {}

    def hold(self, owner: str, triggers: Iterable[Trigger]) -> None:
        """Disable triggers for an owner, instead of those that it disabled before."""
        self._held[owner] = frozenset(triggers)

    def release(self, owner: str) -> None:
        """Free what an owner disabled, if anything."""
        self._held.pop(owner, None)

    def owner_of(self, trigger: Trigger) -> str:
        """Return who disables a trigger, empty for nobody."""
        return next((owner for owner, held in self._held.items() if trigger in held), "")

    @property
    def held(self) -> Mapping[str, frozenset[Trigger]]:
        """What each owner disables."""
        return dict(self._held)
