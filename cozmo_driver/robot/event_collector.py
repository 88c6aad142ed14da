"""Collects all that happens to the robot, with its time and posture (spec 10 §3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..protocol import Message, messages
from ..protocol.enums import RobotStatusFlag as Flag
from .battery import Battery
from .data import OffTreads, RobotState
from .events import EVENTS, TIMED, RobotEvent, clip_event
from .events import RobotEventType as Type
from .handling import ShakeDetector, SlopeDetector
from .pushing import UnexpectedMovement
from .session import Session
from .signal import Signal
from .states import DeviceClock

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
    """Compares each state with the one before; the first state of a session is only remembered."""

    def __init__(self) -> None:
        self._shake, self._slope = ShakeDetector(), SlopeDetector()
        self._flags: int | None = None
        self._posture = OffTreads.ON_TREADS

    def reset(self) -> None:
        """Begin a session. The posture is remembered: what was lifted is put down one day."""
        self._shake.reset()
        self._slope.reset()
        self._flags = None

    def update(self, state: RobotState) -> Iterator[RobotEvent]:
        """Return what has happened with a state, without time and posture."""
        yield from self._posture_events(state.off_treads)
        yield from self._edges(state.flags)
        for detector in (self._shake, self._slope):
            if event := detector.update(state):
                yield event

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
    """Return the event of treads that the body does not follow, without the posture."""
    return RobotEvent(
        Type.UNEXPECTED_MOVEMENT,
        f"{noticed.text}; something may be at its {noticed.side.name.lower()}",
        time=noticed.time,
        movement=noticed.movement,
        side=noticed.side,
        has_stopped=has_stopped,
        duration=noticed.time - noticed.started_at,
    )


_OLDEST = 10.0
"""A stamp that lies further back belongs to another setting of the robot's clock, s."""


def battery_events(before: Battery | None, battery: Battery) -> Iterator[RobotEvent]:
    """Return what has happened to a battery since ``before``, without time and posture."""
    voltage = battery.filtered_voltage
    if battery.is_low and not (before and before.is_low):
        text = f"the battery is low ({voltage:.2f} V): put the robot on its charger"
        yield RobotEvent(Type.BATTERY_LOW, text)
    if battery.is_critical and not (before and before.is_critical):
        text = f"the battery is empty ({voltage:.2f} V): the robot is about to switch off"
        yield RobotEvent(Type.BATTERY_CRITICAL, text)


class EventCollector:
    """Emits every event once. Those of a state come after everything else that state changes."""

    def __init__(self, session: Session, clock: DeviceClock) -> None:
        """Listen to ``session``; ``clock`` maps the robot's stamps."""
        self.on_event: Signal[RobotEvent] = Signal()
        self.name_clip: Callable[[int], str] = lambda _: ""
        """Returns the clip that plays under an animation tag, empty for none."""
        self._clock = clock
        self._posture = OffTreads.ON_TREADS
        self._from_states = StateEvents()
        self._battery: Battery | None = None
        self._waiting: list[RobotEvent] = []
        session.on_setup.connect(lambda _: self._from_states.reset())
        for cls in EVENTS:
            session.on(cls, self._on_message)
        session.on(messages.AnimationStarted, self._on_clip)
        session.on(messages.AnimationEnded, self._on_clip)

    def on_state(
        self,
        state: RobotState,
        battery: Battery,
        noticed: UnexpectedMovement | None,
        *,
        has_stopped: bool = False,
    ) -> None:
        """Publish the events of a state; ``has_stopped`` because of what was ``noticed``."""
        self._posture = state.off_treads
        events = [*self._from_states.update(state), *self._waiting]
        self._waiting = []
        if noticed is not None:
            events.append(movement_event(noticed, has_stopped=has_stopped))
        events += battery_events(self._battery, battery)
        self._battery = battery
        for event in events:
            self._emit(event, state.time)

    def on_delocalized(self, why: str) -> None:
        """Report with the current state that the pose lost its relation to the world."""
        self._waiting.append(RobotEvent(Type.DELOCALIZED, f"the pose is no longer known: {why}"))

    def on_emergency_stop(self, is_stopped: bool, now: float) -> None:
        """Report that the emergency stop was latched or released at ``now``, s."""
        if is_stopped:
            event = RobotEvent(
                Type.EMERGENCY_STOPPED, "the emergency stop was latched", has_stopped=True
            )
        else:
            event = RobotEvent(Type.EMERGENCY_STOP_RELEASED, "the emergency stop was released")
        self._emit(event, now)

    def _on_message(self, message: Message, now: float) -> None:
        event = EVENTS[type(message)](message)
        if isinstance(message, TIMED):
            event = replace(event, time=self._time(message.timestamp, now))
        self._emit(event, now)

    def _on_clip(
        self, message: messages.AnimationStarted | messages.AnimationEnded, now: float
    ) -> None:
        event = clip_event(message, self.name_clip(message.tag))
        if event is not None:
            self._emit(event, now)

    def _time(self, milliseconds: int, now: float) -> float:
        """Return the host time of a stamp, never in the future, ``now`` for a senseless one."""
        time = self._clock.to_host(milliseconds / 1000.0)
        return time if now - _OLDEST <= time <= now else now

    def _emit(self, event: RobotEvent, now: float) -> None:
        time = now if math.isnan(event.time) else event.time
        self.on_event.emit(replace(event, time=time, off_treads=self._posture))
