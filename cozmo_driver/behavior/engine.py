"""The life of the robot: reactions before requests before activities (spec 12 §1, §4, §8)."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..robot import OffTreads, Reason
from .activities import URGENT, Activity, ActivityTree
from .behavior import RETRY_AFTER, Behavior, BehaviorClass, Life, Situation
from .behaviors import CLASSES
from .body import ActionFailed, Body, Senses
from .choosers import Choice, Running
from .feelings import Even, Mood, Needs, Reaction, Reactions, Unmoved
from .manners import Allowed, MannerlyBody, Manners
from .requests import Requests
from .running import Request, RequestEnded, Run, Snapshot, State
from .system import BehaviorSystem
from .trace import Rejection, Trace

_log = logging.getLogger(__name__)

TICK = 0.05
_RECONSIDER = 0.5
_IDLE = 1.0
_BROKEN_FOR = 60.0
"""s before a behaviour that failed by a mistake of its own is tried again."""
_STUBBORN = 2.0
_PUT_DOWN = "noFaceNoCubeActivityName"


class Engine:
    """Chooses what the robot does, runs it, and ends it when something else is due.

    Use in one asyncio loop. ``hour`` returns the local hour of the day, 0 to 24.
    """

    def __init__(
        self,
        body: Body,
        system: BehaviorSystem,
        *,
        reactions: Reactions | None = None,
        mood: Mood | None = None,
        needs: Needs | None = None,
        rng: random.Random | None = None,
        allowed: Allowed | None = None,
        hour: Callable[[], float] = lambda: 12.0,
        classes: Mapping[str, BehaviorClass] = CLASSES,
        on_change: Callable[[Snapshot], object] = lambda _: None,
    ) -> None:
        """Prepare, switched off; ``on_change`` hears of every change of state."""
        now = asyncio.get_running_loop().time()
        self.manners = Manners(allowed or Allowed())
        feeling = Even()
        self.situation = Situation(
            MannerlyBody(body, self.manners),
            self.manners,
            mood or feeling,
            needs or feeling,
            rng or random.Random(),
        )
        self.behaviors = {
            name: Behavior(config, classes.get(config.class_name))
            for name, config in system.behaviors.items()
        }
        self.tree = ActivityTree(system, self.behaviors, now)
        self.trace = Trace()
        self.is_enabled = False
        self._reactions = reactions or Unmoved()
        self._hour, self._on_change = hour, on_change
        self._path: list[Activity] = []
        self._run: Run | None = None
        self._requests = Requests(self.situation)
        self._resume: Run | None = None
        self._barred = self._desired = ""
        self._choose_at = self._reconsider_at = -math.inf
        self._before: Senses | None = None
        self._warned: set[str] = set()
        self._told = Snapshot(since=now)

    # -- what a program does with it

    @property
    def snapshot(self) -> Snapshot:
        """What it is doing."""
        return self._told

    def enable(self, on: bool) -> None:
        """Switch the personality on, or off at once."""
        self.is_enabled = on
        if not on:
            self._cancel()
        self._tell()

    def suspend(self, who: str) -> None:
        """Give way at once to ``who``, for people, until ``resume``."""
        self.manners.suspend(who)
        self._cancel()
        self._tell()

    def touch(self, who: str) -> None:
        """Give way at once to one command of ``who``, as each of a stream of them."""
        self.manners.touch(who, self.situation.now)
        self._cancel()
        self._tell()

    def resume(self, who: str) -> None:
        """Take that ``who`` has ended: after the quiet time life goes on."""
        self.manners.resume(who, self.situation.now)

    def spark(self, name: str) -> None:
        """Ask for a spark by name; empty for no more."""
        self.tree.spark = name
        self._choose_at = -math.inf

    def select_activity(self, name: str) -> None:
        """Ask for an activity by name, empty for no more. Raises ``LookupError``."""
        if name and name not in self.tree.all:
            raise LookupError(f"there is no activity {name!r}")
        self.tree.requested = name
        self._choose_at = -math.inf
        self._leave("another activity is asked for")
        if self._run is not None and self._run.reaction is None and self._run.request is None:
            self._cancel()

    async def run_behavior(
        self,
        behavior_id: str,
        count: int = 1,
        animations: tuple[str, ...] = (),
        on_progress: Callable[[int, str, str], object] = lambda *_: None,
    ) -> int:
        """Run a behaviour ``count`` times, -1 until cancelled; return how often it ran to its end.

        ``on_progress`` gets the runs, the behaviour that runs now and its step. Raises
        ``RequestEnded`` with the reason.
        """
        behavior = self.behaviors.get(behavior_id)
        if behavior is None:
            raise RequestEnded(Reason.NOT_FOUND, f"there is no behaviour {behavior_id!r}", 0)
        if not self.is_enabled:
            raise RequestEnded(Reason.NOT_ALLOWED, "the personality is switched off", 0)
        request = self._requests.put(behavior, count, animations, on_progress)
        self._choose_at = -math.inf
        if self._run is not None and self._run.reaction is None:
            self._cancel()
        try:
            return await request.done
        finally:
            is_dropped = self._requests.drop(request)
            if is_dropped and self._run is not None and self._run.request is request:
                self._cancel()

    async def run(self) -> None:
        """Live until cancelled; the robot is still afterwards."""
        try:
            while True:
                await self.tick()
                await asyncio.sleep(TICK)
        finally:
            await self.stop()

    async def stop(self) -> None:
        """End what runs."""
        self._requests.fail(Reason.SHUTDOWN, "the personality ends")
        await self._end_run("the personality ends")
        self._tell()

    # -- one look at the world

    async def tick(self) -> None:
        """Look at everything once and decide."""
        now, senses = self.situation.now, self.situation.senses
        self.manners.follow(senses, self._hour())
        self._notice(senses)
        why = self._why_nothing(now, senses)
        if why:
            self._reactions.forget()
            await self._be_still(why, now)
            return
        if self._run is not None and self._run.task.done():
            self._reap()
        reaction = self._ask_reactions(senses)
        if reaction is not None:
            await self._react(reaction)
        if self._run is None:
            if now >= self._choose_at:
                self._choose_next()
        elif now >= self._reconsider_at:
            self._reconsider_at = now + _RECONSIDER
            await self._reconsider()
        self._tell()

    def _ask_reactions(self, senses: Senses) -> Reaction | None:
        run = self._run
        if run is None or run.reaction is not None:
            return self._reactions.update(senses, "", False, run.behavior.locks if run else ())
        kind = run.behavior.kind
        can_resume = kind is not None and kind.is_resumable
        return self._reactions.update(senses, run.behavior.id, can_resume, run.behavior.locks)

    def _why_nothing(self, now: float, senses: Senses) -> str:
        if not self.is_enabled:
            return "the personality is switched off"
        if self.manners.is_suspended(now):
            return f"gives way to {self.manners.suspended_by}"
        return "" if senses.is_connected else "there is no robot"

    async def _be_still(self, why: str, now: float) -> None:
        if self._run is not None:
            await self._end_run(why)
            self.trace.add(now, "suspend", "", why)
        if not self.is_enabled:
            self._requests.fail(Reason.CANCELED, why)
        self._resume = None
        self._leave(why)
        self._tell()

    def _notice(self, senses: Senses) -> None:
        """Keep the moments that files ask about."""
        before, self._before = self._before, senses
        if before is None or not before.is_connected:
            return
        situation = self.situation
        if before.is_on_charger and not senses.is_on_charger:
            situation.left_charger_at = situation.now
        stands = senses.off_treads is OffTreads.ON_TREADS
        if stands and before.off_treads is not OffTreads.ON_TREADS:
            situation.on_treads_at = situation.now
            self._desired = self.tree.root.config.desired.get(_PUT_DOWN, "")
            self._leave("it was put down")

    # -- reactions

    async def _react(self, reaction: Reaction) -> None:
        now = self.situation.now
        name = reaction.behavior_id
        behavior = self.behaviors.get(name)
        why = f"there is no behaviour {name!r}"
        if behavior is not None:
            why = behavior.why_not(self.situation, is_reaction=True)
        if behavior is None or why:
            if name not in self._warned:
                self._warned.add(name)
                _log.warning("no reaction to %s: %s", reaction.trigger, why)
            self.trace.add(now, "reaction", "", f"{reaction.trigger}: {why}")
            self._reactions.ended(True)
            return
        interrupted = self._run
        if interrupted is not None:
            if interrupted.reaction is None:
                self._resume = interrupted
            await self._end_run(f"interrupted by {reaction.trigger}", keeps_request=True)
        self._start(behavior, "reaction", reaction.explanation or reaction.trigger, (), reaction)

    # -- choosing

    def _choose_next(self) -> None:
        resumed, self._resume = self._resume, None
        if resumed is not None and (
            resumed.request is None or resumed.request is self._requests.current
        ):
            why = resumed.behavior.why_not(self.situation)
            if not why:
                text = "goes on after the reaction"
                self._start(resumed.behavior, "resume", text, (), None, resumed.request)
                return
            self.trace.add(self.situation.now, "resume", "", f"{resumed.behavior.id}: {why}")
        if self._requests.current is not None:
            self._run_request(self._requests.current)
            return
        self._leave_if_it_wants()
        if self._path:
            leaf = self._path[-1]
            choice = leaf.choose(self.situation)
            if choice.behavior is not None:
                self._begin(choice, leaf)
                return
            self._barred = leaf.id
            self._leave(choice.reason)
        path, choice, rejected = self.tree.pick(self.situation, self._barred, self._desired)
        self._barred = self._desired = ""
        now = self.situation.now
        if choice.behavior is None:
            self.trace.add(now, "activity", "", choice.reason, rejected)
            self._choose_at = now + _IDLE
            return
        self._path = path
        for activity in path:
            activity.begin(self.situation)
        self.trace.add(now, "activity", path[-1].id, "first that wants to begin", rejected)
        self._begin(choice, path[-1])

    def _begin(self, choice: Choice, leaf: Activity) -> None:
        """Start what was chosen, or an interlude before it."""
        assert choice.behavior is not None
        if leaf.interlude is not None and choice.behavior.last_run > -math.inf:
            between = leaf.interlude.choose(self.situation)
            if between.behavior is not None and between.behavior is not choice.behavior:
                reason = f"interlude before {choice.behavior.id}"
                self._start(between.behavior, "behavior", reason, between.rejected)
                return
        self._start(choice.behavior, "behavior", choice.reason, choice.rejected)

    def _run_request(self, request: Request) -> None:
        why = request.behavior.why_not(self.situation)
        if why:
            self._requests.fail(Reason.NOT_ALLOWED, f"{request.behavior.id} cannot run: {why}")
            return
        self._leave("a behaviour was asked for")
        self._start(request.behavior, "behavior", "it was asked for", (), None, request)

    async def _reconsider(self) -> None:
        """End what runs where something more important is due."""
        run = self._run
        if run is None or run.reaction is not None or run.request is not None or not self._path:
            return
        situation, leaf = self.situation, self._path[-1]
        for activity in self.tree.root.children:
            if activity in self._path:
                break
            if activity.config.strategy.type not in URGENT:
                continue
            if activity.why_not(situation, self.tree.spark, self.tree.features):
                continue
            if activity.choose(situation).behavior is not None:
                why = f"{activity.id} is urgent"
                await self._end_run(why)
                self._leave(why)
                self._choose_at = -math.inf
                return
        if leaf.chooser is None or leaf.chooser.config.type != "StrictPriority":
            return
        choice = leaf.choose(situation, Running(run.behavior, situation.now - run.began_at))
        if choice.behavior is not None and choice.behavior is not run.behavior:
            await self._end_run(f"{choice.behavior.id} goes before it")
            self._start(choice.behavior, "behavior", choice.reason, choice.rejected)

    def _leave_if_it_wants(self) -> None:
        for activity in self._path:
            why = activity.wants_to_end(self.situation, self.tree.spark)
            if why and activity is not self.tree.root:
                self._leave(why)
                return

    def _leave(self, why: str) -> None:
        """End the present activities."""
        path, self._path = self._path, []
        for activity in reversed(path):
            activity.end(self.situation)
        if path:
            self.trace.add(self.situation.now, "end", path[-1].id, why)

    # -- running

    def _start(
        self,
        behavior: Behavior,
        kind: str,
        reason: str,
        rejected: tuple[Rejection, ...],
        reaction: Reaction | None = None,
        request: Request | None = None,
    ) -> None:
        assert behavior.kind is not None
        now = self.situation.now
        life = Life(self.situation, behavior.config, reaction, self._take_step)
        task = asyncio.ensure_future(_lived(behavior.kind.run, life))
        self._run = Run(behavior, task, now, reason, reaction, request)
        self._reconsider_at = now + _RECONSIDER
        self.trace.add(now, kind, behavior.id, reason, rejected)
        self._tell()

    def _cancel(self) -> None:
        """End what runs at once; the next look tidies up."""
        if self._run is not None:
            self._run.task.cancel()

    async def _end_run(self, why: str, *, keeps_request: bool = False) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        run.task.cancel()
        await asyncio.wait([run.task], timeout=_STUBBORN)
        if not run.task.done():
            _log.error("%s does not end although it was cancelled", run.behavior.id)
        elif not run.task.cancelled() and run.task.exception() is not None:
            _log.debug("%s failed while it was ended: %s", run.behavior.id, run.task.exception())
        run.behavior.last_run = self.situation.now
        self.situation.body.release()
        self.trace.add(self.situation.now, "end", run.behavior.id, why)
        if self._requests.is_of(run) and not keeps_request:
            self._requests.fail(Reason.CANCELED, f"{run.behavior.id} ended: {why}")

    def _reap(self) -> None:
        """Take the end of the behaviour that ran."""
        run, self._run = self._run, None
        assert run is not None
        now, behavior = self.situation.now, run.behavior
        behavior.last_run = now
        self.situation.body.release()
        text = "done"
        error = None if run.task.cancelled() else run.task.exception()
        if run.task.cancelled():
            text = "ended"
        elif isinstance(error, ActionFailed):
            behavior.retry_at = now + RETRY_AFTER
            text = f"failed: {error}"
            if self._requests.is_of(run):
                self._requests.fail(error.reason, str(error))
        elif error is not None:
            behavior.retry_at = now + _BROKEN_FOR
            text = f"broke: {error!r}"
            _log.error("%s broke", behavior.id, exc_info=error)
            if self._requests.is_of(run):
                self._requests.fail(Reason.INVALID, text)
        else:
            behavior.runs += 1
            self._take_completion(run)
        self.trace.add(now, "end", behavior.id, text)
        if run.reaction is not None and not self._reactions.ended(False):
            self._resume = None

    def _take_completion(self, run: Run) -> None:
        action = run.behavior.config.values.get("needsActionID")
        if isinstance(action, str) and action:
            self.situation.needs.act(action)
        if self._path and self._path[-1].chooser is not None and run.reaction is None:
            self._path[-1].chooser.take_end(run.behavior)
        self._requests.complete(run)

    # -- telling

    def _take_step(self, text: str) -> None:
        if self._run is not None:
            self._run.step = text
            if self._run.reaction is not None:
                self._reactions.began()
            self._requests.tell(self._run)

    def _tell(self) -> None:
        new = self._look().since_of(self._told, self.situation.now)
        if new != self._told:
            self._told = new
            self._on_change(new)

    def _look(self) -> Snapshot:
        run = self._run
        if not self.is_enabled:
            state = State.DISABLED
        elif self.manners.is_suspended(self.situation.now):
            state = State.SUSPENDED
        else:
            state = State.IDLE if run is None else run.state
        seen = Snapshot() if run is None else run.seen
        return replace(
            seen,
            state=state,
            is_enabled=self.is_enabled,
            is_motion_allowed=self.manners.allowed.motion,
            activity=self._path[-1].id if self._path else "",
            resuming=self._resume.behavior.id if self._resume else "",
            suspended_by=self.manners.suspended_by if state is State.SUSPENDED else "",
        )


async def _lived(run: Callable[[Life], object], life: Life) -> None:
    await run(life)  # type: ignore[misc]
