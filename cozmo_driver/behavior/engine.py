"""The life of the robot: reactions before requests before activities (spec 12 §1, §4, §8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
from collections.abc import Callable
from dataclasses import replace

from ..robot import OffTreads, Reason
from .activity_selector import ActivitySelector
from .behavior import Situation
from .body import Body, Senses
from .config import NO_CLIPS
from .constraints import ConstrainedBody, Constraints, Permissions
from .executor import Executor, Request, RequestEnded, Run, Snapshot, State
from .inner_state import InnerState
from .reactions import Reaction
from .system import BehaviorSystem
from .trace import Trace
from .triggers import ENDED_BY

_log = logging.getLogger(__name__)

TICK = 0.05
RESUMED = "goes on after the reaction"
_RECONSIDER = 0.5
_IDLE = 1.0
"""s until something to do is looked for again."""


class Engine:
    """Chooses what the robot does, runs it, and ends it when something else is due.

    Use in one asyncio loop. ``hour`` returns the local hour of the day, 0 to 24.
    """

    snapshot: Snapshot
    """What it is doing."""

    def __init__(
        self,
        body: Body,
        system: BehaviorSystem,
        *,
        rng: random.Random | None = None,
        permissions: Permissions | None = None,
        hour: Callable[[], float] = lambda: 12.0,
        on_change: Callable[[Snapshot], object] = lambda _: None,
    ) -> None:
        """Prepare, switched off; ``on_change`` is called on every change of the snapshot."""
        loop, rng = asyncio.get_running_loop(), rng or random.Random()
        self.behaviors = system.make_behaviors()
        usable = {name for name, one in self.behaviors.items() if not one.missing}
        self.inner = InnerState(
            system.trees, body.events, loop.time, rng, is_known=usable.__contains__
        )
        self.constraints = Constraints(permissions or Permissions())
        constrained = ConstrainedBody(body, self.constraints, self.inner.on_result)
        self.situation = Situation(constrained, self.constraints, self.inner, rng, self._reach)
        constrained.on_unreachable = self._on_unreachable
        self.trace = Trace()
        self.activities = ActivitySelector(system, self.behaviors, self.situation, self.trace)
        self.is_enabled = False
        self.snapshot = Snapshot(since=loop.time())
        self._hour, self._on_change = hour, on_change
        self._executor = Executor(self.situation, self.trace, self._on_step)
        self._resume: Run | None = None
        self._choose_at = self._reconsider_at = -math.inf
        self._before: Senses | None = None
        self._warned: set[str] = set()

    # -- what a program does with it

    def enable(self, on: bool) -> None:
        self.is_enabled = on
        if not on:
            self._executor.cancel()
        self._notify()

    def suspend(self, who: str) -> None:
        """Give way at once to ``who``, for people, until ``resume``."""
        self.constraints.suspend(who)
        self._executor.cancel()
        self._notify()

    def touch(self, who: str) -> None:
        """Give way at once to one command of ``who``, as each of a stream of them."""
        self.constraints.touch(who, self.situation.now)
        self._executor.cancel()
        self._notify()

    def resume(self, who: str) -> None:
        """Go on after the quiet time, once nobody else is in command."""
        self.constraints.resume(who, self.situation.now)

    def spark(self, name: str) -> None:
        """Request a spark by name; empty for no more. Raises ``LookupError``."""
        sparks = self.activities.sparks
        if name and name not in sparks:
            there = ", ".join(sparks) or "none"
            raise LookupError(f"there is no spark {name!r}; there are: {there}")
        self.activities.spark = name
        self._interrupt("another spark is asked for" if name else "its spark is over")
        if name:
            self.inner.feel("SparkPending")
            with contextlib.suppress(LookupError):
                self.inner.request_reaction("Sparked")

    def select_activity(self, name: str) -> None:
        """Request an activity by name, empty for no more. Raises ``LookupError``."""
        if name and name not in self.activities.all:
            raise LookupError(f"there is no activity {name!r}")
        self.activities.requested = name
        self._interrupt("another activity is asked for")

    def _interrupt(self, why: str) -> None:
        self._choose_at = -math.inf
        self.activities.leave(why)
        run = self._executor.run
        if run is not None and run.is_of_activity:
            self._executor.cancel()

    async def run_behavior(
        self,
        behavior_id: str,
        count: int = 1,
        animations: tuple[str, ...] = (),
        on_progress: Callable[[int, str, str], object] = lambda *_: None,
    ) -> int:
        """Run a behaviour ``count`` times, -1 until cancelled; return how often it ran to its end.

        ``on_progress`` gets the runs, what runs now and its step. Raises ``RequestEnded``.
        """
        behavior = self.behaviors.get(behavior_id)
        if behavior is None:
            raise RequestEnded(Reason.NOT_FOUND, f"there is no behaviour {behavior_id!r}")
        return await self.serve(Request(behavior, count, animations, on_progress))

    async def serve(self, request: Request) -> int:
        """Run what is requested; return how often it ran to its end. Raises ``RequestEnded``."""
        if not self.is_enabled:
            raise RequestEnded(Reason.NOT_ALLOWED, "the personality is switched off")
        if (senses := self.situation.senses).is_gone:
            raise RequestEnded(Reason.NOT_CONNECTED, senses.why_unusable)
        self._executor.accept(request)
        self._choose_at = -math.inf
        run = self._executor.run
        if run is not None and run.reaction is None:
            self._executor.cancel()
        try:
            return await request.done
        finally:
            run = self._executor.run
            if self._executor.drop(request) and run is not None and run.request is request:
                self._executor.cancel()

    async def run(self) -> None:
        """Live until cancelled; the robot is still afterwards."""
        try:
            while True:
                await self.tick()
                await asyncio.sleep(TICK)
        finally:
            await self.stop()

    async def stop(self) -> None:
        self._executor.fail_request(Reason.SHUTDOWN, "the personality ends")
        await self._executor.end("the personality ends")
        self.situation.body.background.use(NO_CLIPS)
        self._notify()

    # -- one tick

    async def tick(self) -> None:
        now, senses = self.situation.now, self.situation.senses
        self.constraints.update(senses, self._hour())
        self._on_senses(senses)
        why = self._why_nothing()
        if why:
            self.inner.clear()
            await self._be_still(why, now)
            return
        self._reap()
        reaction = self._check_reactions(senses)
        if reaction is not None:
            await self._react(reaction)
        run = self._executor.run
        if run is None:
            if now >= self._choose_at and not self._why_nothing():
                self._choose_next()
        elif now >= max(self._reconsider_at, run.started_at + _RECONSIDER):
            self._reconsider_at = now + _RECONSIDER
            await self._reconsider(run)
        self._play_background(now)
        self._notify()

    def _why_nothing(self) -> str:
        """Say why it must be still; empty where it lives. Ask again after every ``await``."""
        if not self.is_enabled:
            return "the personality is switched off"
        if self.constraints.is_suspended(self.situation.now):
            return f"gives way to {self.constraints.suspended_by}"
        return self.situation.senses.why_unusable

    async def _be_still(self, why: str, now: float) -> None:
        is_lost = not self.situation.senses.is_connected
        reason = Reason.LINK_LOST if is_lost else Reason.CANCELED
        if self._executor.run is not None:
            await self._executor.end(why, reason=reason)
            self.trace.add(now, "suspend", "", why)
        if self.situation.senses.is_gone or not self.is_enabled:
            self._executor.fail_request(reason, why)
        self._resume = None
        self.activities.leave(why)
        self.situation.body.background.use(NO_CLIPS)
        self._notify()

    def _on_senses(self, senses: Senses) -> None:
        """Keep the moments that files ask about, and no place where it may be elsewhere."""
        situation, before, self._before = self.situation, self._before, senses
        if before is None or not before.is_connected:
            situation.places.clear()
            return
        if before.is_on_charger and not senses.is_on_charger:
            situation.left_charger_at = situation.now
        stands = senses.off_treads is OffTreads.ON_TREADS
        if stands and before.off_treads is not OffTreads.ON_TREADS:
            situation.on_put_down()
            self.activities.on_put_down()

    def _play_background(self, now: float) -> None:
        run, background = self._executor.run, self.situation.body.background
        background.is_silent = self.constraints.is_quiet_hour
        is_of_activity = run is not None and run.is_of_activity
        background.use(self.activities.clips if is_of_activity else NO_CLIPS)
        background.update(now)

    # -- reactions

    def _check_reactions(self, senses: Senses) -> Reaction | None:
        run, sight = self._executor.run, self.situation.body.sight
        if run is None:
            return self.inner.update(senses, sight=sight)
        kind = run.behavior.kind
        can_resume = run.reaction is None and kind is not None and kind.is_resumable
        resumable = run.behavior.id if can_resume else ""
        return self.inner.update(senses, resumable, run.behavior.locks, sight)

    async def _react(self, reaction: Reaction) -> None:
        name, trigger = reaction.behavior, reaction.trigger.file_name
        behavior = self.behaviors.get(name)
        why = f"there is no behaviour {name!r}"
        if behavior is not None:
            why = behavior.why_not(self.situation, is_reaction=True)
        if behavior is None or why:
            if name not in self._warned:
                self._warned.add(name)
                _log.warning("no reaction to %s: %s", trigger, why)
            self.trace.add(self.situation.now, "reaction", "", f"{trigger}: {why}")
            self.inner.ended(True)
            return
        interrupted = self._executor.run
        if interrupted is not None:
            kind = interrupted.behavior.kind
            keeps_request = kind is None or kind.begins_again
            if interrupted.reaction is None and keeps_request:
                self._resume = interrupted
            why = f"interrupted by {trigger}"
            reason = ENDED_BY.get(reaction.trigger, Reason.CANCELED)
            await self._executor.end(why, keeps_request=keeps_request, reason=reason)
            if self._why_nothing():
                return
        self._executor.start(behavior, "reaction", reaction.reason or trigger, reaction=reaction)

    # -- choosing

    def _choose_next(self) -> None:
        """Go on with what was interrupted, or serve a request, or follow the activities."""
        resumed, self._resume = self._resume, None
        if resumed is not None and self._goes_on(resumed):
            return
        if self._executor.request is not None:
            self._serve(self._executor.request)
            return
        choice, reason = self.activities.choose()
        if choice.behavior is None:
            self._choose_at = self.situation.now + _IDLE
        else:
            self._executor.start(choice.behavior, "behavior", reason, choice.rejected)

    def _goes_on(self, resumed: Run) -> bool:
        if resumed.request is not self._executor.request:
            return False
        why = resumed.behavior.why_not(self.situation)
        if why:
            self.trace.add(self.situation.now, "resume", "", f"{resumed.behavior.id}: {why}")
            return False
        self._executor.start(resumed.behavior, "resume", RESUMED, request=resumed.request)
        return True

    def _serve(self, request: Request) -> None:
        behavior = request.behavior
        why = behavior.why_not(self.situation)
        if why:
            text = f"{behavior.id} cannot run: {why}"
            self._executor.fail_request(Reason.NOT_ALLOWED, text)
            return
        self.activities.leave("a behaviour was asked for")
        self._executor.start(behavior, "behavior", "it was asked for", request=request)

    async def _reconsider(self, run: Run) -> None:
        if not run.is_of_activity or not self.activities.path:
            return
        why = self.activities.more_urgent(run.behavior)
        if why:
            await self._executor.end(why)
            self.activities.leave(why)
            self._choose_at = -math.inf
            return
        choice = self.activities.replacement_for(run)
        if choice is not None and choice.behavior is not None:
            await self._executor.end(f"{choice.behavior.id} goes before it")
            if self._why_nothing():
                return
            self._executor.start(choice.behavior, "behavior", choice.reason, choice.rejected)

    # -- what becomes of it

    def _reap(self) -> None:
        ended = self._executor.pop_finished()
        if ended is None:
            return
        run, is_done = ended
        if is_done:
            self._on_completed(run)
        if run.reaction is not None and not self.inner.ended(False):
            self._resume = None

    def _on_completed(self, run: Run) -> None:
        run.behavior.runs += 1
        config = run.behavior.config
        for key, apply in (
            ("needsActionID", self.inner.act),
            ("emotionEvent", self.inner.feel),
            ("behaviorObjective", self._reach),
        ):
            if name := config.text(key):
                apply(name)
        if run.reaction is None:
            self.activities.on_completed(run.behavior)
        self._executor.on_completed(run)

    def _reach(self, objective: str) -> None:
        self.inner.on_objective(objective)
        self.activities.on_objective(objective)

    def _on_unreachable(self, name: str) -> None:
        """Docking found no path to an object (spec 12 §4: NoPreDockPoses)."""
        self.situation.out_of_reach = name
        with contextlib.suppress(LookupError):
            self.inner.request_reaction("NoPreDockPoses")

    def _on_step(self, run: Run) -> None:
        if run.reaction is not None:
            self.inner.reactions.began()

    def _notify(self) -> None:
        run, leaf, now = self._executor.run, self.activities.leaf, self.situation.now
        state, suspended_by = State.IDLE if run is None else run.state, ""
        if not self.is_enabled:
            state = State.DISABLED
        elif self.constraints.is_suspended(now):
            state, suspended_by = State.SUSPENDED, self.constraints.suspended_by or "somebody"
        before = self.snapshot
        new = Snapshot(
            state,
            self.is_enabled,
            self.constraints.permissions.motion,
            activity=leaf.id if leaf else "",
            resuming=self._resume.behavior.id if self._resume else "",
            suspended_by=suspended_by,
            since=before.since if before.state is state else now,
        )
        if run is not None:
            new = replace(
                new,
                behavior_id=run.behavior.id,
                behavior_class=run.behavior.config.class_name,
                reaction=run.reaction.trigger.file_name if run.reaction else "",
                locked=tuple(sorted(run.behavior.locks)),
                reason=run.reason,
                step=run.step,
            )
        if new != before:
            self.snapshot = new
            self._on_change(new)
