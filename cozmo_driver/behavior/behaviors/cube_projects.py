"""What it builds and trains with cubes: beacons, workout, pyramid (spec 17 §1.2, §5.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...link import with_timeout
from ...robot import LIGHT_CUBES, Pose2D, Reason, RobotError
from ..behavior import Life, Situation, WhyNot, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import SeenObject, Sense
from ..triggers import DISABLED_BY, file_names
from .clips import clips
from .cube_handling import (
    chosen,
    cubes_for,
    handle,
    is_flat,
    is_free,
    is_on_side,
    is_upright,
    why_not_use,
    with_cube,
)
from .cube_sights import pyramid_top
from .looking import (
    first_of,
    look_at,
    point_of,
    text_of,
    turn_to_face,
    turn_to_object,
    why_blind,
    why_carrying,
    why_unable,
)

_BEACON = "beacon"
_RADIUS = 0.175
_LIFT_UP, _LIFT_DOWN = 0.092, 0.040
_STRONG, _WEAK = 4, 2
_PYRAMID_AGAIN = 300.0
_SHOWING = 300.0


@dataclass(frozen=True, slots=True)
class Beacon:
    """A place that cubes are brought to, m."""

    place: Pose2D
    radius: float

    def holds(self, cube: SeenObject) -> bool:
        there = self.place.x, self.place.y
        return math.dist(there, (cube.place.x, cube.place.y)) <= self.radius


def beacon_of(situation: Situation) -> Beacon | None:
    beacon: Beacon | None = situation.places.get(_BEACON)
    return beacon


@behavior(
    "ThinkAboutBeacons",
    triggers=clips("HikingReactToNewArea"),
    why_not=first_of(
        why_blind(Sense.OBJECTS),
        lambda situation, _: "it has a beacon" if beacon_of(situation) else "",
    ),
)
async def think_about_beacons(life: Life) -> None:
    """Decides that cubes belong where it stands now."""
    radius = life.config.number("beaconRadius_mm", 1000 * _RADIUS) / 1000
    life.situation.places[_BEACON] = Beacon(life.senses.pose, radius)
    await life.play("HikingReactToNewArea")


def _outside(situation: Situation, cube: SeenObject) -> bool:
    beacon = beacon_of(situation)
    return beacon is not None and is_free(situation, cube) and not beacon.holds(cube)


def _why_no_beacon(situation: Situation, _: BehaviorConfig) -> str:
    return "" if beacon_of(situation) else "it has no beacon to bring cubes to"


@with_cube(
    "BringCubeToBeacon",
    triggers=clips("ReactToBlockPickupSuccess"),
    why_not=first_of(
        _why_no_beacon,
        why_not_use(Skill.PICK_UP, Skill.PUT_DOWN, choice=_outside, what="outside"),
    ),
    goals=frozenset({"BroughtCubeToBeacon"}),
)
async def bring_cubes_to_beacon(life: Life) -> None:
    """Brings cubes to where they belong, one after the other."""
    for _ in LIGHT_CUBES:
        beacon = beacon_of(life.situation)
        if beacon is None or not await _bring(life, beacon):
            return
        life.reach("BroughtCubeToBeacon")
        if not cubes_for(life.situation, "", _outside):
            life.mood.feel("HikingBroughtLastCubeToBeacon")
            return
        life.mood.feel("HikingBroughtCubeToBeacon")


async def _bring(life: Life, beacon: Beacon) -> bool:
    """Bring a cube from outside, on another one there or beside it; return whether it is there."""
    cube = await chosen(life, _outside)
    life.step(f"brings {text_of(cube.name)} to its beacon")
    await handle(life, Skill.PICK_UP, cube.name)
    inside = [one for one in cubes_for(life.situation, "", is_upright) if beacon.holds(one)]
    try:
        if inside:
            await life.body.use(Skill.PUT_ON, cube.name, inside[0].name)
        else:
            await life.body.use(Skill.PUT_DOWN, place=beacon.place)
    except RobotError as error:
        if not life.senses.is_carrying or not life.may_drive():
            raise
        life.step(f"puts it down where it is: {error}")
        await life.body.use(Skill.PUT_DOWN)
        return False
    life.needs.act("PickupCube")
    return True


def _lifts(life: Life, key: str, default: int) -> int:
    """Return how often it lifts, by its confidence and the file's graph."""
    graph = life.config.graph(key)
    if graph is None:
        return default
    return max(1, round(graph(life.mood.value("Confident"))))


@behavior(
    "CubeLiftWorkout",
    triggers=clips("WorkoutPreLift", "WorkoutTransition", "WorkoutPostLift"),
    why_not=why_not_use(Skill.PICK_UP, Skill.PUT_DOWN),
    drives=True,
    locks=file_names(DISABLED_BY["CubeLiftWorkout"]),
    goals=frozenset({"PerformedWorkout"}),
)
async def workout(life: Life) -> None:
    """Lifts a cube again and again, at last with trouble."""
    cube = await chosen(life)
    life.step(f"picks up {text_of(cube.name)}")
    await handle(life, Skill.PICK_UP, cube.name)
    await life.play("WorkoutPreLift", is_body_still=True)
    strong, weak = _lifts(life, "numStrongLifts", _STRONG), _lifts(life, "numWeakLifts", _WEAK)
    for number in range(1, strong + weak + 1):
        is_weak = number > strong
        life.step(f"lifts the cube, {number} of {strong + weak}")
        _check_carrying(life)
        await life.body.move_lift(_LIFT_DOWN)
        await life.wait(0.8 if is_weak else 0.1)
        await life.body.move_lift((_LIFT_UP + _LIFT_DOWN) / 2 if is_weak else _LIFT_UP)
        if number == strong:
            await life.play("WorkoutTransition", is_body_still=True)
    _check_carrying(life)
    life.step("puts the cube down")
    await life.body.use(Skill.PUT_DOWN)
    await life.play("WorkoutPostLift")
    life.needs.act("Workout")
    life.reach("PerformedWorkout")


def _check_carrying(life: Life) -> None:
    if not life.senses.is_carrying:
        raise RobotError(Reason.MISSED, "the cube is no longer on the lift")


def _why_built(situation: Situation, config: BehaviorConfig) -> str:
    if pyramid_top(situation) is not None:
        return "there is a pyramid"
    left = situation.pause_left(config.id)
    return f"it tried a moment ago; again in {left:.0f} s" if left > 0 else ""


def _pyramid(skills: tuple[Skill, ...], cubes: int) -> WhyNot:
    return first_of(
        _why_built, why_not_use(*skills, cubes=cubes, choice=is_upright, what="upright")
    )


@with_cube(
    "BuildPyramidBase",
    triggers=clips("BuildPyramidReactToBase"),
    why_not=_pyramid((Skill.PICK_UP, Skill.PUT_BESIDE), 2),
    goals=frozenset({"BuiltPyramidBase"}),
)
async def build_pyramid_base(life: Life) -> None:
    """Puts one cube beside another one."""
    life.pause(life.config.number("cooldown_s", _PYRAMID_AGAIN))
    cube = await chosen(life, is_upright)
    others = cubes_for(life.situation, life.config.id, is_upright)
    base = next((one for one in others if one.name != cube.name), None)
    if base is None:
        raise RobotError(Reason.NOT_SEEN, "the other cube is gone: let its camera see it")
    life.step(f"puts {text_of(cube.name)} beside {text_of(base.name)}")
    await handle(life, Skill.PICK_UP, cube.name)
    await life.body.use(Skill.PUT_BESIDE, cube.name, base.name)
    await life.body.drive_distance(-0.040, 0.040)
    await life.play("BuildPyramidReactToBase")
    life.reach("BuiltPyramidBase")


@with_cube(
    "BuildPyramid",
    triggers=clips("BuildPyramidSuccess"),
    why_not=_pyramid((Skill.PYRAMID,), 3),
    goals=frozenset({"BuiltPyramid"}),
)
async def build_pyramid(life: Life) -> None:
    """Builds a pyramid of three cubes."""
    life.pause(life.config.number("cooldown_s", _PYRAMID_AGAIN))
    await chosen(life, is_upright)
    life.step("builds a pyramid")
    await handle(life, Skill.PYRAMID)
    await life.play("BuildPyramidSuccess")
    life.reach("BuiltPyramid")


@behavior(
    "PyramidThankYou",
    triggers=clips("BuildPyramidThankUser"),
    why_not=lambda situation, _: "" if pyramid_top(situation) else "it sees no pyramid",
)
async def pyramid_thank_you(life: Life) -> None:
    """Thanks whoever helped with a pyramid, and admires it."""
    top = pyramid_top(life.situation)
    await turn_to_face(life)
    await life.play("BuildPyramidThankUser")
    if top is not None:
        await look_at(life, point_of(top))
        await life.wait(0.5)
    await turn_to_face(life)


_ORDER = ("First", "Second", "Third")


def _unprepared(situation: Situation, cube: SeenObject) -> bool:
    """Tell whether it has not looked at a cube as it lies now."""
    prepared = situation.memory.get("prepared", {})
    return is_flat(situation, cube) and prepared.get(cube.name) is not cube.is_upright


def _why_prepared(situation: Situation, config: BehaviorConfig) -> str:
    found = cubes_for(situation, config.id, _unprepared)
    return "" if found else "it has looked how each of its cubes lies"


@with_cube(
    "RespondPossiblyRoll",
    triggers=clips(
        *(f"BuildPyramid{one}Block{how}" for one in _ORDER for how in ("Upright", "OnSide"))
    ),
    why_not=first_of(why_blind(Sense.OBJECTS), why_unable(Skill.ROLL), _why_prepared),
)
async def respond_possibly_roll(life: Life) -> None:
    """Looks how a cube lies that it may build with, and rolls it where it lies on a side."""
    cube = await chosen(life, _unprepared)
    prepared = life.situation.memory.setdefault("prepared", {})
    which = _ORDER[min(len(set(prepared) - {cube.name}), 2)]
    await life.play(f"BuildPyramid{which}Block{'Upright' if cube.is_upright else 'OnSide'}")
    if is_on_side(life.situation, cube):
        life.step(f"rolls {text_of(cube.name)}")
        await handle(life, Skill.ROLL, cube.name)
        life.needs.act("RollACube")
    prepared[cube.name] = True


@behavior(
    "OnboardingShowCube",
    triggers=clips("AskToPlay", "ReactToBlockPickupSuccess"),
    why_not=first_of(why_unable(Skill.PICK_UP, Skill.PUT_DOWN), why_carrying),
    drives=True,
    locks=file_names(DISABLED_BY["OnboardingShowCube"]),
)
async def show_cube(life: Life) -> None:
    """Asks for a cube, picks up the one that it is shown, and puts it down."""

    async def show() -> None:
        while True:
            await life.play("AskToPlay")
            life.step("waits for a cube")
            if await life.until(lambda: bool(_free(life)), 10.0):
                break
        cube = _free(life)[0]
        await turn_to_object(life, cube.name)
        await handle(life, Skill.PICK_UP, cube.name)
        await life.play("ReactToBlockPickupSuccess")
        await life.body.use(Skill.PUT_DOWN)

    try:
        await with_timeout(life.config.number("timeout_s", _SHOWING), show())
    except TimeoutError:
        raise RobotError(Reason.TIMEOUT, "nobody showed it a cube") from None


def _free(life: Life) -> list[SeenObject]:
    return cubes_for(life.situation, life.config.id, is_free)
