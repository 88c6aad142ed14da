"""What it does with its cubes by radio: taps, moves, going there (spec 12 §4, §6)."""

from __future__ import annotations

import math

from ...robot import Cube, CubeEvent, CubeEventType, CubeLink, Pose2D
from ..behavior import Life, Situation, behavior
from ..body import Event
from ..config import BehaviorConfig
from ..triggers import DISABLED_BY, file_names
from .clips import clips, try_light
from .driving import try_to_get

_JUST_NOW = 3.0
_BESIDE = 0.09
"""Where to stop before a cube's middle, m."""
_TAPS = (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED)


def connected(situation: Situation) -> list[Cube]:
    return [cube for cube in situation.body.cubes if cube.is_connected]


def kept(situation: Situation) -> list[Cube]:
    """Return the connected cubes, and those that the robot may bring back by itself.

    A cube drops for half a second at times (spec 18); after 2 s the driver gives it up.
    """
    links = (CubeLink.CONNECTED, CubeLink.LOST)
    return [cube for cube in situation.body.cubes if cube.link in links]


def why_no_cube(situation: Situation, _: BehaviorConfig) -> str:
    return "" if connected(situation) else "no cube is connected"


def _meant(life: Life, *types: CubeEventType) -> Cube | None:
    """Return the cube that the latest event of these types is about, else any connected one."""
    cubes = connected(life.situation)
    events: list[CubeEvent] = life.events(*types, before=_JUST_NOW)
    for event in reversed(events):
        if event.cube.is_connected:
            return event.cube
    return life.rng.choice(cubes) if cubes else None


async def approach(life: Life, cube: Cube) -> bool:
    """Drive to a cube whose place is known; return whether it is there."""
    place = life.body.place_of(cube.factory_id)
    if place is None or not life.may_drive():
        return False
    here = life.senses.pose
    away = math.dist((here.x, here.y), (place.x, place.y))
    heading = math.atan2(place.y - here.y, place.x - here.x)
    if away <= _BESIDE:
        turn = math.remainder(heading - here.yaw, 2 * math.pi)
        if abs(turn) > 0.05:
            await life.body.turn(turn)
        return True
    life.step("goes to the cube")
    share = (away - _BESIDE) / away
    x, y = here.x + share * (place.x - here.x), here.y + share * (place.y - here.y)
    return await try_to_get(life, Pose2D(x, y, heading), "to the cube")


@behavior(
    "ReactToCubeTapped",
    triggers=clips("Curiosity", "Joy"),
    why_not=why_no_cube,
    on_charger=True,
)
async def react_to_tap(life: Life) -> None:
    """Answers a tap with the cube's lights, goes there where it knows the place, and is glad."""
    cube = _meant(life, *_TAPS)
    if cube is None:
        return
    try_light(life, cube.factory_id, "Tapped")
    if not await approach(life, cube):
        await life.play("Curiosity")
    try_light(life, cube.factory_id, "Success")
    await life.play("Joy")


async def react_to_move_unseen(life: Life) -> None:
    """Wonder who moves a cube; without perception the radio alone tells of it."""
    cube = _meant(life, CubeEventType.MOVED)
    if cube is None:
        return
    try_light(life, cube.factory_id, "Moved")
    await life.play("Curiosity")
    await approach(life, cube)


def _known(situation: Situation) -> list[Cube]:
    body = situation.body
    return [cube for cube in connected(situation) if body.place_of(cube.factory_id) is not None]


def _why_not_approach(situation: Situation, _: BehaviorConfig) -> str:
    return "" if _known(situation) else "it does not know where any of its cubes is"


@behavior("ApproachCube", why_not=_why_not_approach, drives=True)
async def approach_cube(life: Life) -> None:
    """Goes to a cube whose place it knows."""
    known = _known(life.situation)
    if not known:
        return
    cube = life.rng.choice(known)
    try_light(life, cube.factory_id, "Interacting")
    await approach(life, cube)


@behavior(
    "CubeTapGame",
    triggers=clips("AskToPlay", "Success", "Failure"),
    goals=frozenset({"PlayedGame"}),
    why_not=why_no_cube,
    on_charger=True,
    locks=file_names(DISABLED_BY["Games"]),
    with_somebody=True,
)
async def tap_game(life: Life) -> None:
    """Lets one cube after the other shine, and is glad of each that is tapped in time."""
    rounds = int(life.config.number("rounds", 3))
    timeout = life.config.number("timeToTap_s", 6.0)
    await life.play("AskToPlay")
    hits = 0
    for turn in range(1, rounds + 1):
        cubes = connected(life.situation) or kept(life.situation)
        if not cubes:
            return
        factory_id = life.rng.choice(cubes).factory_id
        life.step(f"plays the tapping game, {turn} of {rounds}")

        def is_tap(event: Event, factory_id: int = factory_id) -> bool:
            return (
                isinstance(event, CubeEvent)
                and event.type in _TAPS
                and event.cube.factory_id == factory_id
            )

        try_light(life, factory_id, "Attention")
        is_hit = await life.event(is_tap, timeout) is not None
        if is_hit:
            hits += 1
            try_light(life, factory_id, "Success")
            await life.wait(0.8)
        life.body.light_cube(factory_id, "")
        if not is_hit:
            break
    if hits == rounds:
        life.needs.act("PlayedTapGame")
        life.mood.feel("PlayedTapGame")
        life.reach("PlayedGame")
    elif hits:
        life.needs.act("PlayedWithCube")
    await life.play("Success" if hits == rounds else "Failure")
