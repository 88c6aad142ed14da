"""Runs one behaviour at a time: started, ended early, or come to its end; and requests for one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from ..robot import Reason, RobotError
from .behavior import RETRY_AFTER, Behavior, Life, Situation
from .behavior import Run as BehaviorRun
from .behaviors.charger import SLEEPS
from .games import GameState
from .reactions import Reaction
from .trace import Rejection, Trace

_log = logging.getLogger(__name__)

_BROKEN_FOR = 60.0
"""s before a behaviour that failed by a mistake of its own is tried again."""
_CANCEL_TIMEOUT = 2.0


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


class RequestEnded(RobotError):
    """A behaviour that was requested did not run as often as it should."""


@dataclass(eq=False, slots=True)
class Request:
    """A behaviour that was requested; ``count`` -1 until cancelled.

    ``values`` precede those of the behaviour's file.
    """

    behavior: Behavior
    count: int = 1
    animations: tuple[str, ...] = ()
    on_progress: Callable[[int, str, str], object] = lambda *_: None
    values: Mapping[str, Any] = field(default_factory=dict)
    on_game: Callable[[GameState], object] = lambda _: None
    completed: int = 0
    done: asyncio.Future[int] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(eq=False, slots=True)
class Run:
    behavior: Behavior
    task: asyncio.Task[None]
    started_at: float
    reason: str
    reaction: Reaction | None = None
    request: Request | None = None
    step: str = ""

    @property
    def state(self) -> State:
        if self.step == SLEEPS:
            return State.ASLEEP
        if self.reaction is not None:
            return State.REACTING
        return State.RUNNING if self.request is None else State.REQUESTED

    @property
    def is_of_activity(self) -> bool:
        """Whether an activity chose it: neither a reaction nor a request."""
        return self.reaction is None and self.request is None


class Executor:
    """Runs behaviours, and serves one request at a time, the newer one in place of the older."""

    def __init__(
        self, situation: Situation, trace: Trace, on_step: Callable[[Run], object]
    ) -> None:
        """``on_step`` is called with the current run when it begins something else."""
        self.run: Run | None = None
        """The current one, also when it has just ended by itself."""
        self.request: Request | None = None
        self._situation, self._trace, self._on_step = situation, trace, on_step

    # -- requests

    def accept(self, request: Request) -> None:
        """Serve a request from now on. Raises ``RequestEnded`` for what can never be done."""
        if request.behavior.missing:
            raise RequestEnded(Reason.UNSUPPORTED, request.behavior.missing)
        if request.count == 0 or request.count < -1:
            raise RequestEnded(Reason.INVALID, f"it cannot run {request.count} times")
        self.fail_request(Reason.SUPERSEDED, "another behaviour was asked for")
        self.request = request
        self._situation.arguments, self._situation.is_requested = request.animations, True
        self._situation.on_game = request.on_game

    def drop(self, request: Request) -> bool:
        """Forget a request; return whether it was the current one."""
        if self.request is not request:
            return False
        self.request = None
        self._situation.arguments, self._situation.is_requested = (), False
        self._situation.on_game = lambda _: None
        return True

    def fail_request(self, reason: Reason, text: str) -> None:
        request = self.request
        if request is not None and self.drop(request) and not request.done.done():
            request.done.set_exception(RequestEnded(reason, text))

    def on_completed(self, run: Run) -> None:
        request = self.request
        if request is None or run.request is not request:
            return
        request.completed += 1
        request.on_progress(request.completed, run.behavior.id, "done")
        if request.completed == request.count and self.drop(request) and not request.done.done():
            request.done.set_result(request.completed)

    # -- runs

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
        """Start a behaviour; nothing else runs. ``kind``: see ``trace.Decision``."""
        assert behavior.kind is not None
        now, config = self._situation.now, behavior.config
        if request is not None and request.values:
            config = replace(config, values={**config.values, **request.values})
        life = Life(self._situation, config, reaction, self._set_step)
        task = asyncio.ensure_future(_awaited(behavior.kind.run, life))
        self.run = Run(behavior, task, now, reason, reaction, request)
        self._trace.add(now, kind, behavior.id, reason, rejected)

    def cancel(self) -> None:
        """End what runs at once; the next tick tidies up."""
        if self.run is not None:
            self.run.task.cancel()

    async def end(
        self, why: str, *, keeps_request: bool = False, reason: Reason = Reason.CANCELED
    ) -> None:
        """End what runs; ``reason`` is that of its request, if it ends with it."""
        run, self.run = self.run, None
        if run is None:
            return
        run.task.cancel()
        try:
            await asyncio.wait([run.task], timeout=_CANCEL_TIMEOUT)
        finally:
            # Also where the personality ends meanwhile.
            self._finish(run, why)
        if not run.task.done():
            _log.error("%s does not end although it was cancelled", run.behavior.id)
        elif not run.task.cancelled() and run.task.exception() is not None:
            _log.debug("%s failed while it was ended: %s", run.behavior.id, run.task.exception())
        if self._is_requested(run) and not keeps_request:
            self.fail_request(reason, f"{run.behavior.id} ended: {why}")

    def pop_finished(self) -> tuple[Run, bool] | None:
        """Return what ran until now and whether it came to its end; None for none."""
        run = self.run
        if run is None or not run.task.done():
            return None
        self.run = None
        if run.task.cancelled():
            text = "ended"
        else:
            error = run.task.exception()
            text = "done" if error is None else self._on_failure(run, error)
        self._finish(run, text)
        return run, text == "done"

    def _on_failure(self, run: Run, error: BaseException) -> str:
        behavior, now = run.behavior, self._situation.now
        if isinstance(error, RobotError):
            behavior.retry_at = now + RETRY_AFTER
            reason, why, text = error.reason, str(error), f"failed: {error}"
        else:
            behavior.retry_at = now + _BROKEN_FOR
            reason = Reason.INVALID
            why = text = f"broke: {error!r}"
            _log.error("%s broke", behavior.id, exc_info=error)
        if self._is_requested(run):
            self.fail_request(reason, why)
        return text

    def _is_requested(self, run: Run) -> bool:
        return run.request is not None and run.request is self.request

    def _finish(self, run: Run, why: str) -> None:
        run.behavior.last_run = self._situation.now
        self._situation.body.release()
        self._trace.add(self._situation.now, "end", run.behavior.id, why)

    def _set_step(self, text: str) -> None:
        if self.run is None:
            return
        self.run.step = text
        self._on_step(self.run)
        if self.request is not None:
            self.request.on_progress(self.request.completed, self.run.behavior.id, text)


async def _awaited(run: BehaviorRun, life: Life) -> None:
    await run(life)
