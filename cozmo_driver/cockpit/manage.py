"""What pages manage: parameters of the robot's nodes, recordings, and the robot's storage."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ..robot import USER_ENTRIES, entry_name
from .robot_port import Answer
from .view import Values, View, finite, text_of

_PROGRESS = "progress"
"""Feed: how far it is, in words."""
_READ_ME = """\
What the app has kept in the storage of the robot {serial}, read on {date}.
An entry that is not here is empty. To write one back:

    cozmo nv write game_unlocks game_unlocks.bin

which only shows what would change, until --yes is added.
"""


# -- parameters


async def parameter(view: View, values: Values) -> Answer:
    value = await view.robot.parameter(text_of(values["node"]), text_of(values["name"]))
    return Answer(value is not None, "", {"value": value})


async def parameters(view: View, values: Values) -> Answer:
    """Return all parameters of a node, none where it does not run."""
    infos = await view.robot.parameters(text_of(values["node"]))
    return Answer(True, "", {"parameters": [asdict(info) for info in infos]})


async def set_parameter(view: View, values: Values) -> Answer:
    """Set one of those that are listed; the answer has its ``value``."""
    node, name, text = (text_of(values[key]) for key in ("node", "name", "value"))
    info = next((one for one in await view.robot.parameters(node) if one.name == name), None)
    if info is None:
        return Answer(False, f"{node} has no parameter {name[:80]}")
    value = parsed(text, info.value)
    answer = await view.set_parameter(node, name, value, moves=True)
    return Answer(answer.success, answer.message, {"value": value})


def parsed(text: str, current: Any) -> Any:
    """Return what a page sent as a value of the same type as ``current``.

    Raises ``ValueError`` with what it must be.
    """
    try:
        if isinstance(current, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(current, int):
            return int(text)
        if isinstance(current, float):
            return finite(text)
        if isinstance(current, list):
            return [finite(part) for part in text.strip("[] ").split(",")]
    except (KeyError, ValueError):
        kinds = {bool: "true or false", int: "a whole number", float: "a number"}
        kind = kinds.get(type(current), "numbers with commas between them")
        raise ValueError(f"it must be {kind}, not {text[:40]!r}") from None
    return text


# -- recordings


async def recordings(view: View, _: Values) -> Answer:
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


async def record(view: View, values: Values) -> Answer:
    work = view.recordings.start if values["on"] else view.recordings.stop
    return view.refusal() or await work(view.robot)


async def delete_recording(view: View, values: Values) -> Answer:
    return view.refusal() or await view.recordings.delete(text_of(values["name"]))


# -- the storage


async def read_storage(view: View, _: Values) -> Answer:
    """Read every entry. The answer has ``name`` and ``data``, a ZIP file in base64."""
    contents: dict[str, bytes] = {}
    for number, tag in enumerate(USER_ENTRIES, 1):
        view.tell(_PROGRESS, f"reading entry {number} of {len(USER_ENTRIES)}")
        answer = await view.call("nv_read", tag=int(tag))
        if not answer.success:
            return Answer(False, answer.message)
        if len(answer.fields["data"]):
            name = entry_name(tag).split()[0].lower()
            contents[f"{name}.bin"] = bytes(answer.fields["data"])
    if not contents:
        return Answer(True, "every entry is empty")
    now, serial = datetime.now(), (view.hub.latest("info") or {}).get("serial", "robot")
    read_me = _READ_ME.format(serial=serial, date=f"{now:%Y-%m-%d %H:%M}")
    data = _zipped({"README.txt": read_me.encode(), **contents})
    fields = {
        "name": f"cozmo-{serial}-storage-{now:%Y%m%d-%H%M%S}.zip",
        "data": base64.b64encode(data).decode(),
    }
    return Answer(True, f"{len(contents)} of {len(USER_ENTRIES)} entries have a content", fields)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()
