"""Behaviours that somebody asks for: one at a time, the newer one in place of the older."""

from __future__ import annotations

from collections.abc import Callable

from ..robot import Reason
from .behavior import Behavior, Situation
from .running import Request, RequestEnded, Run


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
