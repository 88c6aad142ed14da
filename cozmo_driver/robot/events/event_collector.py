"""Brings together all that happens to the robot, with its time and posture (spec 10 §3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ...protocol import Message, messages
from ..battery import Battery
from ..clock import DeviceClock
from ..data import OffTreads, RobotState
from ..session import Session
from ..signal import Signal
from .battery_alarm import BatteryAlarm
from .events import RobotEvent
from .events import RobotEventType as Type
from .message_events import EVENTS, TIMED, clip_event
from .state_events import StateEvents, movement_event
from .unexpected_movement import UnexpectedMovement

_OLDEST = 10.0
"""A stamp that lies further back belongs to another setting of the robot's clock, s."""


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
        self._alarm = BatteryAlarm()
        self._waiting: list[RobotEvent] = []
        session.on_setup.connect(lambda _: self._from_states.reset())
        for cls in EVENTS:
            session.on(cls, self._take_message)
        session.on(messages.AnimationStarted, self._take_clip)
        session.on(messages.AnimationEnded, self._take_clip)

    def take_state(
        self,
        state: RobotState,
        battery: Battery,
        noticed: UnexpectedMovement | None,
        *,
        has_stopped: bool = False,
    ) -> None:
        """Report what a state tells; ``has_stopped`` because of what was ``noticed``."""
        self._posture = state.off_treads
        events = [*self._from_states.update(state), *self._waiting]
        self._waiting = []
        if noticed is not None:
            events.append(movement_event(noticed, has_stopped=has_stopped))
        for event in (*events, *self._alarm.update(battery, state.time)):
            self._emit(event, state.time)

    def take_delocalization(self, why: str) -> None:
        """Report with the present state that the pose lost its relation to the world."""
        self._waiting.append(RobotEvent(Type.DELOCALIZED, f"the pose is no longer known: {why}"))

    def take_stop(self, is_stopped: bool, now: float) -> None:
        """Report that the emergency stop was latched or released at ``now``, s."""
        if is_stopped:
            event = RobotEvent(
                Type.EMERGENCY_STOPPED, "the emergency stop was latched", has_stopped=True
            )
        else:
            event = RobotEvent(Type.EMERGENCY_STOP_RELEASED, "the emergency stop was released")
        self._emit(event, now)

    def _take_message(self, message: Message, now: float) -> None:
        event = EVENTS[type(message)](message)
        if isinstance(message, TIMED):
            event = replace(event, time=self._time(message.timestamp, now))
        self._emit(event, now)

    def _take_clip(
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
