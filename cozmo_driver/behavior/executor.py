"""Runs one behaviour at a time: started, ended early, or come to its end; and requests for one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from ..robot import Reason
from .behavior import RETRY_AFTER, Behavior, Life, Situation
from .behaviors.charger import SLEEPS
from .body import ActionFailed
from .feelings import Reaction
from .trace import Rejection, Trace


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


class Requests:
    """The request that is served, if any."""

    def __init__(self, situation: Situation) -> None:
        """Start without one."""
        self.current: Request | None = None
        self._situation = situation

    def put(
        self,
        behavior: Behavior,
        count: int,
        animations: tuple[str, ...],
        on_progress: Callable[[int, str, str], object],
    ) -> Request:
        """Take a request. Raises ``RequestEnded`` for what can never be done."""
        if behavior.missing:
            raise RequestEnded(Reason.UNSUPPORTED, behavior.missing, 0)
        if count == 0 or count < -1:
            raise RequestEnded(Reason.INVALID, f"it cannot run {count} times", 0)
        self.fail(Reason.SUPERSEDED, "another behaviour was asked for")
        self.current = Request(behavior, count, animations, on_progress)
        self._situation.arguments = animations
        return self.current

    def drop(self, request: Request) -> bool:
        """Forget a request; return whether it was the present one."""
        if self.current is not request:
            return False
        self.current = None
        self._situation.arguments = ()
        return True

    def is_of(self, run: Run) -> bool:
        """Tell whether a run serves the present request."""
        return run.request is not None and run.request is self.current

    def fail(self, reason: Reason, text: str) -> None:
        """End the present request, if any."""
        request = self.current
        if request is not None and self.drop(request) and not request.done.done():
            request.done.set_exception(RequestEnded(reason, text, request.completed))

    def complete(self, run: Run) -> None:
        """Take that a run came to its end."""
        request = self.current
        if request is None or not self.is_of(run):
            return
        request.completed += 1
        request.on_progress(request.completed, run.behavior.id, "done")
        if request.completed == request.count and self.drop(request) and not request.done.done():
            request.done.set_result(request.completed)

    def tell(self, run: Run) -> None:
        """Tell whoever asked what is done now."""
        if self.current is not None:
            self.current.on_progress(self.current.completed, run.behavior.id, run.step)


_log = logging.getLogger(__name__)

_BROKEN_FOR = 60.0
"""s before a behaviour that failed by a mistake of its own is tried again."""
_STUBBORN = 2.0


class Stage:
    """Runs behaviours; ``run`` is the present one, also when it has just ended by itself."""

    def __init__(
        self,
        situation: Situation,
        requests: Requests,
        trace: Trace,
        on_step: Callable[[Run], object],
    ) -> None:
        """Begin empty; ``on_step`` hears of what the present run does now."""
        self.run: Run | None = None
        self._situation, self._requests, self._trace = situation, requests, trace
        self._on_step = on_step

    def start(
        self,
        behavior: Behavior,
        kind: str,
        reason: str,
        rejected: tuple[Rejection, ...] = (),
        *,
        reaction: Reaction | None = None,
        request: Request | None = None,
    ) -> None:
        """Begin a behaviour; nothing else runs."""
        assert behavior.kind is not None
        now = self._situation.now
        life = Life(self._situation, behavior.config, reaction, self._take_step)
        task = asyncio.ensure_future(_lived(behavior.kind.run, life))
        self.run = Run(behavior, task, now, reason, reaction, request)
        self._trace.add(now, kind, behavior.id, reason, rejected)

    def cancel(self) -> None:
        """End what runs at once; the next look tidies up."""
        if self.run is not None:
            self.run.task.cancel()

    async def end(self, why: str, *, keeps_request: bool = False) -> None:
        """End what runs, if anything does."""
        run, self.run = self.run, None
        if run is None:
            return
        run.task.cancel()
        await asyncio.wait([run.task], timeout=_STUBBORN)
        if not run.task.done():
            _log.error("%s does not end although it was cancelled", run.behavior.id)
        elif not run.task.cancelled() and run.task.exception() is not None:
            _log.debug("%s failed while it was ended: %s", run.behavior.id, run.task.exception())
        self._leave(run, why)
        if self._requests.is_of(run) and not keeps_request:
            self._requests.fail(Reason.CANCELED, f"{run.behavior.id} ended: {why}")

    def reap(self) -> tuple[Run, bool] | None:
        """Take the end of what ran: what it was and whether it came to its end; None for none."""
        run = self.run
        if run is None or not run.task.done():
            return None
        self.run = None
        error = None if run.task.cancelled() else run.task.exception()
        if run.task.cancelled():
            text = "ended"
        elif error is None:
            text = "done"
        else:
            text = self._take_failure(run, error)
        self._leave(run, text)
        return run, text == "done"

    def _take_failure(self, run: Run, error: BaseException) -> str:
        behavior, now = run.behavior, self._situation.now
        if isinstance(error, ActionFailed):
            behavior.retry_at = now + RETRY_AFTER
            reason, why = error.reason, str(error)
            text = f"failed: {error}"
        else:
            behavior.retry_at = now + _BROKEN_FOR
            reason, why = Reason.INVALID, f"broke: {error!r}"
            text = why
            _log.error("%s broke", behavior.id, exc_info=error)
        if self._requests.is_of(run):
            self._requests.fail(reason, why)
        return text

    def _leave(self, run: Run, why: str) -> None:
        run.behavior.last_run = self._situation.now
        self._situation.body.release()
        self._trace.add(self._situation.now, "end", run.behavior.id, why)

    def _take_step(self, text: str) -> None:
        if self.run is not None:
            self.run.step = text
            self._on_step(self.run)


async def _lived(run: Callable[[Life], object], life: Life) -> None:
    await run(life)  # type: ignore[misc]
