"""Behaviours that play clips: any, requested ones, songs, dances (spec 12 §6)."""

from __future__ import annotations

from ..behavior import Life, Situation, behavior
from ..body import ActionFailed
from ..config import BehaviorConfig
from ..reactions.locks import DISABLED_BY, file_names

_PAUSE = 5.0


def clips_of(config: BehaviorConfig) -> tuple[str, ...]:
    """Return the triggers of the file."""
    return config.texts("animTriggers")


def why_no_clip(situation: Situation, triggers: tuple[str, ...]) -> str:
    """Say that nothing of it could be played; empty where something can."""
    if not triggers:
        return "it names no animation trigger"
    if not any(map(situation.body.knows, triggers)):
        return f"there is no clip for {', '.join(triggers)}"
    return ""


def _why_not_play(situation: Situation, config: BehaviorConfig) -> str:
    return why_no_clip(situation, clips_of(config))


async def _play_all(life: Life, triggers: tuple[str, ...]) -> None:
    for _ in range(max(1, int(life.config.number("num_loops", 1)))):
        await life.play(*triggers)


@behavior("PlayAnim", triggers=clips_of, why_not=_why_not_play, on_charger=True)
async def play_anim(life: Life) -> None:
    """Plays its clips in order."""
    await _play_all(life, clips_of(life.config))


@behavior("PlayAnimWithFace", triggers=clips_of, why_not=_why_not_play, on_charger=True)
async def play_anim_with_face(life: Life) -> None:
    """Plays its clips; without somebody's face to turn to, where it looks."""
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


def _song(config: BehaviorConfig) -> tuple[str, ...]:
    return clips_of(config) or ("SingingGetIn", "Sing", "SingingGetOut")


@behavior(
    "Singing",
    triggers=_song,
    why_not=lambda situation, config: why_no_clip(situation, _song(config)),
    on_charger=True,
)
async def sing(life: Life) -> None:
    """Sings; cubes nearby shine with it."""
    await _perform(life, _song(life.config), "Interacting")
    life.mood.feel("Sang")


def _dance(config: BehaviorConfig) -> tuple[str, ...]:
    return clips_of(config) or ("Dance",)


@behavior(
    "Dance",
    triggers=_dance,
    why_not=lambda situation, config: why_no_clip(situation, _dance(config)),
    locks=file_names(DISABLED_BY["Dance"]),
)
async def dance(life: Life) -> None:
    """Dances to its own music, and the cubes have a party."""
    await _perform(life, _dance(life.config), "Party")
    life.mood.feel("Danced")


async def _perform(life: Life, triggers: tuple[str, ...], light: str) -> None:
    """Play clips while all cubes shine in a pattern."""
    cubes = [cube for cube in life.body.cubes if cube.is_connected]
    try:
        for cube in cubes:
            try_light(life, cube.factory_id, light)
        await _play_all(life, triggers)
    finally:
        for cube in cubes:
            life.body.light_cube(cube.factory_id, "")


def try_light(life: Life, factory_id: int, trigger: str) -> None:
    """Light a cube where there is such a pattern: a behaviour does not fail for a light."""
    try:
        life.body.light_cube(factory_id, trigger)
    except ActionFailed as error:
        life.step(str(error))


CLASSES = (play_anim, play_anim_with_face, play_arbitrary, wait, sing, dance)
