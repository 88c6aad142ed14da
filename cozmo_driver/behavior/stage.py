"""Where one behaviour at a time runs: begun, ended early, or come to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..robot import Reason
from .behavior import RETRY_AFTER, Behavior, Life, Situation
from .body import ActionFailed
from .feelings import Reaction
from .requests import Requests
from .running import Request, Run
from .trace import Rejection, Trace

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
