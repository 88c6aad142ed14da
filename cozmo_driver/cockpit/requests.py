"""What a page may ask for beside driving: a name, values, one answer. There is nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..face import EXPRESSIONS
from . import checkup, express, manage, play, pointing
from .robot_port import Answer
from .view import Values, View, text_of

Handler = Callable[[View, Values], Awaitable[Answer]]
_CLIP, _BEHAVIOR = "clip", "behavior"
_ANY = 0
"""``ListAnimations.Request.ANY``."""
_ON = 3
"""``PlaceCube.Goal.ON``."""
_PERSONALITY = "cozmo_behavior"
_DONE = Answer(True, "")
OBJECT_FIELDS: Mapping[str, str] = {
    "dock_charger": "",
    "go_to_object": "object",
    "pick_up_cube": "object",
    "place_cube": "object",
    "roll_cube": "object",
    "stack_cubes": "top",
}
"""Actions of manipulation, and where their goals name what was chosen."""
_NEEDS_CUBE = frozenset({"pick_up_cube", "roll_cube"})
"""Before these the robot looks around where it knows no cube."""


async def answer_to(view: View, name: str, values: Values) -> Answer:
    """Do what a page asks for. What makes no sense is a failure, too."""
    handler = REQUESTS.get(name)
    if handler is None:
        return Answer(False, f"pages cannot ask for {name[:40]!r}")
    try:
        answer = await handler(view, values)
    except KeyError as error:
        return Answer(False, f"{name}: {error} is missing or unknown")
    except (TypeError, ValueError, OverflowError) as error:
        return Answer(False, str(error))
    return answer if name in _QUESTIONS else Answer(answer.success, answer.message)


def _service(service: str, moves: bool = False, **fields: Callable[[Any], Any]) -> Handler:
    """Call a service with these fields of the page's values."""

    async def call(view: View, values: Values) -> Answer:
        given = {field: kind(values[field]) for field, kind in fields.items()}
        return await view.call(service, moves=moves, **given)

    return call


# -- personality


async def _enable(view: View, values: Values) -> Answer:
    is_on = bool(values["data"])
    return await view.call("behavior/enable", moves=is_on, data=is_on)


async def _behaviors(view: View, _: Values) -> Answer:
    answer = await view.robot.call("behavior/list", filter="")
    found = [one for one in answer.fields.get("behaviors", ()) if one.is_supported]
    names = ("reactions", "need_actions", "activities")
    fields: dict[str, Any] = {name: list(answer.fields.get(name, ())) for name in names}
    # With the reason why it does not run now, empty where it does.
    fields["behaviors"] = {one.behavior_id: one.message for one in found}
    fields["activity"] = await view.robot.parameter(_PERSONALITY, "activity") or ""
    return Answer(answer.success, answer.message, fields)


async def _run_behavior(view: View, values: Values) -> Answer:
    goal = view.do("behavior/run", moves=True, behavior_id=text_of(values["name"]), run_count=1)
    return await view.running[_BEHAVIOR].run(goal)


# -- clips and voice


async def _animations(view: View, _: Values) -> Answer:
    answer = await view.robot.call("list_animations", kind=_ANY)
    kinds = ("triggers", "groups", "clips")
    return Answer(
        answer.success,
        answer.message,
        {kind: list(answer.fields.get(kind, ())) for kind in kinds},
    )


async def _play(view: View, values: Values) -> Answer:
    goal = view.do("play_animation", moves=True, name=text_of(values["name"]))
    return await view.running[_CLIP].run(goal)


async def _say(view: View, values: Values) -> Answer:
    return await view.hub.sound.run(view.do("say", text=text_of(values["text"])))


async def _stop_sound(view: View, _: Values) -> Answer:
    view.hub.sound.cancel()
    return _DONE


def _end(what: str) -> Handler:
    async def end(view: View, _: Values) -> Answer:
        view.running[what].cancel()
        return _DONE

    return end


async def _expressions(_: View, __: Values) -> Answer:
    return Answer(True, "", {"names": [one.name for one in EXPRESSIONS]})


# -- goals


async def _manipulate(view: View, values: Values) -> Answer:
    action = values["action"]
    field = OBJECT_FIELDS[action]
    fields: dict[str, Any] = {field: text_of(values.get("object", ""))} if field else {}
    if values.get("on"):
        fields["target"] = _ON
    chosen = fields.get("object", "")

    def is_known() -> bool:
        cubes = [one for one in view.hub.latest("objects") or () if one["kind"] == "cube"]
        return any(one["is_sure"] and chosen in ("", one["name"]) for one in cubes)

    looks_for = is_known if action in _NEEDS_CUBE else None
    return await view.pursue_action(action, looks_for, **fields)


async def _look_around(view: View, _: Values) -> Answer:
    return await view.pursue_action("localize")


async def _cancel_goal(view: View, _: Values) -> Answer:
    view.hub.pursuit.cancel()
    return _DONE


async def _emulator(view: View, values: Values) -> Answer:
    fields = {name: value for name, value in values.items() if name != "do"}
    return await view.call("emulator", command=text_of(values["do"]), values=fields)


async def _set_of_personality(view: View, values: Values) -> Answer:
    """Change what the tab Live shows of it; who has the wheel does not matter."""
    name, value = values["name"], values["value"]
    kind = _PERMISSIONS[name]
    return await view.set_parameter(_PERSONALITY, name, kind(value))


def _hours(value: Any) -> list[float]:
    return [float(hour) for hour in value]


_PERMISSIONS: Mapping[str, Callable[[Any], Any]] = {
    "allow_motion": bool,
    "allow_leaving_charger": bool,
    "allow_going_home": bool,
    "mood_on_face": bool,
    "activity": text_of,
    "quiet_hours": _hours,
}


async def _phone_link(view: View, _: Values) -> Answer:
    return view.link()


_COMMANDS: Mapping[str, Handler] = {
    "release_stop": _service("release_stop"),
    "connect": _service("connect", moves=True),
    "disconnect": _service("disconnect", moves=True),
    "calibrate": _service("calibrate_motors", moves=True),
    "head_light": _service("set_head_light", data=bool),
    "volume": _service("set_volume", volume=float),
    "point": pointing.go_to,
    "manipulate": _manipulate,
    "cancel_goal": _cancel_goal,
    "look_around": _look_around,
    "emulator": _emulator,
    "express": express.express,
    "draw": express.draw,
    "give_back": express.give_back,
    "play": _play,
    "stop_clip": _end(_CLIP),
    "say": _say,
    "stop_sound": _stop_sound,
    "backpack_lights": express.show_backpack,
    "cube_lights": express.show_cube,
    "enable": _enable,
    "run": _run_behavior,
    "stop_run": _end(_BEHAVIOR),
    "react": _service("behavior/trigger_reaction", moves=True, reaction=text_of),
    "serve": _service("behavior/apply_need_action", action=text_of),
    "personality": _set_of_personality,
    "play_game": play.play_game,
    "stop_game": _end(play.GAME),
    "answer_game": play.answer_game,
    "do_trick": play.do_trick,
    "stop_trick": _end(play.TRICK),
    "sing": play.sing,
    "dance": play.dance,
    "stop_music": _end(play.MUSIC),
    "meet": play.meet,
    "stop_meeting": _end(play.MEETING),
    "forget": play.forget,
    "record": manage.record,
    "delete_recording": manage.delete_recording,
    **checkup.COMMANDS,
}
"""Whose answers are success and message."""
_QUESTIONS: Mapping[str, Handler] = {
    "expressions": _expressions,
    "animations": _animations,
    "behaviors": _behaviors,
    "games": play.games,
    "tricks": play.tricks,
    "songs": play.songs,
    "people": play.people,
    "parameter": manage.parameter,
    "parameters": manage.parameters,
    "set_parameter": manage.set_parameter,
    "recordings": manage.recordings,
    "storage": manage.read_storage,
    "phone_link": _phone_link,
    **checkup.QUESTIONS,
}
"""Whose answers have more, made for pages: of JSON only."""
REQUESTS: Mapping[str, Handler] = {**_COMMANDS, **_QUESTIONS}
