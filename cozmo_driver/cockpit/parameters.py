"""Parameters of the robot's nodes: listed with what explains them, and changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .robot_port import Answer
from .view import View


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


async def list_all(view: View, node: str) -> Answer:
    """Return all parameters of a node, none where it does not run."""
    infos = await view.robot.parameters(node)
    return Answer(True, "", {"parameters": [asdict(info) for info in infos]})


async def change(view: View, node: str, name: str, text: str) -> Answer:
    """Set one of those that are listed; the answer has its ``value``."""
    info = next((one for one in await view.robot.parameters(node) if one.name == name), None)
    if info is None:
        return Answer(False, f"{node} has no parameter {name[:80]}")
    value = parsed(text, info.value)
    answer = await view.set_parameter(node, name, value, moves=True)
    return Answer(answer.success, answer.message, {"value": value})
