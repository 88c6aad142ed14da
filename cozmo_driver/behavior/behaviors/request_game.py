"""Asks somebody to play, and plays if they want to (spec 17 §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...robot import CubeEvent, CubeEventType
from ..behavior import BehaviorClass, Life, Situation, behavior
from ..config import BehaviorConfig
from ..games import ANSWER_TIME, GAMES, GameAnswer, GameQuestion, pause_after
from ..triggers import DISABLED_BY, Trigger, file_names
from .clips import clips, play_first
from .cube_play import connected
from .game_table import blinking, check_begin, missing
from .play_guard_dog import guard_dog
from .play_keepaway import keepaway
from .play_memory_match import memory_match
from .play_quick_tap import quick_tap

_PLAYS: Mapping[str, BehaviorClass] = {
    "quick_tap": quick_tap,
    "memory_match": memory_match,
    "keepaway": keepaway,
    "guard_dog": guard_dog,
}
_APP_NAMES = {"quick_tap": "SpeedTap", "memory_match": "MemoryMatch", "keepaway": "KeepAway"}
_TEXTS = {
    "quick_tap": "shall we play Quick Tap?",
    "memory_match": "shall we play Memory Match?",
    "keepaway": "shall we play Keepaway?",
    "guard_dog": "will you try to trick me while I guard my cubes?",
}
_NOT_BEFORE, _DENIALS = "not_before", "denials"
_TAPS = (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED)
_ASK, _YES, _NO = "AskToPlay", "Success", "Failure"


def _playable(situation: Situation) -> list[str]:
    return [name for name, rules in GAMES.items() if not missing(situation, rules)]


def _why_not_ask(situation: Situation, config: BehaviorConfig) -> str:
    if not _playable(situation):
        return "no game could begin now: see list_games"
    left = situation.memory.get(config.id, {}).get(_NOT_BEFORE, situation.now) - situation.now
    return f"it has just asked; again in {left:.0f} s" if left > 0.0 else ""


@behavior(
    "RequestGameSimple",
    triggers=clips(_ASK, _YES, _NO),
    why_not=_why_not_ask,
    goals=frozenset({"PlayedGame"}),
    locks=file_names(DISABLED_BY["Games"] | {Trigger.CLIFF_DETECTED}),
    is_resumable=False,
    begins_again=False,
    with_somebody=True,
)
async def request_game(life: Life) -> None:
    """Asks for a game, and plays it with whoever taps a cube or says yes."""
    wanted = life.config.text("game")
    playable = _playable(life.situation)
    game = wanted if wanted in playable else life.rng.choice(playable)
    await play_first(life, f"RequestGame{_APP_NAMES.get(game, '')}Request0", _ASK)
    answer = await _ask(life, GameQuestion(game, _TEXTS[game]))
    memory = life.memory
    memory[_DENIALS] = 0 if answer.is_accepted else memory.get(_DENIALS, 0) + 1
    memory[_NOT_BEFORE] = life.now + pause_after(memory[_DENIALS])
    verdict = "Accept0" if answer.is_accepted else "Deny0"
    own = _YES if answer.is_accepted else _NO
    await play_first(life, f"RequestGame{_APP_NAMES.get(game, '')}{verdict}", own)
    if answer.is_accepted:
        rules, plays = GAMES[game], _PLAYS[game]
        check_begin(life.situation, rules)
        values = {**life.config.values, "level": answer.level, "playerCube": answer.player_cube}
        life.config = replace(life.config, id=rules.behavior, class_name=plays.name, values=values)
        await plays.run(life)


async def _ask(life: Life, question: GameQuestion) -> GameAnswer:
    """Return what somebody answers; silence is a no."""
    seen, _ = life.body.events.newer_than(life.body.events.total)
    cubes = connected(life.situation)
    for cube in cubes:
        life.body.light_cube(cube.factory_id, blinking("white", 1.0))
    life.step(question.text)
    life.situation.ask(question)

    def is_answered() -> bool:
        nonlocal seen
        seen, events = life.body.events.newer_than(seen)
        taps = (one for one in events if isinstance(one, CubeEvent) and one.type in _TAPS)
        if question.answer is None and (tap := next(taps, None)) is not None:
            question.answer = GameAnswer(True, player_cube=tap.cube.kind.value)
        return question.answer is not None

    try:
        await life.until(is_answered, life.config.number("minRequestDelay_s", ANSWER_TIME))
    finally:
        life.situation.ask(None)
        for cube in cubes:
            life.body.light_cube(cube.factory_id, "")
    return question.answer or GameAnswer(False)
