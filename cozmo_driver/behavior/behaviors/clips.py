"""Behaviours that play clips: any, requested ones, songs, dances, needs (spec 12 §3, §6)."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...robot import RobotError
from ..behavior import Life, Situation, WhyNot, behavior
from ..config import BehaviorConfig
from ..triggers import DISABLED_BY, Trigger, file_names

_PAUSE = 5.0
_ALARM, _ALARM_PAUSE = 8.0, 0.5
_REWARD = 1.0
_PROUD_AGAIN = 900.0
"""s from one time to the next that it shows how proud it is of sparks."""


def clips(*triggers: str) -> Callable[[BehaviorConfig], tuple[str, ...]]:
    """Return a function that makes a class play these, whatever its file says."""
    return lambda _: triggers


def clips_or(*triggers: str) -> Callable[[BehaviorConfig], tuple[str, ...]]:
    """Return a function that makes a class play those of its file, or else these."""
    return lambda config: config.texts("animTriggers") or triggers


clips_of = clips_or()


def why_no_clip(situation: Situation, triggers: tuple[str, ...]) -> str:
    if not triggers:
        return "it names no animation trigger"
    if not any(map(situation.body.has_clip, triggers)):
        return f"there is no clip for {', '.join(triggers)}"
    return ""


def why_mute(triggers: Callable[[BehaviorConfig], tuple[str, ...]]) -> WhyNot:
    return lambda situation, config: why_no_clip(situation, triggers(config))


async def play_first(life: Life, *triggers: str) -> None:
    """Play the first of these that there is a clip for."""
    await life.play(*[one for one in triggers if life.body.has_clip(one)][:1])


async def _play_all(life: Life, triggers: tuple[str, ...]) -> None:
    for _ in range(max(1, int(life.config.number("num_loops", 1)))):
        await life.play(*triggers)


def light_cubes(life: Life, trigger: str) -> None:
    for cube in life.body.cubes:
        if cube.is_connected:
            try_light(life, cube.factory_id, trigger)


@behavior("PlayAnim", triggers=clips_of, why_not=why_mute(clips_of), on_charger=True)
async def play_anim(life: Life) -> None:
    """Plays its clips in order."""
    await _play_all(life, clips_of(life.config))


@behavior(
    "PlayArbitraryAnim",
    triggers=clips_of,
    why_not=lambda situation, config: why_no_clip(
        situation, situation.arguments or clips_of(config)
    ),
    on_charger=True,
)
async def play_arbitrary(life: Life) -> None:
    """Plays the clips that it was asked for."""
    await _play_all(life, life.situation.arguments or clips_of(life.config))


@behavior("Wait", on_charger=True, off_treads=True)
async def wait(life: Life) -> None:
    """Does nothing for 5 s."""
    life.step("waits")
    await life.wait(life.config.number("seconds", _PAUSE))


_song = clips_or("SingingGetIn", "Sing", "SingingGetOut")


def _why_not_loud(situation: Situation, _: BehaviorConfig) -> str:
    return "it is a quiet hour" if situation.constraints.is_quiet_hour else ""


@behavior(
    "Singing",
    triggers=_song,
    why_not=_why_not_loud,
    on_charger=True,
    # Who shakes a cube bends the voice.
    locks=file_names({Trigger.CUBE_MOVED, Trigger.CUBE_TAPPED}),
)
async def sing(life: Life) -> None:
    """Sings a song, that of its file or any; cubes nearby shine on its beat."""
    get_in, *others = _song(life.config)
    await life.play(get_in)
    life.step("sings")
    await life.body.sing(life.config.text("song"))
    await life.play(*others[-1:])
    life.mood.feel("Sang")


_dance = clips_or("Dance")


@behavior(
    "Dance", triggers=_dance, why_not=why_mute(_dance), locks=file_names(DISABLED_BY["Dance"])
)
async def dance(life: Life) -> None:
    """Dances to its own music, and the cubes have a party."""
    light_cubes(life, "Party")
    await _play_all(life, _dance(life.config))
    life.mood.feel("Danced")


def try_light(life: Life, factory_id: int, trigger: str) -> None:
    """Light a cube where there is such a pattern: a behaviour does not fail for a light."""
    try:
        life.body.light_cube(factory_id, trigger)
    except RobotError as error:
        life.step(str(error))


async def try_say(life: Life, text: str) -> None:
    """Speak where there is a speech program: a behaviour does not fail for a word."""
    try:
        await life.body.say(text)
    except RobotError as error:
        life.step(f"cannot speak: {error}")


def _why_not_express(situation: Situation, config: BehaviorConfig) -> str:
    need, bracket = config.text("need"), config.text("needBracket")
    if bracket and situation.inner.bracket(need) != bracket:
        return f"its need {need} is {situation.inner.bracket(need)}, not {bracket}"
    cooldown = config.graph("cooldown")
    at = situation.memory.get(config.id, {}).get("at", -math.inf)
    if cooldown is not None:
        left = at + cooldown(situation.inner.level(need)) - situation.now
        if left > 0:
            return f"it showed its need a moment ago; again in {left:.0f} s"
    return why_no_clip(situation, clips_of(config))


@behavior("ExpressNeeds", triggers=clips_of, why_not=_why_not_express, on_charger=True)
async def express_needs(life: Life) -> None:
    """Shows what it lacks, the more often the more it lacks it."""
    life.memory["at"] = life.now
    await life.play(*clips_of(life.config))


def _why_not_changed(situation: Situation, config: BehaviorConfig) -> str:
    bracket = situation.inner.bracket(config.text("need"))
    memory = situation.memory.setdefault(config.id, {})
    if memory.setdefault("bracket", bracket) == bracket:
        return f"its need {config.text('need')} is {bracket} as before"
    return why_no_clip(situation, clips_of(config))


@behavior("PlayAnimOnNeedsChange", triggers=clips_of, why_not=_why_not_changed, on_charger=True)
async def play_on_change(life: Life) -> None:
    """Shows that a need became another."""
    life.memory["bracket"] = life.needs.bracket(life.config.text("need"))
    await life.play(*clips_of(life.config))


_earned = clips_or("EarnedSparks")


def _why_not_earned(situation: Situation, config: BehaviorConfig) -> str:
    earned, wanted = situation.inner.needs.earned_sparks, config.number("sparksNeeded", _REWARD)
    if earned < wanted:
        return f"it has earned {earned:.2f} of {wanted:g} sparks"
    if (left := situation.pause_left(config.id)) > 0:
        return f"it has shown how proud it is; again in {left:.0f} s"
    return why_no_clip(situation, _earned(config))


@behavior("EarnedSparks", triggers=_earned, why_not=_why_not_earned, on_charger=True)
async def earned_sparks(life: Life) -> None:
    """Is proud of what it has earned by its doings."""
    life.situation.inner.needs.earned_sparks = 0.0
    life.pause(_PROUD_AGAIN)
    await life.play(*_earned(life.config))


_sparked = clips_or("ReactToSparked")


@behavior("ReactToSparked", triggers=_sparked, on_charger=True)
async def react_to_sparked(life: Life) -> None:
    """Is delighted that somebody asks for something."""
    await life.play(*_sparked(life.config))


_alarm = clips_or("SparksFireTruckAlarm")


@behavior("SparksFireTruckAlarm", triggers=_alarm, on_charger=True)
async def fire_truck_alarm(life: Life) -> None:
    """Is a fire engine: lights on its back and its cubes, and the sound of its clips."""
    ends_at = life.now + life.config.number("duration_s", _ALARM)
    life.step("is a fire engine")
    life.body.light_backpack(life.config.text("backpackLights", "warning"))
    light_cubes(life, life.config.text("cubeLights", "Failure"))
    while life.now < ends_at:
        began = life.now
        await life.play(*_alarm(life.config))
        await life.wait(_ALARM_PAUSE if life.now == began else 0.0)


def _why_not_say(situation: Situation, config: BehaviorConfig) -> str:
    if not config.texts("phrases"):
        return "it has no phrases"
    return _why_not_loud(situation, config)


@behavior("Speak", why_not=_why_not_say, on_charger=True)
async def speak(life: Life) -> None:
    """Says one of the file's phrases; without a speech program it is no failure, but silent."""
    await try_say(life, life.rng.choice(life.config.texts("phrases")))
