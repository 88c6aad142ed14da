"""``cozmo.behavior``: what the robot does by itself until it is stopped (spec 21 §7, §8)."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import TYPE_CHECKING, Any, NamedTuple

from .behaviors import perform
from .event import Dispatcher, Event
from .names import named_values

if TYPE_CHECKING:
    from .robot import Robot

BEHAVIOR_IDLE = "behavior_idle"
BEHAVIOR_REQUESTED = "behavior_requested"
BEHAVIOR_RUNNING = "behavior_running"
BEHAVIOR_STOPPED = "behavior_stopped"
_START = 5.0
"""s that ``wait_for_started`` waits."""


class EvtBehaviorRequested(Event):
    """Triggered when a behaviour was asked for."""

    behavior = "The behaviour"
    behavior_type_name = "Its name"


class EvtBehaviorStarted(Event):
    """Triggered when a behaviour has begun."""

    behavior = "The behaviour"
    behavior_type_name = "Its name"


class EvtBehaviorStopped(Event):
    """Triggered when a behaviour has ended."""

    behavior = "The behaviour"
    behavior_type_name = "Its name"


class _BehaviorType(NamedTuple):
    name: str
    id: int


class BehaviorTypes:
    """What can be started."""


_PUBLIC = {
    "FindFaces",
    "KnockOverCubes",
    "LookAroundInPlace",
    "PounceOnMotion",
    "RollBlock",
    "StackBlocks",
}
for _name, _id in named_values("behavior_types").items():
    setattr(BehaviorTypes, _name if _name in _PUBLIC else f"_{_name}", _BehaviorType(_name, _id))


class Behavior(Dispatcher):
    """A behaviour from its start on."""

    def __init__(
        self, robot: Robot, behavior_type: _BehaviorType, is_active: bool = False, **named: Any
    ) -> None:
        super().__init__(**named)
        self.robot, self.type = robot, behavior_type
        self._state = BEHAVIOR_REQUESTED
        self._started, self._stopped = asyncio.Event(), asyncio.Event()
        self._work: concurrent.futures.Future[Any] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} type={self.type.name} state={self._state}>"

    @property
    def is_active(self) -> bool:
        return self._state in (BEHAVIOR_REQUESTED, BEHAVIOR_RUNNING)

    @property
    def is_running(self) -> bool:
        return self._state == BEHAVIOR_RUNNING

    @property
    def is_completed(self) -> bool:
        return self._state == BEHAVIOR_STOPPED

    def stop(self) -> None:
        """End it; one that has ended is fine."""
        if self.is_active:
            if self._work is not None:
                self._work.cancel()
            self._end()

    async def wait_for_started(self, timeout: float | None = _START) -> None:
        """Raises ``asyncio.TimeoutError``."""
        await self._until(self._started, timeout)

    async def wait_for_completed(self, timeout: float | None = None) -> None:
        """Raises ``asyncio.TimeoutError``."""
        await self._until(self._stopped, timeout)

    def _begin(self) -> None:
        self.dispatch_event(EvtBehaviorRequested(behavior=self, behavior_type_name=self.type.name))
        engine = self.robot._engine
        self._work = engine.submit(perform(self.type.name, engine))
        side = self._side
        assert side is not None
        self._work.add_done_callback(lambda _: side.post(self._end))
        self._loop.call_soon(self._note_start)

    def _note_start(self) -> None:
        if self._state == BEHAVIOR_REQUESTED:
            self._state = BEHAVIOR_RUNNING
            self._started.set()
            self.dispatch_event(
                EvtBehaviorStarted(behavior=self, behavior_type_name=self.type.name)
            )

    def _end(self) -> None:
        if self._state != BEHAVIOR_STOPPED:
            self._state = BEHAVIOR_STOPPED
            self._started.set()
            self._stopped.set()
            self.robot._behavior_ended(self)
            self.dispatch_event(
                EvtBehaviorStopped(behavior=self, behavior_type_name=self.type.name)
            )
