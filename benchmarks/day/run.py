"""Lives some hours and keeps what happened."""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections import Counter
from dataclasses import dataclass, field

from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.engine import RESUMED, Engine
from cozmo_driver.behavior.executor import Snapshot, State
from cozmo_driver.behavior.inner_state import InnerState
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.behavior.testing import connected_cube
from cozmo_driver.resources.library import load_library
from cozmo_driver.resources.locations import find_own_tree
from cozmo_driver.robot import CubeKind
from cozmo_driver.virtual_time import run_in_virtual_time

from .house import House
from .people import People
from .seeing import SeeingHouse

STARTS_AT = 7.0
"""Hour of the day at which it begins."""
QUIET = (22.0, 7.0)
_SAMPLE = 20.0
_CUBES = (CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3)
_STOPPED = ("emergency stop", "without a link")
_BETWEEN = ("Alone_Wander", "Alone_LookAround", "Alone_Turn", "Hiking_", "NothingToDo_", "Charger_")
"""What it does between things, which nobody takes for one: it walks, looks about and waits."""
_ON_REQUEST = (
    "Game_",
    "Trick_",
    "Meet_EnrollFace",
    "Faces_Rename",
    "Faces_Turn",
    "Cubes_ShowCube",
    "Cubes_ConfigurationSeen",
    "Motion_Laser",
)
"""Behaviours that only people ask for: games, tricks, names, what needs somebody's patience or a
laser, and what others do at more length."""


@dataclass(slots=True)
class Span:
    """From when to when it did something, s."""

    began: float
    ended: float
    seen: Snapshot


@dataclass(slots=True)
class Day:
    """What happened. Times in s since the beginning."""

    hours: float
    seed: int
    spans: list[Span] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    moods: list[dict[str, float]] = field(default_factory=list)
    affects: list[tuple[float, float]] = field(default_factory=list)
    needs: list[dict[str, float]] = field(default_factory=list)
    voltages: list[float] = field(default_factory=list)
    on_charger: list[bool] = field(default_factory=list)
    deeds: list[tuple[float, str]] = field(default_factory=list)
    chosen: set[str] = field(default_factory=set)
    never: set[str] = field(default_factory=set)
    """Behaviours that could be chosen and were not."""
    rules: list[tuple[str, float, float]] = field(default_factory=list)
    """Which rule held from when to when."""
    broken_rules: list[str] = field(default_factory=list)
    moves: int = 0
    broken: list[str] = field(default_factory=list)
    """Errors in the log: behaviours that failed by a mistake of their own or did not end."""
    homecomings: list[tuple[float, bool]] = field(default_factory=list)
    """When it was driven home, s, and whether it got there."""
    unknown: set[str] = field(default_factory=set)
    """Emotion events and need actions that no file knows."""

    def repeats(self, within: float = 600.0) -> tuple[int, int]:
        """Return how many choices there were of the same thing within some s, and of how many."""
        same, count = self._choices(within)
        return sum(same.values()), count

    def repeated(self, within: float = 600.0) -> list[tuple[str, int]]:
        """Return what was chosen again most often."""
        return self._choices(within)[0].most_common(8)

    def _choices(self, within: float) -> tuple[Counter[str], int]:
        last: dict[str, float] = {}
        same, count = Counter[str](), 0
        for before, span in zip(self.spans, self.spans[1:], strict=False):
            name = span.seen.behavior_id
            is_new = name != before.seen.behavior_id and span.seen.reason != RESUMED
            if is_new and span.seen.state is State.RUNNING and not name.startswith(_BETWEEN):
                count += 1
                same[name] += span.began - last.get(name, -math.inf) < within
            if name:
                last[name] = span.ended
        return same, count

    def longest_idle(self) -> tuple[float, float]:
        """Return length and begin of the longest time with nothing to do although it might, s."""
        idle = [(0.0, 0.0)]
        for span in self.spans:
            if span.seen.state is State.IDLE:
                stopped = sum(
                    max(0.0, min(span.ended, until) - max(span.began, since))
                    for rule, since, until in self.rules
                    if rule in _STOPPED
                )
                idle.append((span.ended - span.began - stopped, span.began))
        return max(idle)


class _Complaints(logging.Handler):
    """Keeps the errors of the log."""

    def __init__(self, day: Day) -> None:
        super().__init__(logging.ERROR)
        self._day = day

    def emit(self, record: logging.LogRecord) -> None:
        self._day.broken.append(record.getMessage())


def live_a_day(
    hours: float, seed: int, busyness: float = 1.0, *, sees: bool = False, voltage: float = 4.05
) -> Day:
    """Live so many hours from seven in the morning, in virtual time.

    ``busyness``: how much more than usual people do. ``sees``: it has eyes and hands, and goes
    home by itself. ``voltage``: of its battery in the morning.
    """
    return run_in_virtual_time(_live(hours, seed, busyness, sees, voltage))


def hour_at(time: float) -> float:
    """Return the hour of the day at a time since the beginning, s."""
    return (STARTS_AT + time / 3600.0) % 24.0


async def _live(hours: float, seed: int, busyness: float, sees: bool, voltage: float) -> Day:
    loop = asyncio.get_running_loop()
    own = find_own_tree()
    assert own is not None
    day = Day(hours, seed)
    library, rng = load_library(), random.Random(seed)
    house = (SeeingHouse if sees else House)(
        random.Random(f"{seed} house"),
        library.triggers,
        [connected_cube(kind, 0xC1000011 + slot, slot) for slot, kind in enumerate(_CUBES)],
    )
    system = load_behavior_system([own])

    def take(seen: Snapshot) -> None:
        if day.spans:
            day.spans[-1].ended = loop.time()
        day.spans.append(Span(loop.time(), math.inf, seen))
        day.chosen.add(seen.behavior_id)

    def hour() -> float:
        return hour_at(loop.time())

    engine = Engine(
        house,
        system,
        rng=rng,
        permissions=Permissions(
            motion=True, leaving_charger=True, going_home=sees, quiet_hours=QUIET
        ),
        hour=hour,
        on_change=take,
    )
    inner = engine.inner
    people = People(house, engine, inner, random.Random(f"{seed} people"), hour, busyness)
    people.cares = not sees
    house.feel(battery_voltage=voltage)
    engine.enable(True)
    tasks = [
        asyncio.ensure_future(one)
        for one in (engine.run(), house.live(), people.live(), people.care(), people.feed())
    ]
    if isinstance(house, SeeingHouse):
        tasks.append(asyncio.ensure_future(house.look()))
        day.homecomings = house.homecomings
    complaints = _Complaints(day)
    log = logging.getLogger("cozmo_driver.behavior")
    log.addHandler(complaints)
    while (left := hours * 3600.0 - loop.time()) > 0.0:
        _sample(day, loop.time(), house, inner)
        house.rules.set("it is a quiet hour", engine.constraints.is_quiet_hour, loop.time())
        await asyncio.wait(tasks, timeout=min(_SAMPLE, left), return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    log.removeHandler(complaints)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await people.rest()
    day.spans[-1].ended = loop.time()
    day.deeds = people.deeds
    chosen_by_itself = (b.id for b in engine.behaviors.values() if not b.missing)
    day.never = {one for one in chosen_by_itself if not one.startswith(_ON_REQUEST)} - day.chosen
    day.broken_rules, day.moves = house.rules.broken, house.rules.moves
    day.rules = house.rules.history
    day.unknown = set(inner.mood.unknown_events) | set(inner.needs.unknown_actions)
    return day


def _sample(day: Day, time: float, house: House, inner: InnerState) -> None:
    day.times.append(time)
    day.moods.append({emotion.value: v for emotion, v in inner.mood.values.items()})
    day.affects.append((inner.mood.affect.valence, inner.mood.affect.arousal))
    day.needs.append({need.value: level for need, level in inner.needs.levels.items()})
    day.voltages.append(house.felt.battery_voltage)
    day.on_charger.append(house.felt.is_on_charger)
