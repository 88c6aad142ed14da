"""``cozmo behavior``: what the personality is made of, and why it does what it does."""

from __future__ import annotations

import argparse
import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..behavior.trace_file import trace_path
from . import behavior_graph, behavior_trace
from .behavior_tree import Life, load_life
from .completers import complete_with
from .errors import CommandError
from .examples import action_adder

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
_PICTURES = (".png", ".svg", ".pdf")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    action = action_adder(parser, _EXAMPLES)
    listing = action(
        "list", "tell the behaviours, what they are of and whether they can run", _list
    )
    graph = action(
        "graph", "show activities and behaviours as a tree, in the terminal or as a picture", _graph
    )
    trace = action(
        "trace",
        "tell the decisions of a behaviour node: what was chosen, what was not, and why",
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
    complete_with(names, lambda: load_life("").behaviors)
    listing.add_argument("--missing", action="store_true", help="only those that cannot run")
    listing.add_argument("--json", action="store_true", help="print JSON")
    add = graph.add_argument
    complete_with(add("--activity", help="only below this one"), lambda: load_life("").activities)
    add("--reactions", action="store_true", help="what answers which trigger, instead")
    add("--now", action="store_true", help="mark what runs, by the trace of a behaviour node")
    add("--output", type=Path, metavar="FILE", help="a picture: .png, .svg or .pdf")
    trace.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="(default: that of the namespace)"
    )
    add = trace.add_argument
    add("--last", type=int, default=20, metavar="COUNT", help="decisions (default %(default)s)")
    add("--about", default="", metavar="NAME", help="only with this behaviour, activity or trigger")
    add("--follow", action="store_true", help="go on with new ones until interrupted")
    add("--json", action="store_true", help="print the lines as they are")
    for named in (graph, trace):
        named.add_argument(
            "--namespace", default="", metavar="NAME", help="of the behaviour node (default none)"
        )


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for; return 0."""
    return int(arguments.action(arguments))


def _life(arguments: argparse.Namespace) -> Life:
    return load_life(arguments.resources, arguments.behavior)


def _list(arguments: argparse.Namespace) -> int:
    life = _life(arguments)
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
    if output is not None and output.suffix.lower() not in _PICTURES:
        raise CommandError(f"{output}: a picture is one of {', '.join(_PICTURES)}", 2)
    life = _life(arguments)
    if arguments.activity and arguments.activity not in life.activities:
        raise CommandError(f"there is no activity {arguments.activity!r}")
    tree = life.reactions if arguments.reactions else life.tree(arguments.activity or "")
    running = frozenset[str]()
    if arguments.now:
        running = behavior_trace.running(trace_path(arguments.namespace))
    if output is None:
        print("\n".join(behavior_graph.lines_of(tree, running)))
    else:
        behavior_graph.draw(tree, running, output)
        print(output)
    return 0


def _trace(arguments: argparse.Namespace) -> int:
    if arguments.last < 0:
        raise CommandError(f"--last {arguments.last}: a count is not negative", 2)
    path = arguments.file or trace_path(arguments.namespace)
    behavior_trace.show(
        path,
        last=arguments.last,
        about=arguments.about,
        is_json=arguments.json,
        follows=arguments.follow,
    )
    return 0
