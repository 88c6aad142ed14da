"""Parameters of the robot's nodes: searched, explained and changed."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from .robot_port import ParameterInfo
from .view import View, card

NODES = {
    "cozmo_driver": "does not run: start it with make run",
    "cozmo_face": "does not run: start it with make run",
    "cozmo_behavior": "does not run: start it with make run BEHAVIOR=1",
}
"""Nodes, and what to do where one does not run."""


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
            return float(text)
        if isinstance(current, list):
            return [float(part) for part in text.strip("[] ").split(",")]
    except (KeyError, ValueError):
        kinds = {bool: "true or false", int: "a whole number", float: "a number"}
        kind = kinds.get(type(current), "numbers with commas between them")
        raise ValueError(f"it must be {kind}, not {text[:40]!r}") from None
    return text


def add(view: View) -> None:
    """Add the card. The list itself is ``static/parameters.js``."""
    known: dict[str, dict[str, ParameterInfo]] = {}

    async def on_set(event: GenericEventArguments) -> None:
        node, name, text = (str(event.args["detail"].get(key)) for key in ("node", "name", "value"))
        info = known.get(node, {}).get(name)
        if info is None:
            return
        value = None
        try:
            value = parsed(text, info.value)
        except ValueError as error:
            reason = str(error)
        else:
            answer = await view.set_parameter(node, name, value, moves=True)
            reason = "" if answer.success else answer.message
        element.run_method("answer", {"node": node, "name": name, "value": value, "reason": reason})

    async def load(node: str) -> None:
        infos = await view.robot.parameters(node)
        known[node] = {info.name: info for info in infos}
        element.props["nodes"] = [
            {
                "node": name,
                "absent": advice if name in known else "asking it ...",
                "parameters": [asdict(one) for one in known.get(name, {}).values()],
            }
            for name, advice in NODES.items()
        ]
        element.update()

    async def load_all() -> None:
        await asyncio.gather(*map(load, NODES))

    with card("Parameters"):
        element = ui.element("cozmo-parameters").on("set", on_set, args=["detail"])
        element.on("reload", load_all, args=[])
    ui.timer(0.0, load_all, once=True)
