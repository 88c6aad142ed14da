"""Games, tricks, songs and people: what the tab Live asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..behavior import GAMES
from .robot_port import Answer
from .view import Values, View, text_of

GAME, TRICK, MUSIC, MEETING = "game", "trick", "music", "meeting"
"""What of it goes on, by ``View.running``."""
_LONGEST_DANCE = 120.0


async def games(view: View, _: Values) -> Answer:
    """List the games, with what each of them lacks now."""
    names = ("game", "about", "levels", "can_be_solo", "most_players", "is_playable")
    answer = await _listed(view, "list_games", "games", names)
    single = {name for name, rules in GAMES.items() if not rules.has_rounds}
    listed = [{**one, "has_rounds": one["game"] not in single} for one in answer.fields["games"]]
    return Answer(answer.success, answer.message, {"games": listed})


async def tricks(view: View, _: Values) -> Answer:
    """List the tricks, with what each of them lacks now."""
    names = ("trick", "about", "takes_object", "is_possible")
    return await _listed(view, "list_tricks", "tricks", names)


async def songs(view: View, _: Values) -> Answer:
    answer = await view.robot.call("list_songs", filter="")
    fields = answer.fields
    pairs = zip(fields.get("names", ()), fields.get("titles", ()), strict=False)
    return Answer(answer.success, answer.message, {"songs": [[name, text] for name, text in pairs]})


async def people(view: View, _: Values) -> Answer:
    answer = await view.robot.call("list_faces")
    fields = answer.fields
    known = {
        "names": list(fields.get("names", ())),
        "can_recognize": bool(fields.get("can_recognize", False)),
    }
    return Answer(answer.success, answer.message, known)


async def play_game(view: View, values: Values) -> Answer:
    goal = view.do(
        "play_game",
        moves=True,
        game=text_of(values["game"]),
        level=_count(values.get("level", 1)),
        rounds=_count(values.get("rounds", 0)),
        players=_count(values.get("players", 1)),
        is_solo=bool(values.get("is_solo", False)),
    )
    return await view.running[GAME].run(goal)


async def answer_game(view: View, values: Values) -> Answer:
    is_yes = bool(values["is_accepted"])
    level = _count(values.get("level", 0))
    return await view.call("answer_game", moves=is_yes, is_accepted=is_yes, level=level)


async def do_trick(view: View, values: Values) -> Answer:
    fields = {"trick": text_of(values["trick"]), "object": text_of(values.get("object", ""))}
    return await view.running[TRICK].run(view.do("do_trick", moves=True, **fields))


async def sing(view: View, values: Values) -> Answer:
    """Sing a song by name: a page names no files."""
    song = text_of(values["song"])
    if "/" in song:
        return Answer(False, f"{song[:40]!r} is no name of a song")
    return await view.running[MUSIC].run(view.do("sing", moves=True, song=song))


async def dance(view: View, values: Values) -> Answer:
    bpm, duration = float(values["bpm"]), float(values["duration"])
    if not 0.0 < duration <= _LONGEST_DANCE:
        return Answer(False, f"a dance takes up to {_LONGEST_DANCE:g} s")
    return await view.running[MUSIC].run(view.do("dance", moves=True, bpm=bpm, duration=duration))


async def meet(view: View, values: Values) -> Answer:
    fields = {"name": text_of(values["name"]), "has_agreed": bool(values["has_agreed"])}
    return await view.running[MEETING].run(view.do("meet_person", moves=True, **fields))


async def forget(view: View, values: Values) -> Answer:
    name = text_of(values["name"])
    if not name:  # for the service that is everybody
        return Answer(False, "choose whom to forget")
    return await view.call("forget_face", name=name)


def _count(value: Any) -> int:
    """Return a number that a field of a byte takes. Raises ``ValueError``."""
    if not isinstance(value, int) or not 0 <= value <= 255:
        raise ValueError(f"a whole number is needed, not {value!r}")
    return value


async def _listed(view: View, service: str, field: str, names: Sequence[str]) -> Answer:
    answer = await view.robot.call(service)
    found: Sequence[Any] = answer.fields.get(field, ())
    listed: list[Mapping[str, Any]] = [
        {**{name: getattr(one, name) for name in names}, "missing": list(one.missing)}
        for one in found
    ]
    return Answer(answer.success, answer.message, {field: listed})
