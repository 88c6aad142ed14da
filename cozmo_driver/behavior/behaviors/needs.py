"""Behaviours that show a need (spec 12 §3, §6)."""

from __future__ import annotations

import math

from ..behavior import Life, Situation, behavior
from ..body import ActionFailed
from ..config import BehaviorConfig
from .clips import clips_of, why_no_clip
from .roaming import drive_or_turn_away


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


CLASSES = (express_needs, play_on_change, drive_in_desperation, speak)
