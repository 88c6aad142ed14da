"""What it does with one or two cubes that it sees, by manipulation (spec 17 §1.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ...robot import Reason, RobotError
from ..behavior import Life, Situation, WhyNot, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import SeenObject
from ..triggers import Trigger, file_names
from .clips import clips
from .looking import (
    LIFT_LOW,
    bearing_to,
    distance_to,
    first_of,
    text_of,
    turn_to_face,
    turn_to_object,
    why_carrying,
    why_unable,
)

FAILED_FOR = 20.0
"""s for which a cube that something failed with is left alone for that (spec 17 §0: 5 to 45)."""
IN_USE = file_names(
    {
        Trigger.CUBE_MOVED,
        Trigger.CUBE_TAPPED,
        Trigger.OBJECT_POSITION_UPDATED,
        Trigger.FACE_POSITION_UPDATED,
        Trigger.PET_INITIAL_DETECTION,
    }
)
"""A cube in use raises no reaction (spec 17 §0), nor where the robot has just put it, and nobody
distracts who has a cube in hand."""
_KNOCKS = 3
_RAM_SPEED, _BACK = 0.100, -0.100
_CARRY = 0.05
_ENDED = (Reason.CANCELED, Reason.SUPERSEDED, Reason.NOT_ALLOWED, Reason.LINK_LOST)

Choice = Callable[[Situation, SeenObject], bool]
with_cube = partial(behavior, drives=True, locks=IN_USE)


def is_free(situation: Situation, cube: SeenObject) -> bool:
    """Tell whether nothing stands on a cube, and whether it is not in somebody's hands."""
    return not cube.is_moving and situation.body.sight.on(cube.name) is None


def is_flat(situation: Situation, cube: SeenObject) -> bool:
    return is_free(situation, cube) and not cube.is_high


def is_upright(situation: Situation, cube: SeenObject) -> bool:
    return is_flat(situation, cube) and cube.is_upright


def is_on_side(situation: Situation, cube: SeenObject) -> bool:
    return is_flat(situation, cube) and not cube.is_upright


def is_below(situation: Situation, cube: SeenObject) -> bool:
    """Tell whether a cube is the lowest of a stack."""
    return not cube.is_high and situation.body.sight.on(cube.name) is not None


def cubes_for(situation: Situation, purpose: str, choice: Choice) -> list[SeenObject]:
    """Return the cubes that fit, the nearest first, without those that it just failed with."""
    failed = situation.memory.get(purpose, {}).get("failed", {})
    here = situation.senses.pose
    found = [
        cube
        for cube in situation.body.sight.cubes
        if choice(situation, cube) and failed.get(cube.name, -math.inf) < situation.now
    ]
    return sorted(found, key=lambda one: math.hypot(one.place.x - here.x, one.place.y - here.y))


def why_not_use(
    *skills: Skill, cubes: int = 1, choice: Choice = is_free, what: str = "free"
) -> WhyNot:
    """Return a function that says why it cannot do something with so many cubes."""

    def why_too_few(situation: Situation, config: BehaviorConfig) -> str:
        seen = len(cubes_for(situation, config.id, choice))
        if seen < cubes:
            return f"it knows where {seen} {what} cubes are, and needs {cubes}: let it see them"
        return ""

    return first_of(why_unable(*skills), why_carrying, why_too_few)


async def handle(life: Life, skill: Skill, name: str = "", base: str = "") -> None:
    """Do something with a cube; one that it fails with is left alone for a while."""
    try:
        await life.body.use(skill, name, base)
    except RobotError as error:
        if error.reason not in _ENDED:
            failed = life.memory.setdefault("failed", {})
            pause = life.config.number("failedFor_s", FAILED_FOR)
            failed.update({one: life.now + pause for one in (name, base) if one})
        raise


async def chosen(life: Life, choice: Choice = is_free) -> SeenObject:
    """Return the cube that its file or a request names, or the nearest that fits, once it has
    turned to it. Raises ``RobotError``.
    """
    found = cubes_for(life.situation, life.config.id, choice)
    if name := life.config.text("object"):
        found = [one for one in life.sight.cubes if one.name == name]
    if not found:
        raise RobotError(Reason.NOT_SEEN, "the cube is gone: let its camera see it")
    await turn_to_object(life, found[0].name)
    return life.sight.objects.get(found[0].name, found[0])


@with_cube(
    "PickUpCube",
    triggers=clips("SparkPickupInitialCubeReaction", "ReactToBlockPickupSuccess"),
    why_not=why_not_use(Skill.PICK_UP),
)
async def pick_up(life: Life) -> None:
    """Picks up the nearest cube and keeps it."""
    cube = await chosen(life)
    await life.play("SparkPickupInitialCubeReaction")
    life.step(f"picks up {text_of(cube.name)}")
    await handle(life, Skill.PICK_UP, cube.name)
    await life.play("ReactToBlockPickupSuccess")
    life.needs.act("PickupCube")


@with_cube(
    "PickUpAndPutDownCube",
    triggers=clips("SparkPickupFinalCubeReaction"),
    why_not=why_not_use(Skill.PICK_UP, Skill.PUT_DOWN),
)
async def pick_up_and_put_down(life: Life) -> None:
    """Picks up a cube, carries it a little, and puts it down again."""
    cube = await chosen(life)
    life.step(f"picks up {text_of(cube.name)}")
    await handle(life, Skill.PICK_UP, cube.name)
    life.step("puts the cube down")
    await life.body.drive_distance(-_CARRY)
    await life.body.use(Skill.PUT_DOWN)
    await life.play("SparkPickupFinalCubeReaction")
    life.needs.act("PickupCube")


def _why_empty_handed(situation: Situation, _: BehaviorConfig) -> str:
    return "" if situation.senses.is_carrying else "it carries nothing"


@with_cube(
    "PutDownBlock",
    triggers=clips("PutDownBlockKeepAlive"),
    why_not=first_of(why_unable(Skill.PUT_DOWN), _why_empty_handed),
)
async def put_down_block(life: Life) -> None:
    """Backs off, puts down what it carries, and looks up to who was there last."""
    await life.body.drive_distance(-life.rng.uniform(0.045, 0.075), _RAM_SPEED)
    life.step("puts the cube down")
    await life.body.use(Skill.PUT_DOWN)
    await life.body.move_head(math.radians(-20.0))
    await life.body.drive_distance(-0.030, 0.060)
    await life.play("PutDownBlockKeepAlive")
    await turn_to_face(life)


@with_cube(
    "RollBlock",
    triggers=clips("RollBlockSuccess"),
    why_not=why_not_use(Skill.ROLL, choice=is_on_side, what="lying"),
)
async def roll_block(life: Life) -> None:
    """Rolls a cube until it stands upright."""
    cube = await chosen(life, is_on_side)
    life.step(f"rolls {text_of(cube.name)}")
    await handle(life, Skill.ROLL, cube.name)
    await life.play("RollBlockSuccess")
    life.needs.act("RollACube")


@with_cube(
    "StackBlocks",
    triggers=clips("StackBlocksSuccess"),
    why_not=why_not_use(Skill.STACK, cubes=2, choice=is_flat),
    goals=frozenset({"StackedBlock"}),
)
async def stack_blocks(life: Life) -> None:
    """Puts a cube on another one."""
    cube = await chosen(life, is_flat)
    found = cubes_for(life.situation, life.config.id, is_flat)
    others = [one.name for one in found if one.name != cube.name]
    if not others:
        raise RobotError(Reason.NOT_SEEN, "the other cube is gone: let its camera see it")
    life.step(f"stacks {text_of(cube.name)} on {text_of(others[0])}")
    await handle(life, Skill.STACK, cube.name, others[0])
    await life.play("StackBlocksSuccess")
    life.reach("StackedBlock")


@behavior(
    "PopAWheelie",
    triggers=clips("PopAWheelieInitial", "SuccessfulWheelie", "PopAWheelieRealign"),
    why_not=why_not_use(Skill.WHEELIE, choice=is_upright, what="upright"),
    drives=True,
    # It tips over and lies on its back in the end: that is no accident.
    locks=IN_USE
    | file_names(
        {
            Trigger.ROBOT_ON_BACK,
            Trigger.ROBOT_PICKED_UP,
            Trigger.ROBOT_PLACED_ON_SLOPE,
            Trigger.UNEXPECTED_MOVEMENT,
        }
    ),
    goals=frozenset({"PoppedWheelie"}),
)
async def pop_a_wheelie(life: Life) -> None:
    """Climbs up a cube until it lies on its back, and is proud of it."""
    cube = await chosen(life, is_upright)
    await life.play("PopAWheelieInitial")
    life.step(f"pops a wheelie at {text_of(cube.name)}")
    try:
        await handle(life, Skill.WHEELIE, cube.name)
    except RobotError as error:
        if error.reason is Reason.MISSED:
            await life.play("PopAWheelieRealign")
        raise
    await life.play("SuccessfulWheelie", is_body_still=True)
    life.needs.act("PopAWheelie")
    life.reach("PoppedWheelie")


def height_of_stack(situation: Situation, name: str) -> int:
    """Return how many cubes stand on each other, from this one on."""
    count, upper = 1, situation.body.sight.on(name)
    while upper is not None and count < 4:
        count, upper = count + 1, situation.body.sight.on(upper.name)
    return count


def stacks(situation: Situation, least: int) -> list[SeenObject]:
    """Return the lowest cubes of stacks of at least so many, the nearest first."""
    found = cubes_for(situation, "", is_below)
    return [one for one in found if height_of_stack(situation, one.name) >= least]


def _why_no_stack(situation: Situation, config: BehaviorConfig) -> str:
    least = _least_height(config)
    return "" if stacks(situation, least) else f"it sees no stack of {least} cubes"


def _least_height(config: BehaviorConfig) -> int:
    return max(2, int(config.number("minimumStackHeight", 3)))


@behavior(
    "KnockOverCubes",
    triggers=clips("KnockOverGrabAttempt", "KnockOverSuccess", "KnockOverFailure"),
    why_not=first_of(why_unable(Skill.KNOCK_OVER), why_carrying, _why_no_stack),
    drives=True,
    locks=IN_USE | file_names({Trigger.UNEXPECTED_MOVEMENT}),
    goals=frozenset({"KnockedOverBlocks"}),
)
async def knock_over(life: Life) -> None:
    """Lets a stack fall, in up to three attempts."""
    for attempt in range(1, _KNOCKS + 1):
        found = stacks(life.situation, 2 if attempt > 1 else _least_height(life.config))
        if not found:
            break
        await turn_to_object(life, found[0].name)
        await life.play("KnockOverGrabAttempt")
        life.step(f"knocks over a stack, attempt {attempt}")
        try:
            await handle(life, Skill.KNOCK_OVER, found[0].name)
        except RobotError as error:
            if error.reason is not Reason.MISSED or attempt == _KNOCKS:
                await life.play("KnockOverFailure")
                raise
        else:
            await life.play("KnockOverSuccess")
            life.reach("KnockedOverBlocks")
            return
    await life.play("KnockOverFailure")


def _target(situation: Situation) -> SeenObject | None:
    objects = situation.body.sight.objects
    named = objects.get(situation.out_of_reach)
    nearest: Sequence[SeenObject] = cubes_for(situation, "", is_free)
    return named or next(iter(nearest), None)


def _why_not_ram(situation: Situation, _: BehaviorConfig) -> str:
    return "" if _target(situation) is not None else "it knows of no cube in its way"


@behavior(
    "RamIntoBlock",
    triggers=clips("SoundOnlyRamIntoBlock"),
    why_not=_why_not_ram,
    drives=True,
    locks=IN_USE | file_names({Trigger.UNEXPECTED_MOVEMENT}),
)
async def ram_into_block(life: Life) -> None:
    """Pushes a cube that no path leads to, so that it lies otherwise."""
    target = _target(life.situation)
    if target is None:
        return
    x, y = target.place.x, target.place.y
    if life.senses.is_carrying:
        # Away from what is in the way.
        await life.body.turn(math.copysign(math.pi / 2, -bearing_to(life, x, y)))
        await life.body.use(Skill.PUT_DOWN)
        return
    await turn_to_object(life, target.name)
    await life.body.move_lift(LIFT_LOW)
    life.step(f"rams {text_of(target.name)}")
    try:
        await life.body.drive_distance(distance_to(life, x, y), _RAM_SPEED)
    except RobotError as error:
        if error.reason is not Reason.BLOCKED:
            raise
    await life.play("SoundOnlyRamIntoBlock", is_body_still=True)
    await life.body.drive_distance(_BACK, _RAM_SPEED)
