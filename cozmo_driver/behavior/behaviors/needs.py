"""Behaviours that show a need (spec 12 §3, §6)."""

from __future__ import annotations

import math

from ..behavior import Life, Situation, behavior
from ..body import ActionFailed
from ..config import BehaviorConfig
from .clips import clips_of, try_light, why_no_clip
from .roaming import drive_or_turn_away

_ALARM, _PAUSE = 8.0, 0.5


def _why_not_express(situation: Situation, config: BehaviorConfig) -> str:
    need, bracket = config.text("need"), config.text("needBracket")
    if bracket and situation.needs.bracket(need) != bracket:
        return f"its need {need} is {situation.needs.bracket(need)}, not {bracket}"
    cooldown = config.graph("cooldown")
    at = situation.memory.get(config.id, {}).get("at", -math.inf)
    if cooldown is not None:
        left = at + cooldown(situation.needs.level(need)) - situation.now
        if left > 0:
            return f"it told of its need a moment ago; again in {left:.0f} s"
    return why_no_clip(situation, clips_of(config))


@behavior("ExpressNeeds", triggers=clips_of, why_not=_why_not_express, on_charger=True)
async def express_needs(life: Life) -> None:
    """Shows what it lacks, the more often the more it lacks it."""
    life.memory["at"] = life.now
    await life.play(*clips_of(life.config))


def _why_not_changed(situation: Situation, config: BehaviorConfig) -> str:
    bracket = situation.needs.bracket(config.text("need"))
    memory = situation.memory.setdefault(config.id, {})
    if memory.setdefault("bracket", bracket) == bracket:
        return f"its need {config.text('need')} is {bracket} as before"
    return why_no_clip(situation, clips_of(config))


@behavior("PlayAnimOnNeedsChange", triggers=clips_of, why_not=_why_not_changed, on_charger=True)
async def play_on_change(life: Life) -> None:
    """Shows that a need became another."""
    life.memory["bracket"] = life.needs.bracket(life.config.text("need"))
    await life.play(*clips_of(life.config))


def _request(config: BehaviorConfig) -> tuple[str, ...]:
    trigger = config.text("requestAnimTrigger")
    return (trigger,) if trigger else ()


@behavior("DriveInDesperation", triggers=_request, drives=True)
async def drive_in_desperation(life: Life) -> None:
    """Drives about without a plan, stops, and asks for what it lacks."""
    config = life.config
    low = config.number("minTimeToIdle", 1.0)
    idle = life.rng.uniform(low, max(low, config.number("maxTimeToIdle", 3.0)))
    life.step("despairs")
    await life.wait(idle)
    profile = config.values.get("motionProfile")
    speed = profile.get("speed_mmps") if isinstance(profile, dict) else None
    pace = float(speed) / 1000 if isinstance(speed, (int, float)) else 0.1
    for _ in range(life.rng.randint(1, 3)):
        if not life.may_drive():
            break
        side = life.rng.choice((-1.0, 1.0))
        await life.body.turn(side * math.radians(life.rng.uniform(50.0, 150.0)))
        await drive_or_turn_away(life, life.rng.uniform(0.04, 0.1), min(0.15, max(0.02, pace)))
    await life.play(*_request(config))


_REWARD = 1.0


def _earned(config: BehaviorConfig) -> tuple[str, ...]:
    return clips_of(config) or ("EarnedSparks",)


def _why_not_earned(situation: Situation, config: BehaviorConfig) -> str:
    earned, wanted = situation.needs.earned_sparks, config.number("sparksNeeded", _REWARD)
    if earned < wanted:
        return f"it has earned {earned:.2f} of {wanted:g} sparks"
    return why_no_clip(situation, _earned(config))


@behavior("EarnedSparks", triggers=_earned, why_not=_why_not_earned, on_charger=True)
async def earned_sparks(life: Life) -> None:
    """Is proud of what it has earned by its doings."""
    life.needs.take_reward()
    await life.play(*_earned(life.config))


def _sparked(config: BehaviorConfig) -> tuple[str, ...]:
    return clips_of(config) or ("ReactToSparked",)


@behavior("ReactToSparked", triggers=_sparked, on_charger=True)
async def react_to_sparked(life: Life) -> None:
    """Is delighted that somebody asks for something."""
    await life.play(*_sparked(life.config))


def _alarm(config: BehaviorConfig) -> tuple[str, ...]:
    return clips_of(config) or ("SparksFireTruckAlarm",)


@behavior("SparksFireTruckAlarm", triggers=_alarm, on_charger=True)
async def fire_truck_alarm(life: Life) -> None:
    """Is a fire engine: lights on its back and its cubes, and the sound of its clips."""
    cubes = [cube.factory_id for cube in life.body.cubes if cube.is_connected]
    ends_at = life.now + life.config.number("duration_s", _ALARM)
    life.step("is a fire engine")
    try:
        life.body.light_backpack(life.config.text("backpackLights", "warning"))
        for cube in cubes:
            try_light(life, cube, life.config.text("cubeLights", "Failure"))
        while life.now < ends_at:
            began = life.now
            await life.play(*_alarm(life.config))
            await life.wait(_PAUSE if life.now == began else 0.0)
    finally:
        life.body.light_backpack("")
        for cube in cubes:
            life.body.light_cube(cube, "")


def _why_not_say(situation: Situation, config: BehaviorConfig) -> str:
    if not config.texts("phrases"):
        return "it has no phrases"
    return "it is a quiet hour" if situation.manners.is_quiet_hour else ""


@behavior("Speak", why_not=_why_not_say, on_charger=True)
async def speak(life: Life) -> None:
    """Says one of the file's phrases; without a speech program it is no failure, but silent."""
    try:
        await life.body.say(life.rng.choice(life.config.texts("phrases")))
    except ActionFailed as error:
        life.step(f"cannot speak: {error}")


CLASSES = (
    express_needs,
    play_on_change,
    drive_in_desperation,
    earned_sparks,
    react_to_sparked,
    fire_truck_alarm,
    speak,
)
