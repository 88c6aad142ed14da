"""What pages ask of the checkup: start it, answer it, end it, and its reports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..checkup import STEPS, ReportError, chosen_steps, leave_out, pictures_of
from .robot_port import Answer
from .view import Values, View, text_of


async def steps(view: View, _: Values) -> Answer:
    """Return what there is, for people, in English: pages translate it."""
    found = [
        {
            "name": step.name,
            "title": step.title,
            "does": step.does,
            "needs": step.needs,
            "is_optional": step.is_optional,
            "moves": step.motion.name.lower(),
        }
        for step in STEPS
    ]
    return Answer(True, "", {"steps": found})


async def start(view: View, values: Values) -> Answer:
    names = [text_of(name) for name in values["steps"]]
    chosen_steps(STEPS, names)
    with_images = bool(values["images"])
    run, page = view.hub.checkup, view.page.id
    refusal = view.refusal(moves=True)
    return refusal or run.start(page, names, with_images=with_images)


async def answer(view: View, values: Values) -> Answer:
    number, value = int(values["number"]), values["value"]
    return view.refusal() or view.hub.checkup.answer(view.page.id, number, value)


async def end(view: View, _: Values) -> Answer:
    return view.refusal() or view.hub.checkup.end()


# -- reports


async def reports(view: View, _: Values) -> Answer:
    return Answer(True, "", {"names": view.hub.checkup.reports.names()})


async def pictures(view: View, values: Values) -> Answer:
    """Return captions by the names of a report's images."""
    folder = view.hub.checkup.reports.find(text_of(values["name"]))
    found = {} if folder is None else await asyncio.to_thread(pictures_of, folder)
    return Answer(True, "", {"pictures": found})


async def without(view: View, values: Values) -> Answer:
    """Make a report anew without an image."""
    name, picture = text_of(values["name"]), text_of(values["picture"])
    folder = view.hub.checkup.reports.find(name)
    if refusal := view.refusal():
        return refusal
    if folder is None:
        return Answer(False, f"there is no report {name[:80]}")
    try:
        await asyncio.to_thread(leave_out, folder, [picture])
    except OSError as error:
        return Answer(False, f"{folder}: {error.strerror or error}")
    except ReportError as error:
        return Answer(False, str(error))
    return Answer(True, "")


async def delete(view: View, values: Values) -> Answer:
    if refusal := view.refusal():
        return refusal
    return await asyncio.to_thread(view.hub.checkup.reports.delete, text_of(values["name"]))


COMMANDS: Mapping[str, Callable[[View, Values], Awaitable[Answer]]] = {
    "checkup_start": start,
    "checkup_answer": answer,
    "checkup_end": end,
    "checkup_without": without,
    "delete_checkup": delete,
}
QUESTIONS: Mapping[str, Callable[[View, Mapping[str, Any]], Awaitable[Answer]]] = {
    "checkup_steps": steps,
    "checkup_reports": reports,
    "checkup_pictures": pictures,
}
