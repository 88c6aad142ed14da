"""Which activity is on, and what it would do now (spec 12 §8)."""

from __future__ import annotations

from .activities import URGENT, Activity, ActivityTree
from .behavior import Behavior, Situation
from .choosers import Choice, Running
from .config import NO_CLIPS, ActivityClips
from .executor import Run
from .trace import Trace

IDLE = 1.0
"""s until it is looked again for something to do."""
_PUT_DOWN = "noFaceNoCubeActivityName"


class Everyday:
    """The present activities from the root to the leaf, none at times."""

    def __init__(self, tree: ActivityTree, situation: Situation, trace: Trace) -> None:
        """Begin without an activity."""
        self.tree = tree
        self.path: list[Activity] = []
        self._situation, self._trace = situation, trace
        self._barred = self._desired = ""
        self._next: Behavior | None = None
        self._last: Behavior | None = None

    @property
    def leaf(self) -> Activity | None:
        """The activity that chooses behaviours now."""
        return self.path[-1] if self.path else None

    def desire_as_put_down(self) -> None:
        """Try first what the files want after the robot was put down."""
        self._desired = self.tree.root.config.desired.get(_PUT_DOWN, "")

    def choose(self) -> tuple[Choice, str]:
        """Choose what to begin now, and why; nothing where no activity has anything to do."""
        self._leave_if_it_wants()
        choice = self._due() or self._continue() or self._begin()
        if choice.behavior is None:
            return choice, choice.reason
        between = self._interlude(choice.behavior)
        self._last = choice.behavior
        return between or (choice, choice.reason)

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
        choice = leaf.choose(self._situation)
        if choice.behavior is not None:
            return choice
        self._barred = leaf.id
        self.leave(choice.reason)
        return None

    def _begin(self) -> Choice:
        path, choice, rejected = self.tree.pick(self._situation, self._barred, self._desired)
        self._barred = self._desired = ""
        now = self._situation.now
        if choice.behavior is None:
            self._trace.add(now, "activity", "", choice.reason, rejected)
            return choice
        self.path = path
        for activity in path:
            activity.begin(self._situation)
        self._trace.add(now, "activity", path[-1].id, "first that wants to begin", rejected)
        self._next = next((one.opening for one in path if one.opening), None)
        return self._due() or choice

    def _interlude(self, chosen: Behavior) -> tuple[Choice, str] | None:
        """Return what comes between two different behaviours, by the innermost that says so."""
        chooser = next((one.interlude for one in reversed(self.path) if one.interlude), None)
        if chooser is None or self._last in (None, chosen):
            return None
        between = chooser.choose(self._situation)
        if between.behavior is None or between.behavior is chosen:
            return None
        return between, f"interlude before {chosen.id}"

    def more_urgent(self) -> str:
        """Say what cannot wait for the end of the present activity; empty for nothing."""
        for activity in self.tree.root.children:
            if activity in self.path:
                break
            if activity.config.strategy.type not in URGENT:
                continue
            if activity.why_not(self._situation, self.tree.spark, self.tree.features):
                continue
            if activity.choose(self._situation).behavior is not None:
                return f"{activity.id} is urgent"
        return ""

    def in_place_of(self, run: Run) -> Choice | None:
        """Return what goes before what runs, where the present chooser is a strict one."""
        leaf = self.leaf
        if leaf is None or leaf.chooser is None or leaf.chooser.config.type != "StrictPriority":
            return None
        time = self._situation.now - run.began_at
        choice = leaf.choose(self._situation, Running(run.behavior, time))
        return None if choice.behavior in (None, run.behavior) else choice

    def take_end(self, behavior: Behavior) -> None:
        """Take that a behaviour of the present activity came to its end."""
        for activity in self.path:
            activity.objectives.take_end(tells_goals=behavior.tells_goals)
        if self.leaf is not None and self.leaf.chooser is not None:
            self.leaf.chooser.take_end(behavior)

    @property
    def clips(self) -> ActivityClips:
        """What plays beside the doings: by the innermost activity that says so."""
        found = (one.config.clips for one in reversed(self.path))
        return next((clips for clips in found if clips != NO_CLIPS), NO_CLIPS)

    def reach(self, objective: str) -> None:
        """Take that a behaviour reached a goal."""
        for activity in self.path:
            activity.objectives.reach(objective)
        for activity in self.tree.all.values():
            for behavior, scoring in activity.chooser.entries if activity.chooser else ():
                if scoring.objective == objective:
                    behavior.last_run = self._situation.now

    def leave(self, why: str) -> None:
        """End the present activities."""
        path, self.path = self.path, []
        for activity in reversed(path):
            activity.end(self._situation)
        if path:
            self._trace.add(self._situation.now, "end", path[-1].id, why)

    def _leave_if_it_wants(self) -> None:
        for activity in self.path:
            why = activity.wants_to_end(self._situation, self.tree.spark)
            if why and activity is not self.tree.root:
                self.leave(why)
                self._end_spark(activity)
                return

    def _end_spark(self, activity: Activity) -> None:
        spark = activity.config.spark
        if spark is None or spark.name != self.tree.spark:
            return
        self.tree.spark = ""
        is_done = activity.objectives.are_reached
        self._next = activity.success if is_done else activity.failure
        if is_done:
            self._situation.needs.act("SparkPlayed")
