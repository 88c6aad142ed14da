"""``cozmo anim``: lists, shows, draws, converts and plays animations."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..animation import Kind
from ..resources import ClipNotFound, ResourceError
from . import anim_files, anim_lists, anim_play, one_robot
from .completers import clip_names, complete_with
from .errors import CommandError
from .examples import action_adder

_EXAMPLES = {
    "list": (
        "cozmo anim list",
        "cozmo anim list '*greet*'",
        "cozmo anim list --kind trigger --json",
        "cozmo anim list --file clips.json",
    ),
    "info": (
        "cozmo anim info anim_nod_01",
        "cozmo anim info Greeting --json",
        "cozmo anim info --file clips.json",
    ),
    "render": (
        "cozmo anim render anim_nod_01",
        "cozmo anim render anim_nod_01 --output nod.gif --scale 3",
        "cozmo anim render --file clips.json --output clip.png --cells 6",
    ),
    "convert": (
        "cozmo anim convert clips.json clips.bin",
        "cozmo anim convert clips.json one.json --clip anim_mine",
    ),
    "play": (
        "cozmo anim play Greeting",
        "cozmo anim play anim_nod_01 --loops 2 --without head,audio",
        "cozmo anim play --file clips.json --robot 172.31.1.1",
    ),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "tell the names of clips, groups and triggers", anim_lists.list_names)
    listing.add_argument(
        "pattern", nargs="?", default="", help="as of files, in any case: '*sleep*' (default: all)"
    )
    info = action("info", "tell what a clip, group or trigger is made of", anim_lists.info)
    render = action(
        "render", "draw a clip: a filmstrip as PNG, or moving as GIF", anim_files.render
    )
    _configure_render(render)
    convert = action("convert", "turn a clip file into the other format", anim_files.convert)
    convert.add_argument("source", type=Path, help="a .bin or a .json")
    convert.add_argument("target", type=Path, help="a .bin or a .json, written anew")
    convert.add_argument("--clip", metavar="NAME", help="write only this clip of several")
    play = action("play", "play an animation on a robot", anim_play.play)
    _configure_play(play)
    for named in (info, render, play):
        name = named.add_argument(
            "name", nargs="?", help="of a trigger, group or clip; see cozmo anim list"
        )
        complete_with(name, clip_names)
    for kinded in (listing, info, play):
        kinded.add_argument(
            "--kind",
            choices=[kind.name.lower() for kind in Kind],
            default="any",
            help="what the name is of (default %(default)s)",
        )
    for machine in (listing, info):
        machine.add_argument("--json", action="store_true", help="print JSON for programs")
    for reading in (listing, info, render, play):
        reading.add_argument(
            "--file", type=Path, metavar="FILE", help="take the clips of this .bin or .json alone"
        )
        reading.add_argument(
            "--directory",
            type=Path,
            metavar="DIR",
            help="where imported assets are kept instead of ~/.local/share/cozmo",
        )


def _configure_render(render: argparse.ArgumentParser) -> None:
    render.add_argument(
        "--output",
        type=Path,
        action="append",
        metavar="FILE",
        help="a .png or a .gif; may be given twice (default: NAME.png and NAME.gif here)",
    )
    render.add_argument(
        "--cells",
        type=int,
        default=10,
        metavar="COUNT",
        help="moments in a filmstrip (default %(default)s)",
    )
    render.add_argument(
        "--scale", type=int, default=2, help="screen pixels for one of the face (default 2)"
    )


def _configure_play(play: argparse.ArgumentParser) -> None:
    one_robot.add_arguments(play)
    play.add_argument(
        "--loops", type=int, default=1, help="times to play it; 0 until interrupted (default 1)"
    )
    play.add_argument(
        "--without",
        default="",
        metavar="TRACKS",
        help=f"leave some out, with commas between: {', '.join(anim_play.TRACKS)}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for; return 1 where something of a clip was left out."""
    try:
        return int(arguments.action(arguments))
    except ResourceError as error:
        raise CommandError(str(error)) from error
    except ClipNotFound as error:
        raise CommandError(anim_lists.plain(str(error))) from error
