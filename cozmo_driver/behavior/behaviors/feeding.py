"""Being fed: somebody shakes a cube until it is full, and the robot eats it (spec 17 §5.1)."""

from __future__ import annotations

import math

from ...robot import (
    Color,
    Cube,
    CubeEvent,
    CubeEventType,
    CubeLights,
    LightState,
    Reason,
    RobotError,
    steady,
)
from ..behavior import SEVERE, Life, Situation, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import NAMES, SeenObject, Sense
from ..triggers import DISABLED_BY, file_names
from .clips import clips
from .cube_play import connected, kept
from .faces import latest_face
from .looking import (
    first_of,
    sweep,
    sweep_angles,
    text_of,
    turn_to_face,
    turn_to_object,
    why_blind,
    why_carrying,
    why_unable,
)

_FULL, _PER_LIGHT = 16, 4
_COUNT_EVERY, _PAUSE, _LEAK_EVERY = 0.07, 1.0, 0.1
_SHAKEN = 6.0
"""m/s^2 by which a shaken cube's acceleration differs from gravity."""
_GRAVITY = 9.81
_WAIT, _FACE_TIME = 30.0, 5.0
_CYAN = Color(0.0, 0.26, 0.26)
_BITES = 4
_HEAD_DOWN = math.radians(-10.0)
_FOOD, _MOVING, _FED_AT = "feeding", "moving", "fed_at"
_JUST_NOW = 30.0
"""s in which a reaction that interrupts the clip of a meal is over."""
_ATE = (
    "FeedingAteFullEnough_Normal",
    "FeedingAteFullEnough_Severe",
    "FeedingAteNotFullEnough_Normal",
    "FeedingAteNotFullEnough_Severe",
)


def _food(situation: Situation) -> int | None:
    """Return the cube that is full."""
    cube: int | None = situation.memory.get(_FOOD, {}).get("full")
    return cube


def _seen_food(situation: Situation) -> SeenObject | None:
    kinds = {cube.factory_id: cube.kind for cube in kept(situation)}
    kind = kinds.get(_food(situation) or 0)
    return None if kind is None else situation.body.sight.objects.get(NAMES.get(kind, ""))


def _show_level(life: Life, cube: int, level: float) -> None:
    """Light as many of a cube's four lights as there is food in it."""
    count = math.ceil(level / _PER_LIGHT)
    on, off = steady(_CYAN), LightState()
    first, second, third, fourth = (on if index < count else off for index in range(4))
    life.body.light_cube(cube, CubeLights((first, second, third, fourth)))


def _how(life: Life) -> str:
    return "Severe" if life.needs.bracket("Energy") == SEVERE else "Normal"


_why_not_eat = first_of(why_blind(Sense.OBJECTS), why_unable(Skill.ALIGN), why_carrying)


def _can_go_and_eat(life: Life) -> bool:
    return life.may_drive() and not _why_not_eat(life.situation, life.config)


async def _eat_where_it_is(life: Life, food: int) -> None:
    life.situation.memory.pop(_FOOD, None)
    life.step("eats where it is")
    await _be_fed(life, food, _how(life))


async def _be_fed(life: Life, food: int, how: str) -> None:
    life.needs.act("Feed")
    life.reach("Fed")
    life.body.light_cube(food, "")
    is_full = life.needs.bracket("Energy") in ("Full", "Normal")
    await life.play(f"FeedingAte{'FullEnough' if is_full else 'NotFullEnough'}_{how}")


class _Charging:
    """What is in a cube that is shaken: it fills by shaking, and leaks when that ends."""

    def __init__(self) -> None:
        self.level = 0.0
        self._counted_at = self._leaked_at = -math.inf

    def feel(self, acceleration: float, now: float) -> None:
        if not math.isnan(acceleration) and abs(acceleration - _GRAVITY) > _SHAKEN:
            if now - self._counted_at >= _COUNT_EVERY:
                self.level, self._counted_at = self.level + 1, now
        elif now - self._counted_at > _PAUSE and now - self._leaked_at >= _LEAK_EVERY:
            self.level, self._leaked_at = max(0.0, self.level - 1), now


def _why_no_cube(situation: Situation, _: BehaviorConfig) -> str:
    return "" if connected(situation) else "no cube is connected"


@behavior(
    "FeedingRequest",
    triggers=clips(
        "FeedingPlayRequestAtFace", "FeedingReactCubeShake", "FeedingReactFullCube", *_ATE
    ),
    why_not=_why_no_cube,
    on_charger=True,
    locks=file_names(DISABLED_BY["Feeding"]),
    with_somebody=True,
    goals=frozenset({"Fed"}),
)
async def ask_for_food(life: Life) -> None:
    """Asks to be fed until somebody has shaken a cube full, its meal where it cannot go to eat."""
    if life.now - life.memory.pop(_FED_AT, -math.inf) < _JUST_NOW:
        life.step("has just eaten")
        return
    life.situation.memory.pop(_FOOD, None)
    if Sense.FACES in life.sight.looks_for and not latest_face(life, 60.0):
        await life.until(lambda: latest_face(life, 1.0) is not None, _FACE_TIME)
    await turn_to_face(life)
    await life.play("FeedingPlayRequestAtFace")
    charging = {cube.factory_id: _Charging() for cube in connected(life.situation)}
    for cube in charging:
        life.body.stream_acceleration(cube, True)
        _show_level(life, cube, 0.0)
    life.step("waits for a cube to be shaken")
    ends_at, shown = life.now + life.config.number("patience_s", _WAIT), 0.0
    while life.now < ends_at:
        if charging.keys().isdisjoint(cube.factory_id for cube in kept(life.situation)):
            raise RobotError(Reason.NOT_FOUND, "its cubes were lost: connect one again")
        there = {cube.factory_id for cube in connected(life.situation)}
        for cube, one in charging.items():
            # Of one that is lost the last that was felt says nothing.
            one.feel(life.body.cube_acceleration(cube) if cube in there else math.nan, life.now)
            _show_level(life, cube, one.level)
        level = max(one.level for one in charging.values())
        if level > shown == 0.0:
            life.step("sees that somebody shakes a cube")
            ends_at = max(ends_at, life.now + _WAIT)
        shown = level
        full = next((cube for cube, one in charging.items() if one.level >= _FULL), None)
        if full is not None:
            life.situation.memory[_FOOD] = {"full": full}
            await life.play("FeedingReactFullCube")
            if not _can_go_and_eat(life):
                life.memory[_FED_AT] = life.now
                await _eat_where_it_is(life, full)
                life.memory.pop(_FED_AT)
            return
        await life.wait(_COUNT_EVERY / 2)
    life.step("stays hungry: nobody shook a cube until it was full")


def _why_not_full(situation: Situation, _: BehaviorConfig) -> str:
    is_there = _food(situation) in {cube.factory_id for cube in kept(situation)}
    return "" if is_there else "no cube is full: shake one when it asks"


@behavior(
    "FeedingSearchForCube",
    triggers=clips("FeedingSearchRequest", "FeedingSearchFailure", "FeedingReactSeeCharged", *_ATE),
    why_not=first_of(_why_not_full, why_blind(Sense.OBJECTS)),
    locks=file_names(DISABLED_BY["Feeding"]),
    with_somebody=True,
    goals=frozenset({"Fed"}),
)
async def search_for_food(life: Life) -> None:
    """Looks around for the full cube, twice at most; eats where it is if it does not see that."""
    food = _food(life.situation)
    if food is None:
        return

    def is_seen() -> bool:
        seen = _seen_food(life.situation)
        return seen is not None and seen.is_visible

    for attempt in (1, 2):
        life.step(f"looks for its food, attempt {attempt}")
        if await sweep(life, is_seen, sweep_angles(life.config), _HEAD_DOWN, 0.6):
            await life.play("FeedingReactSeeCharged")
            return
        await life.play("FeedingSearchRequest" if attempt == 1 else "FeedingSearchFailure")
    # Of markers that are not learnt, or in the dark; somebody has filled it all the same.
    await _eat_where_it_is(life, food)


def _why_no_food(situation: Situation, _: BehaviorConfig) -> str:
    return "" if _seen_food(situation) is not None else "it does not know where the full cube is"


@behavior(
    "FeedingEat",
    triggers=clips(
        "FeedingPlaceLiftOnCube_Normal",
        "FeedingPlaceLiftOnCube_Severe",
        *_ATE,
        "FeedingInterrupted",
        "FeedingInterrupted_Severe",
    ),
    why_not=first_of(_why_not_full, _why_not_eat, _why_no_food),
    drives=True,
    locks=file_names(DISABLED_BY["FeedingEat"]),
    goals=frozenset({"Fed"}),
    with_somebody=True,
)
async def eat(life: Life) -> None:
    """Eats from the full cube; who takes that away interrupts the meal."""
    seen, food = _seen_food(life.situation), _food(life.situation)
    if seen is None or food is None:
        return
    how = _how(life)
    await turn_to_object(life, seen.name)
    life.step(f"goes to eat from {text_of(seen.name)}")
    await life.body.use(Skill.ALIGN, seen.name)
    life.situation.memory.pop(_FOOD, None)
    life.memory.pop(_MOVING, None)
    _show_level(life, food, _FULL)
    began = life.now

    def is_there() -> bool:
        return not _is_taken(life, food, began) and not life.senses.is_off_ground

    await life.play(f"FeedingPlaceLiftOnCube_{how}", while_=is_there, is_body_still=True)
    for bite in range(_BITES):
        if not await _bite(life, food, bite, is_there):
            life.body.light_cube(food, "")
            await life.play(f"FeedingInterrupted{'_Severe' if how == 'Severe' else ''}")
            raise RobotError(Reason.OBSTRUCTED, "somebody took its food away")
    await _be_fed(life, food, how)
    if life.may_drive():
        await life.body.drive_distance(-0.040, 0.060)


async def _bite(life: Life, food: int, bite: int, is_there: object) -> bool:
    assert callable(is_there)
    life.step(f"eats, {bite + 1} of {_BITES}")
    _show_level(life, food, _FULL * (1.0 - (bite + 1) / _BITES))
    await life.until(lambda: not is_there(), 0.8)
    return bool(is_there())


def _is_taken(life: Life, food: int, since: float) -> bool:
    """Tell whether somebody moved or turned its food, or that is gone."""
    cubes: dict[int, Cube] = {cube.factory_id: cube for cube in kept(life.situation)}
    if food not in cubes:
        return True
    return any(
        isinstance(event, CubeEvent)
        and event.cube.factory_id == food
        and event.type is CubeEventType.UP_AXIS_CHANGED
        for event in life.body.events.since(since)
    ) or _moves_long(life, food, cubes[food])


def _moves_long(life: Life, food: int, cube: Cube) -> bool:
    """Tell whether its food has been moving for more than the robot's own bites make it."""
    since = life.memory.setdefault(_MOVING, {})
    if not cube.is_moving:
        since.pop(food, None)
        return False
    return bool(life.now - since.setdefault(food, life.now) > 0.8)
