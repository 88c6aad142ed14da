"""What runs now, what was asked for, and how the personality shows itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from ..robot import Reason
from .behavior import Behavior
from .behaviors.charger import SLEEPS
from .feelings import Reaction


class State(IntEnum):
    """Values of ``cozmo_interfaces/msg/BehaviorState.state``."""

    DISABLED = 0
    IDLE = 1
    RUNNING = 2
    REACTING = 3
    REQUESTED = 4
    SUSPENDED = 5
    ASLEEP = 6


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the personality is doing; ``since`` is when its state was entered, s, monotonic."""

    state: State = State.DISABLED
    is_enabled: bool = False
    is_motion_allowed: bool = False
    activity: str = ""
    behavior_id: str = ""
    behavior_class: str = ""
    reaction: str = ""
    resuming: str = ""
    suspended_by: str = ""
    locked: tuple[str, ...] = ()
    reason: str = ""
    step: str = ""
    since: float = 0.0

    def since_of(self, before: Snapshot, now: float) -> Snapshot:
        """Return the same with the time at which its state was entered."""
        return replace(self, since=before.since if before.state is self.state else now)


class RequestEnded(RuntimeError):
    """A behaviour that was asked for did not run as often as it should; ``reason`` tells why."""

    def __init__(self, reason: Reason, text: str, completed: int) -> None:
        """Say why, what to do, and how often it ran to its end."""
        super().__init__(text)
        self.reason, self.completed = reason, completed


def _new_future() -> asyncio.Future[int]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False, slots=True)
class Request:
    """A behaviour that was asked for; ``count`` -1 until cancelled."""

    behavior: Behavior
    count: int
    animations: tuple[str, ...]
    on_progress: Callable[[int, str, str], object]
    completed: int = 0
    done: asyncio.Future[int] = field(default_factory=_new_future)


@dataclass(eq=False, slots=True)
class Run:
    """A behaviour that runs, since when and why."""

    behavior: Behavior
    task: asyncio.Task[None]
    began_at: float
    reason: str
    reaction: Reaction | None = None
    request: Request | None = None
    step: str = ""

    @property
    def state(self) -> State:
        """What the personality does with this."""
        if self.step == SLEEPS:
            return State.ASLEEP
        if self.reaction is not None:
            return State.REACTING
        return State.RUNNING if self.request is None else State.REQUESTED

    @property
    def seen(self) -> Snapshot:
        """What this adds to the snapshot."""
        return Snapshot(
            behavior_id=self.behavior.id,
            behavior_class=self.behavior.config.class_name,
            reaction=self.reaction.trigger if self.reaction else "",
            locked=tuple(sorted(self.behavior.locks)),
            reason=self.reason,
            step=self.step,
        )


def snapshot_of(
    run: Run | None,
    resumed: Run | None,
    activity: str,
    suspended_by: str,
    is_enabled: bool,
    is_motion_allowed: bool,
) -> Snapshot:
    """Return what the personality shows; ``suspended_by`` is empty where nobody is in command."""
    if not is_enabled:
        state = State.DISABLED
    elif suspended_by:
        state = State.SUSPENDED
    else:
        state = State.IDLE if run is None else run.state
    return replace(
        Snapshot() if run is None else run.seen,
        state=state,
        is_enabled=is_enabled,
        is_motion_allowed=is_motion_allowed,
        activity=activity,
        resuming=resumed.behavior.id if resumed else "",
        suspended_by=suspended_by if is_enabled else "",
    )
