"""Events as robot and cubes report them, and a life in virtual time to put them in."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cozmo_driver.behavior.reaction_map import MappedReaction, ReactionMap
from cozmo_driver.behavior.reaction_strategies import Facts
from cozmo_driver.behavior.reactions import Reaction, Reactions
from cozmo_driver.behavior.testing import connected_cube
from cozmo_driver.behavior.triggers import Trigger
from cozmo_driver.robot import CubeEvent, CubeEventType, OffTreads, RobotEvent, RobotEventType

STANDING = OffTreads.ON_TREADS
TICK = 0.05


def robot_event(kind: RobotEventType, time: float = 0.0, **more: Any) -> RobotEvent:
    return RobotEvent(kind, kind.name.lower(), time=time, **more)


def cube_event(kind: CubeEventType, time: float = 0.0) -> CubeEvent:
    return CubeEvent(time, kind, connected_cube())


def behavior_of(trigger: Trigger) -> str:
    return f"On{trigger.file_name}"


def simple_map(*entries: MappedReaction) -> ReactionMap:
    """One behaviour for each trigger, other ones for those of the entries."""
    found = {t: ((MappedReaction(t, behavior_of(t)),),) for t in Trigger}
    for trigger in {entry.trigger for entry in entries}:
        found[trigger] = (tuple(e for e in entries if e.trigger is trigger),)
    return ReactionMap(found)


class Life:
    """Reactions, the time, and what the robot feels; long after the start."""

    def __init__(self, *entries: MappedReaction, now: float = 100.0, **options: Any) -> None:
        self.reactions = Reactions(simple_map(*entries), 0.0, random.Random(3), **options)
        self.now = now
        self.posture = STANDING
        self.confident = 0.0
        self.running = "Wandering"

    @property
    def facts(self) -> Facts:
        return Facts(self.now, self.posture, self.confident)

    def happens(self, kind: RobotEventType, **more: Any) -> None:
        more.setdefault("off_treads", self.posture)
        self.reactions.on_event(robot_event(kind, self.now, **more), self.now)

    def cube(self, kind: CubeEventType) -> None:
        self.reactions.on_event(cube_event(kind, self.now), self.now)

    def evaluate(self) -> Reaction | None:
        return self.reactions.evaluate(self.facts, self.running)

    def fires(self) -> Trigger | None:
        found = self.evaluate()
        return found.trigger if found else None

    def until(self, seconds: float, act: Callable[[], object] = lambda: None) -> list[Trigger]:
        """Live for some time; each reaction takes one look. What fired, in its order."""
        found = []
        for _ in range(round(seconds / TICK)):
            self.now += TICK
            act()
            fired = self.fires()
            if fired is not None:
                found.append(fired)
                self.reactions.began()
                self.reactions.ended(self.now)
        return found
