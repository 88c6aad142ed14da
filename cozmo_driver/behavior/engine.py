"""The life of the robot: reactions before requests before activities (spec 12 §1, §4, §8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
from collections.abc import Callable, Mapping

from ..robot import OffTreads, Reason
from .activities import ActivityTree
from .behavior import Behavior, BehaviorClass, Situation
from .behaviors import CLASSES
from .body import Body, Senses
from .config import NO_CLIPS
from .constraints import Allowed, MannerlyBody, Manners
from .everyday import IDLE, Everyday
from .executor import Request, RequestEnded, Requests, Run, Snapshot, Stage, snapshot_of
from .feelings import Even, Mood, Needs, Reaction, Reactions, Unmoved
from .system import BehaviorSystem
from .trace import Rejection, Trace

_log = logging.getLogger(__name__)

TICK = 0.05
_RECONSIDER = 0.5


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
        mood, needs = mood or Even(), needs or Even()
        self.situation = Situation(
            MannerlyBody(body, self.manners, mood.take_result),
            self.manners,
            mood,
            needs,
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
        self._requests = Requests(self.situation)
        self._stage = Stage(self.situation, self._requests, self.trace, self._take_step)
        self._everyday = Everyday(self.tree, self.situation, self.trace)
        self.situation.is_hiccuping = lambda: self._reactions.is_hiccuping
        self.situation.reached = self._reach
        self._resume: Run | None = None
        self._choose_at = self._reconsider_at = -math.inf
        self._before: Senses | None = None
        self._warned: set[str] = set()
        self._told = Snapshot(since=now)
        self._seen: tuple[object, ...] = ()

    # -- what a program does with it

    @property
    def snapshot(self) -> Snapshot:
        """What it is doing."""
        return self._told

    def enable(self, on: bool) -> None:
        """Switch the personality on, or off at once."""
        self.is_enabled = on
        if not on:
            self._stage.cancel()
        self._tell()

    def suspend(self, who: str) -> None:
        """Give way at once to ``who``, for people, until ``resume``."""
        self.manners.suspend(who)
        self._stage.cancel()
        self._tell()

    def touch(self, who: str) -> None:
        """Give way at once to one command of ``who``, as each of a stream of them."""
        self.manners.touch(who, self.situation.now)
        self._stage.cancel()
        self._tell()

    def resume(self, who: str) -> None:
        """Take that ``who`` has ended: after the quiet time life goes on."""
        self.manners.resume(who, self.situation.now)

    def spark(self, name: str) -> None:
        """Ask for a spark by name; empty for no more. Raises ``LookupError``."""
        if name and name not in self.tree.sparks:
            there = ", ".join(sorted(self.tree.sparks)) or "none"
            raise LookupError(f"there is no spark {name!r}; there are: {there}")
        self.tree.spark = name
        self._interrupt("another spark is asked for" if name else "its spark is over")
        if name:
            self.situation.mood.feel("SparkPending")
            with contextlib.suppress(LookupError):
                self._reactions.raise_by_hand("Sparked")

    def select_activity(self, name: str) -> None:
        """Ask for an activity by name, empty for no more. Raises ``LookupError``."""
        if name and name not in self.tree.all:
            raise LookupError(f"there is no activity {name!r}")
        self.tree.requested = name
        self._interrupt("another activity is asked for")

    def _interrupt(self, why: str) -> None:
        """End what everyday life does now; it is chosen anew."""
        self._choose_at = -math.inf
        self._everyday.leave(why)
        run = self._stage.run
        if run is not None and run.reaction is None and run.request is None:
            self._stage.cancel()

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
        run = self._stage.run
        if run is not None and run.reaction is None:
            self._stage.cancel()
        try:
            return await request.done
        finally:
            run = self._stage.run
            if self._requests.drop(request) and run is not None and run.request is request:
                self._stage.cancel()

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
        await self._stage.end("the personality ends")
        self.situation.body.accompaniment.use(NO_CLIPS)
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
        self._reap()
        reaction = self._ask_reactions(senses)
        if reaction is not None:
            await self._react(reaction)
        run = self._stage.run
        if run is None:
            if now >= self._choose_at:
                self._choose_next()
        elif now >= self._reconsider_at:
            self._reconsider_at = now + _RECONSIDER
            await self._reconsider(run)
        self._accompany(now)
        self._tell()

    def _accompany(self, now: float) -> None:
        run, accompaniment = self._stage.run, self.situation.body.accompaniment
        is_everyday = run is not None and run.reaction is None and run.request is None
        accompaniment.is_silent = self.manners.is_quiet_hour
        accompaniment.use(self._everyday.clips if is_everyday else NO_CLIPS)
        accompaniment.look(now)

    def _ask_reactions(self, senses: Senses) -> Reaction | None:
        run = self._stage.run
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
        if self._stage.run is not None:
            await self._stage.end(why)
            self.trace.add(now, "suspend", "", why)
        if not self.is_enabled:
            self._requests.fail(Reason.CANCELED, why)
        self._resume = None
        self._everyday.leave(why)
        self.situation.body.accompaniment.use(NO_CLIPS)
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
            self._everyday.desire_as_put_down()
            self._everyday.leave("it was put down")

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
        interrupted = self._stage.run
        if interrupted is not None:
            if interrupted.reaction is None:
                self._resume = interrupted
            await self._stage.end(f"interrupted by {reaction.trigger}", keeps_request=True)
        why = reaction.explanation or reaction.trigger
        self._start(behavior, "reaction", why, reaction=reaction)

    # -- choosing

    def _choose_next(self) -> None:
        """Go on with what was interrupted, or serve a request, or live the everyday life."""
        resumed, self._resume = self._resume, None
        if resumed is not None and self._goes_on(resumed):
            return
        if self._requests.current is not None:
            self._serve(self._requests.current)
            return
        choice, reason = self._everyday.choose()
        if choice.behavior is None:
            self._choose_at = self.situation.now + IDLE
        else:
            self._start(choice.behavior, "behavior", reason, choice.rejected)

    def _goes_on(self, resumed: Run) -> bool:
        if resumed.request is not None and resumed.request is not self._requests.current:
            return False
        why = resumed.behavior.why_not(self.situation)
        if why:
            self.trace.add(self.situation.now, "resume", "", f"{resumed.behavior.id}: {why}")
            return False
        text = "goes on after the reaction"
        self._start(resumed.behavior, "resume", text, request=resumed.request)
        return True

    def _serve(self, request: Request) -> None:
        why = request.behavior.why_not(self.situation)
        if why:
            self._requests.fail(Reason.NOT_ALLOWED, f"{request.behavior.id} cannot run: {why}")
            return
        self._everyday.leave("a behaviour was asked for")
        self._start(request.behavior, "behavior", "it was asked for", request=request)

    async def _reconsider(self, run: Run) -> None:
        """End what runs where something more important is due."""
        if run.reaction is not None or run.request is not None or not self._everyday.path:
            return
        why = self._everyday.more_urgent()
        if why:
            await self._stage.end(why)
            self._everyday.leave(why)
            self._choose_at = -math.inf
            return
        choice = self._everyday.in_place_of(run)
        if choice is not None and choice.behavior is not None:
            await self._stage.end(f"{choice.behavior.id} goes before it")
            self._start(choice.behavior, "behavior", choice.reason, choice.rejected)

    # -- running

    def _start(
        self,
        behavior: Behavior,
        kind: str,
        reason: str,
        rejected: tuple[Rejection, ...] = (),
        *,
        reaction: Reaction | None = None,
        request: Request | None = None,
    ) -> None:
        self._stage.start(behavior, kind, reason, rejected, reaction=reaction, request=request)
        self._reconsider_at = self.situation.now + _RECONSIDER
        self._tell()

    def _reap(self) -> None:
        """Take the end of the behaviour that ran, if it has ended."""
        ended = self._stage.reap()
        if ended is None:
            return
        run, is_done = ended
        if is_done:
            self._take_completion(run)
        if run.reaction is not None and not self._reactions.ended(False):
            self._resume = None

    def _take_completion(self, run: Run) -> None:
        run.behavior.runs += 1
        config = run.behavior.config
        for key, take in (
            ("needsActionID", self.situation.needs.act),
            ("emotionEvent", self.situation.mood.feel),
            ("behaviorObjective", self._reach),
        ):
            if name := config.text(key):
                take(name)
        if run.reaction is None:
            self._everyday.take_end(run.behavior)
        self._requests.complete(run)

    def _reach(self, objective: str) -> None:
        self._reactions.reached(objective)
        self._everyday.reach(objective)

    # -- telling

    def _take_step(self, run: Run) -> None:
        if run.reaction is not None:
            self._reactions.began()
        self._requests.tell(run)

    def _tell(self) -> None:
        run, leaf, manners = self._stage.run, self._everyday.leaf, self.manners
        by = ""
        if manners.is_suspended(self.situation.now):
            by = manners.suspended_by or "somebody"
        rest = (leaf.id if leaf else "", by, self.is_enabled, manners.allowed.motion)
        seen = (run, run.step if run else "", self._resume, *rest)
        if seen == self._seen:
            return
        self._seen = seen
        new = snapshot_of(run, self._resume, *rest).since_of(self._told, self.situation.now)
        if new != self._told:
            self._told = new
            self._on_change(new)
