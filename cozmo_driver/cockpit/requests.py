"""What a page may ask for beside driving: a name, values, one answer. There is nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..face import EXPRESSIONS
from . import express, lights, parameters, see
from .robot_port import Answer
from .storage import read_storage
from .view import View

Values = Mapping[str, Any]
Handler = Callable[[View, Values], Awaitable[Answer]]
_CLIP, _BEHAVIOR = "clip", "behavior"
_MOST_TEXT = 1000
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
    return answer if name in _TELLING else Answer(answer.success, answer.message)


def _service(service: str, moves: bool = False, **fields: Callable[[Any], Any]) -> Handler:
    """Call a service with these fields of the page's values."""

    async def call(view: View, values: Values) -> Answer:
        given = {field: kind(values[field]) for field, kind in fields.items()}
        return await view.call(service, moves=moves, **given)

    return call


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise ValueError(f"a text of at most {_MOST_TEXT} characters is needed")
    return value


# -- personality


async def _enable(view: View, values: Values) -> Answer:
    is_on = bool(values["data"])
    return await view.call("behavior/enable", moves=is_on, data=is_on)


async def _behaviors(view: View, _: Values) -> Answer:
    answer = await view.call("behavior/list", filter="")
    found = [one for one in answer.fields.get("behaviors", ()) if one.is_supported]
    names = ("reactions", "need_actions", "activities")
    fields: dict[str, Any] = {name: list(answer.fields.get(name, ())) for name in names}
    # With the reason why it does not run now, empty where it does.
    fields["behaviors"] = {one.behavior_id: one.message for one in found}
    fields["activity"] = await view.robot.parameter(_PERSONALITY, "activity") or ""
    return Answer(answer.success, answer.message, fields)


async def _run_behavior(view: View, values: Values) -> Answer:
    goal = view.do("behavior/run", moves=True, behavior_id=_text(values["name"]), run_count=1)
    return await view.running[_BEHAVIOR].run(goal)


# -- clips and voice


async def _animations(view: View, _: Values) -> Answer:
    answer = await view.call("list_animations", kind=_ANY)
    kinds = ("triggers", "groups", "clips")
    return Answer(
        answer.success,
        answer.message,
        {kind: list(answer.fields.get(kind, ())) for kind in kinds},
    )


async def _play(view: View, values: Values) -> Answer:
    goal = view.do("play_animation", moves=True, name=_text(values["name"]))
    return await view.running[_CLIP].run(goal)


async def _say(view: View, values: Values) -> Answer:
    return await view.running[express.SOUND].run(view.do("say", text=_text(values["text"])))


def _end(what: str) -> Handler:
    async def end(view: View, _: Values) -> Answer:
        view.running[what].cancel()
        return _DONE

    return end


async def _expressions(_: View, __: Values) -> Answer:
    return Answer(True, "", {"names": [one.name for one in EXPRESSIONS]})


async def _express(view: View, values: Values) -> Answer:
    return await express.express(view, _text(values["name"]))


# -- goals


async def _manipulate(view: View, values: Values) -> Answer:
    action = values["action"]
    field = OBJECT_FIELDS[action]
    fields: dict[str, Any] = {field: _text(values.get("object", ""))} if field else {}
    if values.get("on"):
        fields["target"] = _ON
    chosen = fields.get("object", "")

    def is_known() -> bool:
        cubes = [one for one in view.hub.latest("objects") or () if one["kind"] == "cube"]
        return any(one["is_sure"] and chosen in ("", one["name"]) for one in cubes)

    looks_for = is_known if action in _NEEDS_CUBE else None
    return await view.pursue_action(action, looks_for, **fields)


async def _cancel_goal(view: View, _: Values) -> Answer:
    view.hub.pursuit.cancel()
    return _DONE


async def _emulator(view: View, values: Values) -> Answer:
    fields = {name: value for name, value in values.items() if name != "do"}
    return await view.call("emulator", command=_text(values["do"]), values=fields)


# -- recordings


async def _recordings(view: View, _: Values) -> Answer:
    now = view.robot.recording
    message = now.error if now else ""
    if message:
        # It has ended by itself; all that is left is to close the file.
        await view.recordings.stop(view.robot)
        now = None
    files = [one for one in view.recordings.files() if not one.is_running]
    fields = {
        "files": [{"name": one.name, "size": one.size} for one in files],
        "now": {"size": now.size, "topics": now.topics, "dropped": now.dropped} if now else None,
    }
    return Answer(not message, message, fields)


async def _record(view: View, values: Values) -> Answer:
    work = view.recordings.start if values["on"] else view.recordings.stop
    return await view.run(lambda: work(view.robot))


async def _delete_recording(view: View, values: Values) -> Answer:
    return await view.run(lambda: view.recordings.delete(_text(values["name"])))


# -- parameters


async def _parameter(view: View, values: Values) -> Answer:
    value = await view.robot.parameter(_text(values["node"]), _text(values["name"]))
    return Answer(value is not None, "", {"value": value})


async def _parameters(view: View, values: Values) -> Answer:
    return await parameters.list_all(view, _text(values["node"]))


async def _set_parameter(view: View, values: Values) -> Answer:
    node, name, value = (_text(values[key]) for key in ("node", "name", "value"))
    return await parameters.change(view, node, name, value)


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
    "activity": _text,
    "quiet_hours": _hours,
}


async def _draw(view: View, values: Values) -> Answer:
    return await express.draw(view, values["pixels"])


async def _give_back(view: View, _: Values) -> Answer:
    return await express.give_back(view)


async def _backpack(view: View, values: Values) -> Answer:
    return lights.show_backpack(view, values)


async def _cube(view: View, values: Values) -> Answer:
    return lights.show_cube(view, values)


async def _phone_link(view: View, _: Values) -> Answer:
    return Answer(True, "", {"url": view.link()})


async def _storage(view: View, _: Values) -> Answer:
    return await read_storage(view)


REQUESTS: Mapping[str, Handler] = {
    "release_stop": _service("release_stop"),
    "connect": _service("connect", moves=True),
    "disconnect": _service("disconnect", moves=True),
    "calibrate": _service("calibrate_motors", moves=True),
    "head_light": _service("set_head_light", data=bool),
    "volume": _service("set_volume", volume=float),
    "point": see.go_to,
    "manipulate": _manipulate,
    "cancel_goal": _cancel_goal,
    "emulator": _emulator,
    "expressions": _expressions,
    "express": _express,
    "draw": _draw,
    "give_back": _give_back,
    "animations": _animations,
    "play": _play,
    "stop_clip": _end(_CLIP),
    "say": _say,
    "stop_sound": _end(express.SOUND),
    "backpack_lights": _backpack,
    "cube_lights": _cube,
    "enable": _enable,
    "behaviors": _behaviors,
    "run": _run_behavior,
    "stop_run": _end(_BEHAVIOR),
    "react": _service("behavior/trigger_reaction", moves=True, reaction=_text),
    "serve": _service("behavior/apply_need_action", action=_text),
    "personality": _set_of_personality,
    "parameter": _parameter,
    "parameters": _parameters,
    "set_parameter": _set_parameter,
    "recordings": _recordings,
    "record": _record,
    "delete_recording": _delete_recording,
    "storage": _storage,
    "phone_link": _phone_link,
}
_TELLING = frozenset(
    {
        "animations",
        "behaviors",
        "expressions",
        "parameter",
        "parameters",
        "phone_link",
        "recordings",
        "set_parameter",
        "storage",
    }
)
"""Whose answers have more than success and message, made for pages: of JSON only."""
