"""Which activities are on, and what they would do now (spec 12 §8)."""

from __future__ import annotations

from .activities import SEVERE_NEEDS, URGENT, Activity, Choice, Running
from .behavior import Behavior, Situation
from .config import NO_CLIPS, ActivityClips
from .executor import Run
from .system import FREEPLAY, BehaviorSystem
from .trace import Rejection, Trace

_PUT_DOWN = "noFaceNoCubeActivityName"


class ActivitySelector:
    """The tree of activities, and the current ones from its root to a leaf, none at times."""

    def __init__(
        self,
        system: BehaviorSystem,
        behaviors: dict[str, Behavior],
        situation: Situation,
        trace: Trace,
    ) -> None:
        self.all = {
            name: Activity(config, behaviors, situation.now)
            for name, config in system.activities.items()
        }
        for activity in self.all.values():
            activity.children = tuple(
                self.all[name] for name in activity.config.children if name in self.all
            )
        self.root = self.all[FREEPLAY]
        self.sparks = system.sparks
        self.spark = ""
        """The spark that was requested; empty for none."""
        self.requested = ""
        """Activity that was requested by name; empty for none."""
        self.path: list[Activity] = []
        """The current activities."""
        self._features = system.features
        self._situation, self._trace = situation, trace
        self._barred = self._desired = ""
        self._next: Behavior | None = None
        self._last: Behavior | None = None

    @property
    def leaf(self) -> Activity | None:
        return self.path[-1] if self.path else None

    @property
    def clips(self) -> ActivityClips:
        """What plays beside the behaviours: by the innermost activity that says so."""
        found = (one.config.clips for one in reversed(self.path))
        return next((clips for clips in found if clips != NO_CLIPS), NO_CLIPS)

    # -- what happened

    def on_put_down(self) -> None:
        """Leave, and try first what the files desire after the robot was put down."""
        self._desired = self.root.config.desired.get(_PUT_DOWN, "")
        self.leave("it was put down")

    def on_completed(self, behavior: Behavior) -> None:
        for activity in self.path:
            activity.objectives.on_completed(reports_goals=behavior.reports_goals)

    def on_objective(self, objective: str) -> None:
        for activity in self.path:
            activity.objectives.on_reached(objective)
        for activity in self.all.values():
            for behavior, scoring in activity.chooser.entries if activity.chooser else ():
                if scoring.objective == objective:
                    behavior.last_run = self._situation.now

    def leave(self, why: str) -> None:
        path, self.path = self.path, []
        for activity in reversed(path):
            activity.end(self._situation)
        if path:
            self._trace.add(self._situation.now, "end", path[-1].id, why)

    # -- what to do

    def choose(self) -> tuple[Choice, str]:
        """Choose what to start now, and why; nothing where no activity has anything to do."""
        self._leave_if_over()
        choice = self._due() or self._continue() or self._enter()
        if choice.behavior is None:
            return choice, choice.reason
        between = self._interlude(choice.behavior)
        self._last = choice.behavior
        return between or (choice, choice.reason)

    def more_urgent(self, running: Behavior) -> str:
        """Say what cannot wait for the end of the current activity; empty for nothing."""
        with_somebody = running.kind is not None and running.kind.with_somebody
        urgent = self._urgent(URGENT - SEVERE_NEEDS if with_somebody else URGENT)
        return f"{urgent.id} is urgent" if urgent is not None else ""

    def _urgent(self, strategies: set[str] = URGENT) -> Activity | None:
        for activity in self.root.children:
            if activity in self.path:
                break
            if activity.config.strategy.type not in strategies:
                continue
            if activity.why_not(self._situation, self.spark, self._features):
                continue
            if activity.choose(self._situation).behavior is not None:
                return activity
        return None

    def replacement_for(self, run: Run) -> Choice | None:
        """Return what goes before what runs, where the current chooser is a strict one."""
        leaf = self.leaf
        if leaf is None or leaf.chooser is None or leaf.chooser.config.type != "StrictPriority":
            return None
        time = self._situation.now - run.started_at
        choice = leaf.choose(self._situation, Running(run.behavior, time))
        return None if choice.behavior in (None, run.behavior) else choice

    def _due(self) -> Choice | None:
        """Return the clip that opens or ends a spark."""
        due, self._next = self._next, None
        if due is None or due.why_not(self._situation):
            return None
        return Choice(due, "it belongs to the spark")

    def _continue(self) -> Choice | None:
        leaf = self.leaf
        if leaf is None:
            return None
        # Between two behaviours, so that a row of games does not keep a need waiting. Another
        # need's turn is short, and may be a meal: asking for it, searching and eating.
        is_severe_need = leaf.config.strategy.type in SEVERE_NEEDS
        urgent = self._urgent(URGENT - SEVERE_NEEDS if is_severe_need else URGENT)
        if urgent is not None:
            self.leave(f"{urgent.id} is urgent")
            return None
        choice = leaf.choose(self._situation)
        if choice.behavior is not None:
            return choice
        self._barred = leaf.id
        self.leave(choice.reason)
        return None

    def _enter(self) -> Choice:
        rejected: list[Rejection] = []
        # What would interrupt the requested activity goes before it.
        urgent = self._urgent() if self.requested else None
        if urgent is not None:
            found = self._descend(urgent, "", rejected, {urgent.id})
        else:
            found = self._requested_path(rejected)
        if found is None:
            found = self._descend(self.root, self._desired, rejected, {self.root.id})
        self._barred = self._desired = ""
        now = self._situation.now
        if found is None:
            nothing = Choice(None, "nothing to do")
            self._trace.add(now, "activity", "", nothing.reason, tuple(rejected))
            return nothing
        self.path, choice = found
        for activity in self.path:
            activity.start(self._situation)
        why = "first that wants to begin"
        self._trace.add(now, "activity", self.path[-1].id, why, tuple(rejected))
        self._next = next((one.opening for one in self.path if one.opening), None)
        return self._due() or choice

    def _requested_path(self, rejected: list[Rejection]) -> tuple[list[Activity], Choice] | None:
        requested = self.all.get(self.requested)
        if requested is None:
            return None
        choice = requested.choose(self._situation)
        if choice.behavior is not None or requested.children:
            found = self._descend(requested, "", rejected, {requested.id})
            if found is not None:
                return found
        rejected.append(Rejection(requested.id, choice.reason))
        return None

    def _descend(
        self, activity: Activity, desired: str, rejected: list[Rejection], seen: set[str]
    ) -> tuple[list[Activity], Choice] | None:
        """Return the path to a leaf that has something to do; ``desired`` is tried first."""
        for child in sorted(activity.children, key=lambda child: child.id != desired):
            if child.id in seen:
                continue
            seen.add(child.id)
            why = "it found nothing to do just now" if child.id == self._barred else ""
            why = why or child.why_not(self._situation, self.spark, self._features)
            if why:
                rejected.append(Rejection(child.id, why))
                continue
            found = self._descend(child, "", rejected, seen)
            if found is not None:
                return [activity, *found[0]], found[1]
        choice = activity.choose(self._situation)
        if choice.behavior is not None:
            return [activity], choice
        if activity.chooser is not None:
            detail = "; ".join(f"{one.name}: {one.reason}" for one in choice.rejected)
            rejected.append(Rejection(activity.id, f"{choice.reason} ({detail})"))
        return None

    def _interlude(self, chosen: Behavior) -> tuple[Choice, str] | None:
        """Return what comes between two different behaviours, by the innermost that says so."""
        chooser = next((one.interlude for one in reversed(self.path) if one.interlude), None)
        if chooser is None or self._last in (None, chosen):
            return None
        between = chooser.choose(self._situation)
        if between.behavior is None or between.behavior is chosen:
            return None
        return between, f"interlude before {chosen.id}"

    def _leave_if_over(self) -> None:
        for activity in self.path:
            why = activity.wants_to_end(self._situation, self.spark)
            if why and activity is not self.root:
                self.leave(why)
                self._end_spark(activity)
                return

    def _end_spark(self, activity: Activity) -> None:
        spark = activity.config.spark
        if spark is None or spark.name != self.spark:
            return
        self.spark = ""
        is_done = activity.objectives.are_reached
        self._next = activity.success if is_done else activity.failure
        if is_done:
            self._situation.inner.act("SparkPlayed")
