"""Collects all that happens to the robot, with its time and posture (spec 10 §3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..protocol import Message, messages
from ..protocol import RobotStatusFlag as Flag
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


def movement_event(noticed: UnexpectedMovement, *, has_stopped: bool = False) -> RobotEvent:
    return RobotEvent(
        Type.UNEXPECTED_MOVEMENT,
        noticed.text,
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
        self.on_event: Signal[RobotEvent] = Signal()
        self.name_clip: Callable[[int], str] = lambda _: ""
        """Returns the clip that plays under an animation tag, empty for none."""
        self._clock = clock
        self._posture = OffTreads.ON_TREADS
        """Remembered over sessions: what was lifted is put down one day."""
        self._flags: int | None = None
        """Of the state before; None for the first one of a session."""
        self._detectors = ShakeDetector(), SlopeDetector()
        self._battery: Battery | None = None
        self._waiting: list[RobotEvent] = []
        session.on_setup.connect(self._on_setup)
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
        events = [*self._posture_events(state.off_treads), *self._edges(state.flags)]
        events += filter(None, [detector.update(state) for detector in self._detectors])
        events += self._waiting
        self._waiting = []
        if noticed is not None:
            events.append(movement_event(noticed, has_stopped=has_stopped))
        events += battery_events(self._battery, battery)
        self._battery = battery
        for event in events:
            self._emit(event, state.time)

    def on_delocalized(self, why: str) -> None:
        self._waiting.append(RobotEvent(Type.DELOCALIZED, f"the pose is no longer known: {why}"))

    def on_cliff_stop(self, is_by_driver: bool) -> None:
        if is_by_driver:
            text = "there is no ground under the front; the driver stopped the robot"
            self._waiting.append(RobotEvent(Type.CLIFF_DETECTED, text, has_stopped=True))

    def on_emergency_stop(self, is_stopped: bool, now: float) -> None:
        kind = Type.EMERGENCY_STOPPED if is_stopped else Type.EMERGENCY_STOP_RELEASED
        text = f"the emergency stop was {'latched' if is_stopped else 'released'}"
        self._emit(RobotEvent(kind, text, has_stopped=is_stopped), now)

    def _on_setup(self, _: None) -> None:
        self._flags = None
        for detector in self._detectors:
            detector.reset()

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
