"""Showing the decisions that a behaviour node writes down (``behavior/trace_file.py``)."""

from __future__ import annotations

import contextlib
import json
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from ..behavior.trace_file import older_path
from .errors import CommandError

_LOOK = 0.2
"""s between two looks for new lines."""
_LONGEST = 100_000
_PATHS = ("activity", "behavior", "reaction", "resume")


def show(path: Path, *, last: int, about: str, is_json: bool, follows: bool) -> None:
    """Print the last decisions, and new ones where wanted. Raises ``CommandError``."""
    if not path.exists() and not follows:
        raise CommandError(
            f"{path}: there is none; a behaviour node that has decided something writes it"
        )
    # Whoever follows ends it by Ctrl-C, and that is a good end.
    with contextlib.suppress(KeyboardInterrupt) if follows else contextlib.nullcontext():
        for line, decision in deque((x for x in _lines(path) if _is_about(x[1], about)), last):
            print(line if is_json else text_of(decision), flush=True)
        for line, decision in _new_lines(path) if follows else ():
            if _is_about(decision, about):
                print(line if is_json else text_of(decision), flush=True)


def running(path: Path) -> frozenset[str]:
    """Return the activities and the behaviour that run by the trace. Raises ``CommandError``."""
    if not path.exists():
        raise CommandError(f"{path}: there is none, so that nobody knows what runs")
    now: dict[str, str] = {}
    for _, decision in _lines(path):
        kind, name = decision["kind"], decision["name"]
        if kind == "end":
            now = {k: v for k, v in now.items() if v != name}
        elif kind == "activity":
            now["activity"] = name
        elif kind in _PATHS:
            now["behavior"] = name
    return frozenset(name for name in now.values() if name)


def text_of(decision: dict[str, Any]) -> str:
    """Return a decision for people, one line for each thing that was not chosen."""
    at = datetime.fromtimestamp(decision["time"]).strftime("%H:%M:%S.%f")[:-5]
    head = f"{at}  {decision['kind']:8}  {decision['name'] or 'nothing'}: {decision['reason']}"
    others = [f"{'':22}not {x['name']}: {x['why']}" for x in decision["rejected"]]
    return "\n".join([head, *others])


def _is_about(decision: dict[str, Any], name: str) -> bool:
    names = [decision["name"], *(x["name"] for x in decision["rejected"])]
    return not name or name in names or name in decision["reason"]


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in (older_path(path), path):
        if part.is_file():
            with part.open(encoding="utf-8", errors="replace") as file:
                yield from filter(None, map(_read, file))


def _new_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is appended from now on, also after the file was begun anew."""
    position = path.stat().st_size if path.exists() else 0
    begun = ""
    while True:
        size = path.stat().st_size if path.exists() else 0
        if size < position:
            position, begun = 0, ""
        if size > position:
            with path.open(encoding="utf-8", errors="replace") as file:
                file.seek(position)
                text = begun + file.read(size - position)
            position = size
            *whole, begun = text.split("\n")
            yield from filter(None, map(_read, whole))
        time.sleep(_LOOK)


def _read(line: str) -> tuple[str, dict[str, Any]] | None:
    """Return the decision of a line, None for one that is damaged."""
    line = line.rstrip("\n")
    if len(line) > _LONGEST:
        return None
    try:
        decision: dict[str, Any] = json.loads(line)
        is_whole = (
            isinstance(decision["time"], (int, float))
            and all(isinstance(decision[key], str) for key in ("kind", "name", "reason"))
            and all(isinstance(x["name"] + x["why"], str) for x in decision["rejected"])
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (line, decision) if is_whole else None
