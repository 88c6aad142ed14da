"""What it does about cubes that it sees, or sees no longer; it touches none (spec 17 §1.2)."""

from __future__ import annotations

import math

from ...robot import CubeEvent, CubeEventType
from ..behavior import BehaviorClass, Life, Situation, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import NAMES, SeenObject, Sense
from ..triggers import Trigger, file_names
from .clips import clips, clips_of
from .cube_handling import height_of_stack, stacks
from .cube_play import react_to_move_unseen, why_no_cube
from .looking import (
    HEAD_SPEED,
    first_of,
    look_at,
    point_of,
    text_of,
    turn_to_object,
    why_blind,
    why_unable,
)

_MOST_TURN = math.radians(45.0)
_MOMENT = 0.5
_JUST_NOW = 3.0
_LOOK_DOWN, _LOOK_UP = math.radians(-25.0), math.radians(44.0)
_MOVED = 0.020
"""m that a cube of a tall stack moves until the stack is another one."""
_CHECKED_EVERY, _REARMED = 15.0, 100.0
_CONFIG_FRESH = 5.0
_CUBE = 0.044
_PYRAMID_REACH = 0.075
"""m from a cube to the one that stands on it and on the next one, at most."""
_MET = "acknowledged"


def _newest(life: Life) -> SeenObject | None:
    """Return the cube in sight that it has looked at the longest ago."""
    met = life.memory.setdefault(_MET, {})
    visible = [one for one in life.sight.cubes if one.is_visible]
    return min(visible, key=lambda one: met.get(one.name, -math.inf), default=None)


@behavior(
    "AcknowledgeObject",
    triggers=clips("AcknowledgeObject"),
    on_charger=True,
    goals=frozenset({"ReactedAcknowledgedObject"}),
)
async def acknowledge_object(life: Life) -> None:
    """Turns to each cube in sight that is new or elsewhere, and is curious."""
    if Sense.OBJECTS not in life.sight.looks_for:
        await life.play("AcknowledgeObject")
        return
    for _ in range(3):
        cube = _newest(life)
        if cube is None or life.memory[_MET].get(cube.name, -math.inf) >= life.started_at:
            return
        life.memory[_MET][cube.name] = life.now
        if await turn_to_object(life, cube.name, _MOST_TURN) is None:
            life.step(f"does not see {text_of(cube.name)} any more")
            continue
        await life.play("AcknowledgeObject")
        life.reach("ReactedAcknowledgedObject")


@behavior(
    "ReactToCubeMoved",
    triggers=clips("CubeMovedSense", "AcknowledgeObject", "CubeMovedUpset", "Curiosity"),
    why_not=why_no_cube,
    on_charger=True,
)
async def react_to_cube_moved(life: Life) -> None:
    """Looks where a cube was that somebody moved behind its back; it is upset where it is gone."""
    events: list[CubeEvent] = life.events(
        CubeEventType.MOVED, CubeEventType.UP_AXIS_CHANGED, before=_JUST_NOW
    )
    name = next((NAMES.get(event.cube.kind, "") for event in reversed(events)), "")
    seen = life.sight.objects.get(name)
    if seen is None:
        await react_to_move_unseen(life)
        return
    await life.play("CubeMovedSense")
    await life.wait(_MOMENT)
    is_there = await turn_to_object(life, name) is not None
    await life.wait(_MOMENT)
    await life.play("AcknowledgeObject" if is_there else "CubeMovedUpset")


def _tall(situation: Situation, config: BehaviorConfig) -> SeenObject | None:
    least = int(config.number("minimumStackHeight", 3))
    return next(iter(stacks(situation, least)), None)


def _why_not_tall(situation: Situation, config: BehaviorConfig) -> str:
    base = _tall(situation, config)
    if base is None:
        return "it sees no tall stack"
    shown = situation.memory.get(config.id, {}).get("shown")
    if shown is not None and math.dist((shown.x, shown.y), (base.place.x, base.place.y)) < _MOVED:
        return "it has shown that this stack is too tall"
    return ""


@behavior(
    "CantHandleTallStack",
    triggers=clips("CantHandleTallStack"),
    why_not=first_of(why_blind(Sense.OBJECTS), _why_not_tall),
)
async def cant_handle_tall_stack(life: Life) -> None:
    """Looks a stack up and down, and finds it too tall."""
    base = _tall(life.situation, life.config)
    if base is None:
        return
    life.memory["shown"] = base.place
    await look_at(life, point_of(base))
    for angle in (_LOOK_DOWN, _LOOK_UP):
        await life.wait(1.0)
        await life.body.move_head(angle, HEAD_SPEED / 2)
    await life.wait(1.0)
    await life.play("CantHandleTallStack")


def _why_checked(situation: Situation, config: BehaviorConfig) -> str:
    if not situation.body.sight.cubes:
        return "it knows of no cube"
    left = situation.pause_left(config.id)
    return f"it looked a moment ago; again in {left:.0f} s" if left > 0 else ""


@behavior("CheckForStackAtInterval", why_not=first_of(why_blind(Sense.OBJECTS), _why_checked))
async def check_for_stack(life: Life) -> None:
    """Looks whether something stands on a cube that it knows of, and turns back."""
    life.pause(life.config.number("delayBetweenChecks_s", _CHECKED_EVERY))
    here, head = life.senses.pose, life.senses.head_angle
    lower = [one for one in life.sight.cubes if not one.is_high]
    cube = min(lower, key=lambda one: -one.seen_at, default=None)
    if cube is None:
        return
    life.step(f"looks above {text_of(cube.name)}")
    x, y, z = point_of(cube)
    await look_at(life, (x, y, z + _CUBE))
    await life.wait(1.0)
    if life.may_drive():
        await life.body.turn(math.remainder(here.yaw - life.senses.pose.yaw, 2 * math.pi) or 0.02)
    await life.body.move_head(head, HEAD_SPEED)


def pyramid_top(situation: Situation) -> SeenObject | None:
    """Return a cube that stands on two others."""
    cubes = situation.body.sight.cubes
    for top in cubes:
        below = [
            one
            for one in cubes
            if not one.is_high
            and math.dist((one.place.x, one.place.y), (top.place.x, top.place.y)) < _PYRAMID_REACH
        ]
        if top.is_high and len(below) == 2 and height_of_stack(situation, below[0].name) < 3:
            a, b = (one.place for one in below)
            if (
                math.dist(((a.x + b.x) / 2, (a.y + b.y) / 2), (top.place.x, top.place.y))
                < _CUBE / 2
            ):
                return top
    return None


def _configuration(situation: Situation, wanted: str) -> SeenObject | None:
    """Return the cube by which a configuration is known; ``wanted`` empty for any."""
    if wanted in ("", "pyramid") and (top := pyramid_top(situation)) is not None:
        return top
    if wanted in ("", "stack"):
        return next(iter(stacks(situation, 2)), None)
    return None


def _why_no_config(situation: Situation, config: BehaviorConfig) -> str:
    wanted = config.text("configuration")
    seen = _configuration(situation, wanted)
    if seen is None:
        return f"it sees no {wanted or 'stack and no pyramid'}"
    if situation.now - seen.seen_at > _CONFIG_FRESH:
        return "it saw that too long ago"
    left = situation.pause_left(config.id)
    return f"it has seen that; again in {left:.0f} s" if left > 0 else ""


def _on_config(name: str, wanted: str, about: str) -> BehaviorClass:
    """Return a class that plays its clips once it sees a configuration."""

    def why_not(situation: Situation, config: BehaviorConfig) -> str:
        values = {"configuration": wanted, **config.values} if wanted else config.values
        one = BehaviorConfig(config.id, config.class_name, config.source, values)
        return why_blind(Sense.OBJECTS)(situation, one) or _why_no_config(situation, one)

    async def run(life: Life) -> None:
        life.pause(life.config.number("rearm_s", _REARMED))
        life.step(f"sees a {wanted or 'configuration of cubes'}")
        await life.play(*clips_of(life.config))

    run.__doc__ = about
    return behavior(name, triggers=clips_of, why_not=why_not)(run)


on_config_seen = _on_config(
    "OnConfigSeen", "", "Plays its clips when it sees a stack or a pyramid."
)
react_to_pyramid = _on_config("ReactToPyramid", "pyramid", "Takes notice of a pyramid.")
react_to_stack = _on_config("ReactToStackOfCubes", "stack", "Takes notice of a stack.")


def _possible(situation: Situation) -> SeenObject | None:
    """Return the nearest cube of which it is not sure where it is."""
    here = situation.senses.pose
    unsure = [one for one in situation.body.sight.cubes if not one.is_sure and not one.is_moving]
    return min(
        unsure,
        key=lambda one: math.hypot(one.place.x - here.x, one.place.y - here.y),
        default=None,
    )


def _why_nothing_possible(situation: Situation, _: BehaviorConfig) -> str:
    return "" if _possible(situation) else "it is sure of every cube that it knows of"


@behavior(
    "ExploreVisitPossibleMarker",
    triggers=clips("AcknowledgeObject"),
    why_not=first_of(why_blind(Sense.OBJECTS), why_unable(Skill.GO_TO), _why_nothing_possible),
    drives=True,
    locks=file_names({Trigger.OBJECT_POSITION_UPDATED}),
)
async def visit_possible_marker(life: Life) -> None:
    """Goes to a cube that it saw from afar, to see it from near."""
    cube = _possible(life.situation)
    if cube is None:
        return
    life.step(f"goes to look at {text_of(cube.name)}")
    await life.body.use(Skill.GO_TO, cube.name)
    await life.until(lambda: life.sight.objects.get(cube.name, cube).is_sure, 1.0)
    await life.play("AcknowledgeObject")
