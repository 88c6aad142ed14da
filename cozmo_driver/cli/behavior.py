"""``cozmo behavior``: what the personality is made of, and why it does what it does."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

from ..behavior import older_path, trace_path
from .behavior_graph import Life, draw, lines_of
from .common import CommandError, action_adder, add_number, check_suffix
from .completion import complete_with

_EXAMPLES = {
    "list": (
        "cozmo behavior list",
        "cozmo behavior list 'ReactTo*' --json",
        "cozmo behavior list --missing  # what cannot run, and what it waits for",
        "cozmo behavior list --behavior nod.py  # with a behaviour of one's own",
    ),
    "graph": (
        "cozmo behavior graph",
        "cozmo behavior graph --output life.png",
        "cozmo behavior graph --activity Freeplay --now --output now.svg",
        "cozmo behavior graph --reactions",
    ),
    "trace": (
        "cozmo behavior trace",
        "cozmo behavior trace --last 100 --about Hiking  # why is it never hiking?",
        "cozmo behavior trace --follow",
        "cozmo behavior trace --namespace /cozmo1 --json",
    ),
}
_POLL_PERIOD = 0.2
"""s between two looks for new lines."""
_LONGEST = 100_000
_WITH_BEHAVIOR = ("behavior", "reaction", "resume")
"""Kinds of decisions after which a behaviour runs."""


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list the behaviours, their classes and whether they can run", _list)
    graph = action(
        "graph", "show activities and behaviours as a tree, in the terminal or as a picture", _graph
    )
    trace = action(
        "trace",
        "show the decisions of a behaviour node with their reasons",
        _trace,
    )
    for named in (listing, graph):
        add = named.add_argument
        add("--resources", default="", metavar="FOLDER", help="assets of the app (imported ones)")
        add(
            "--behavior",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="a Python file with behaviours; may be repeated",
        )
    names = listing.add_argument("name", nargs="?", default="*", help="or a shell pattern")
    complete_with(names, lambda: Life("").behaviors)
    listing.add_argument("--missing", action="store_true", help="only those that cannot run")
    listing.add_argument("--json", action="store_true", help="print JSON")
    add = graph.add_argument
    complete_with(add("--activity", help="only below this one"), lambda: Life("").activities)
    add("--reactions", action="store_true", help="what answers which trigger, instead")
    add("--now", action="store_true", help="mark what runs, by the trace of a behaviour node")
    add("--output", type=Path, metavar="FILE", help="a picture: .png, .svg or .pdf")
    trace.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="(default: that of the namespace)"
    )
    add = trace.add_argument
    add_number(trace, "--last", 20, "decisions", "COUNT", low=0)
    add("--about", default="", metavar="NAME", help="only with this behaviour, activity or trigger")
    add("--follow", action="store_true", help="go on with new ones until interrupted")
    add("--json", action="store_true", help="print the lines as they are")
    for named in (graph, trace):
        named.add_argument(
            "--namespace", default="", metavar="NAME", help="of the behaviour node (default none)"
        )


def _list(arguments: argparse.Namespace) -> int:
    life = Life(arguments.resources, arguments.behavior)
    rows: list[dict[str, Any]] = [
        {
            "behavior_id": one.id,
            "behavior_class": one.config.class_name,
            "is_supported": not one.missing,
            "message": one.missing,
            "animations": list(one.triggers),
            "about": one.kind.about if one.kind else "",
        }
        for _, one in sorted(life.behaviors.items())
        if fnmatchcase(one.id, arguments.name) and (one.missing or not arguments.missing)
    ]
    if not rows and arguments.name != "*":
        raise CommandError(f"no behaviour is named {arguments.name!r}; see cozmo behavior list")
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return 0
    wide = max((len(row["behavior_id"]) for row in rows), default=0)
    for row in rows:
        text = f"-- {row['message']}" if row["message"] else row["about"].splitlines()[0]
        print(f"{row['behavior_id']:{wide}}  {text}")
    for warning in life.warnings:
        print(f"left out: {warning}")
    return 0


def _graph(arguments: argparse.Namespace) -> int:
    output = arguments.output
    if output is not None:
        check_suffix(output, ".png", ".svg", ".pdf")
    life = Life(arguments.resources, arguments.behavior)
    if arguments.activity and arguments.activity not in life.activities:
        raise CommandError(f"there is no activity {arguments.activity!r}")
    tree = life.reactions if arguments.reactions else life.tree(arguments.activity or "")
    now = running(trace_path(arguments.namespace)) if arguments.now else frozenset[str]()
    if output is None:
        print("\n".join(lines_of(tree, now)))
    else:
        draw(tree, now, output)
        print(output)
    return 0


def _trace(arguments: argparse.Namespace) -> int:
    path = arguments.file or trace_path(arguments.namespace)
    if not path.exists() and not arguments.follow:
        raise CommandError(
            f"{path}: there is none; a behaviour node that has decided something writes it"
        )
    # Whoever follows ends it by Ctrl-C, and that is a good end.
    with contextlib.suppress(KeyboardInterrupt) if arguments.follow else contextlib.nullcontext():
        end = _size(path)
        known = (one for one in _lines(path, end) if _is_about(one[1], arguments.about))
        new = _new_lines(path, end) if arguments.follow else ()
        for line, decision in chain(deque(known, arguments.last), new):
            if _is_about(decision, arguments.about):
                print(line if arguments.json else _text_of(decision), flush=True)
    return 0


def running(path: Path) -> frozenset[str]:
    """Return the activities and the behaviour that run by the trace. Raises ``CommandError``."""
    if not path.exists():
        raise CommandError(f"{path}: there is none, so that nobody knows what runs")
    now: dict[str, str] = {}
    for _, decision in _lines(path, _size(path)):
        kind, name = decision["kind"], decision["name"]
        if kind == "end":
            now = {k: v for k, v in now.items() if v != name}
        elif kind == "activity":
            now["activity"] = name
        elif kind in _WITH_BEHAVIOR:
            now["behavior"] = name
    return frozenset(name for name in now.values() if name)


def _text_of(decision: dict[str, Any]) -> str:
    at = datetime.fromtimestamp(decision["time"]).strftime("%H:%M:%S.%f")[:-5]
    head = f"{at}  {decision['kind']:8}  {decision['name'] or 'nothing'}: {decision['reason']}"
    others = [f"{'':22}not {x['name']}: {x['why']}" for x in decision["rejected"]]
    return "\n".join([head, *others])


def _is_about(decision: dict[str, Any], name: str) -> bool:
    names = [decision["name"], *(x["name"] for x in decision["rejected"])]
    return not name or name in names or name in decision["reason"]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _lines(path: Path, end: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the decisions of the older file and of the first ``end`` bytes of the current one."""
    for part, size in ((older_path(path), -1), (path, end)):
        if part.is_file():
            with part.open("rb") as file:
                text = file.read(size).decode(errors="replace")
            yield from filter(None, map(_read, text.split("\n")))


def _new_lines(path: Path, position: int) -> Iterator[tuple[str, dict[str, Any]]]:
    begun = ""
    while True:
        size = _size(path)
        if size < position:
            position, begun = 0, ""
        if size > position:
            with path.open(encoding="utf-8", errors="replace") as file:
                file.seek(position)
                text = begun + file.read(size - position)
            position = size
            *whole, begun = text.split("\n")
            yield from filter(None, map(_read, whole))
        time.sleep(_POLL_PERIOD)


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
