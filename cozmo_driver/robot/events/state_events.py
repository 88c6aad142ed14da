"""Events that are read from the stream of states: changed bits and postures, handling (spec 10)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...protocol.enums import RobotStatusFlag as Flag
from ..data import OffTreads, RobotState
from .events import RobotEvent
from .events import RobotEventType as Type
from .shake import ShakeDetector
from .slope import SlopeDetector
from .unexpected_movement import UnexpectedMovement

_EDGES = (
    (
        Flag.IS_ON_CHARGER,
        (Type.PLACED_ON_CHARGER, "the robot stands on its charger"),
        (Type.LEFT_CHARGER, "the robot left its charger"),
    ),
    (
        Flag.IS_CHARGING,
        (Type.CHARGING_STARTED, "the battery is being charged"),
        (Type.CHARGING_STOPPED, "the battery is no longer charged"),
    ),
)
"""Status bits, and what it means when they come and go."""
_POSTURES = {
    OffTreads.ON_TREADS: "stands on its treads",
    OffTreads.IN_AIR: "is in the air",
    OffTreads.ON_BACK: "lies on its back",
    OffTreads.ON_LEFT_SIDE: "lies on its left side",
    OffTreads.ON_RIGHT_SIDE: "lies on its right side",
    OffTreads.ON_FACE: "lies on its face",
    OffTreads.FALLING: "falls",
}


class StateEvents:
    """Compares each state with the one before; the first state of a session tells nothing."""

    def __init__(self) -> None:
        """Start without a state."""
        self._shake, self._slope = ShakeDetector(), SlopeDetector()
        self._flags: int | None = None
        self._posture = OffTreads.ON_TREADS

    def reset(self) -> None:
        """Begin a session. The posture is remembered: what was lifted is put down one day."""
        self._shake.reset()
        self._slope.reset()
        self._flags = None

    def update(self, state: RobotState) -> Iterator[RobotEvent]:
        """Take a state; return what has happened with it, without time and posture."""
        yield from self._posture_events(state.off_treads)
        yield from self._edges(state.flags)
        shake = self._shake.update(state)
        if shake and shake.is_over:
            yield RobotEvent(
                Type.SHAKEN_STOPPED,
                f"the robot was shaken {shake.strength.value} for {shake.duration:.1f} s",
                duration=shake.duration,
                acceleration=shake.acceleration,
            )
        elif shake:
            yield RobotEvent(
                Type.SHAKEN_STARTED, "the robot is being shaken", acceleration=shake.acceleration
            )
        slope = self._slope.update(state)
        if slope:
            again = " again; is the head calibrated?" if slope.is_repeated else ""
            text = f"the robot was put on a slope of {math.degrees(slope.pitch):.0f} deg{again}"
            yield RobotEvent(Type.PLACED_ON_SLOPE, text)

    def _posture_events(self, posture: OffTreads) -> Iterator[RobotEvent]:
        before, self._posture = self._posture, posture
        if posture is before:
            return
        yield RobotEvent(Type.OFF_TREADS_CHANGED, f"the robot {_POSTURES[posture]}")
        if before is OffTreads.ON_TREADS:
            yield RobotEvent(Type.PICKED_UP, "the robot was lifted off its treads")
        elif posture is OffTreads.ON_TREADS:
            yield RobotEvent(Type.PUT_DOWN, "the robot was put on its treads")

    def _edges(self, flags: int) -> Iterator[RobotEvent]:
        before, self._flags = self._flags, flags
        if before is None or before == flags:
            return
        for flag, came, gone in _EDGES:
            if (before ^ flags) & flag:
                kind, text = came if flags & flag else gone
                yield RobotEvent(kind, text)


def movement_event(noticed: UnexpectedMovement, *, has_stopped: bool = False) -> RobotEvent:
    """Return what the treads' disagreement with the body tells, without the posture."""
    return RobotEvent(
        Type.UNEXPECTED_MOVEMENT,
        f"{noticed.text}; something may be at its {noticed.side.name.lower()}",
        time=noticed.time,
        movement=noticed.movement,
        side=noticed.side,
        has_stopped=has_stopped,
        duration=noticed.time - noticed.started_at,
    )
