"""``cozmo anim``: lists, shows, draws, converts and plays animations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from ..animation import (
    Assets,
    ClipProgress,
    Kind,
    Pictures,
    Player,
    Selection,
    animated,
    film_strip,
    save_gif,
)
from ..protocol import AnimTrackFlag
from ..resources import (
    BINARY,
    JSON,
    TRACKS,
    AnimationClip,
    ClipNotFound,
    LoadWarning,
    ResourceError,
    read_clip_file,
    sound_name,
)
from ..resources import write_binary_clips as write_binary
from ..resources import write_json_clips as write_json
from ..robot import Robot
from . import one_robot
from .anim_lists import assets_of, info, kind_of, list_names, name_of
from .common import CommandError, action_adder, add_directory, add_number, as_command_error, counted
from .completion import clip_names, complete_with
from .progress import progress_bar

_STILL, _MOVING = ".png", ".gif"
_LONGEST = 120.0
"""s; all pictures of a moving one are in memory."""
_TRACK_FLAGS = {
    "head": AnimTrackFlag.HEAD,
    "lift": AnimTrackFlag.LIFT,
    "body": AnimTrackFlag.BODY,
    "face": AnimTrackFlag.FACE_IMAGE,
    "event": AnimTrackFlag.EVENT,
    "backpack": AnimTrackFlag.BACKPACK_LIGHTS,
    "audio": AnimTrackFlag.AUDIO,
}
"""Names as in ``PlayAnimation``."""
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
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list the names of clips, groups and triggers", list_names)
    listing.add_argument(
        "pattern", nargs="?", default="", help="as of files, in any case: '*sleep*' (default: all)"
    )
    details = action("info", "show the content of a clip, group or trigger", info)
    render = action("render", "draw a clip: a filmstrip as PNG, or moving as GIF", _render)
    _configure_render(render)
    convert = action("convert", "turn a clip file into the other format", _convert)
    convert.add_argument("source", type=Path, help="a .bin or a .json")
    convert.add_argument("target", type=Path, help="a .bin or a .json, overwritten")
    convert.add_argument("--clip", metavar="NAME", help="write only this clip of several")
    play = action("play", "play an animation on a robot", _play)
    _configure_play(play)
    for named in (details, render, play):
        name = named.add_argument(
            "name", nargs="?", help="of a trigger, group or clip; see cozmo anim list"
        )
        complete_with(name, clip_names)
    for kinded in (listing, details, play):
        kinded.add_argument(
            "--kind",
            choices=[kind.name.lower() for kind in Kind],
            default="any",
            help="what the name is of (default %(default)s)",
        )
    for machine in (listing, details):
        machine.add_argument("--json", action="store_true", help="print JSON for programs")
    for reading in (listing, details, render, play):
        reading.add_argument(
            "--file", type=Path, metavar="FILE", help="take the clips of this .bin or .json alone"
        )
        add_directory(reading)


def _configure_render(render: argparse.ArgumentParser) -> None:
    render.add_argument(
        "--output",
        type=Path,
        action="append",
        metavar="FILE",
        help="a .png or a .gif; may be given twice (default: NAME.png and NAME.gif here)",
    )
    add_number(render, "--cells", 10, "moments in a filmstrip", "COUNT", low=1, high=100)
    add_number(render, "--scale", 2, "screen pixels for one of the face", low=1, high=8)


def _configure_play(play: argparse.ArgumentParser) -> None:
    one_robot.add_arguments(play)
    add_number(play, "--loops", 1, "times to play it; 0 until interrupted", low=0)
    play.add_argument(
        "--without",
        default="",
        metavar="TRACKS",
        help=f"leave some out, with commas between: {', '.join(_TRACK_FLAGS)}",
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        with as_command_error(ResourceError):
            return int(arguments.action(arguments))
    except ClipNotFound as error:
        text = str(error).replace("list_animations has", "cozmo anim list has")
        raise CommandError(text) from error


def _play(arguments: argparse.Namespace) -> int:
    without = _tracks_of(arguments.without)
    assets = assets_of(arguments)
    name = name_of(arguments, assets.library)
    # An unknown name needs no robot.
    Selection(assets.library, Random()).find(name, kind_of(arguments))
    return one_robot.run_with_robot(
        arguments, lambda robot: _play_on(robot, assets, name, arguments, without)
    )


async def _play_on(
    robot: Robot, assets: Assets, name: str, arguments: argparse.Namespace, without: AnimTrackFlag
) -> int:
    player = Player(robot, assets.library, assets.sounds)
    with progress_bar(name) as show:

        def on_progress(progress: ClipProgress) -> None:
            show(progress.position, progress.duration, progress.clip)

        played = await player.play(
            name,
            kind_of(arguments),
            excluded_tracks=without,
            loops=arguments.loops,
            on_progress=on_progress,
        )
        await player.at_rest()
    times = "" if played.loops_completed == 1 else f", {played.loops_completed} times"
    print(f"played {played.clip}{times}")
    for track, reason in played.left_out.items():
        print(f"{track} not moved: {reason}", file=sys.stderr)
    return 1 if played.left_out else 0


def _tracks_of(names: str) -> AnimTrackFlag:
    tracks = AnimTrackFlag(0)
    for name in filter(None, names.split(",")):
        if name not in _TRACK_FLAGS:
            raise CommandError(f"--without {name}: there are {', '.join(_TRACK_FLAGS)}", 2)
        tracks |= _TRACK_FLAGS[name]
    return tracks


def _render(arguments: argparse.Namespace) -> int:
    library = assets_of(arguments).library
    name = name_of(arguments, library)
    target = name if name in library.clips else Selection(library, Random()).find(name)
    if not isinstance(target, str):
        members = ", ".join(member.clip for member in target.members)
        raise CommandError(f"{name} is no clip; draw one of its clips: {members}")
    if not arguments.output and ("/" in name or not name.isprintable()):
        # A file may call its clip like a picture that somebody has elsewhere.
        raise CommandError(f"{name!r} is no name for a picture; say one by --output", 2)
    outputs = arguments.output or [Path(f"{name}{_STILL}"), Path(f"{name}{_MOVING}")]
    for path in outputs:
        if path.suffix.lower() not in (_STILL, _MOVING):
            raise CommandError(f"{path}: a picture is a {_STILL} or a {_MOVING}", 2)
    loaded = library.clips.load(name)
    seconds = loaded.clip.duration_ms / 1000
    if seconds > _LONGEST:
        raise CommandError(f"{name} is {seconds:.0f} s long; up to {_LONGEST:.0f} s can be drawn")
    try:
        for path in outputs:
            _draw(path, loaded.clip, arguments, library.face_pictures)
            print(path)
    except ValueError as error:
        raise CommandError(f"{name} cannot be drawn: {error}") from error
    return _report(loaded.warnings)


def _convert(arguments: argparse.Namespace) -> int:
    source, target = arguments.source, arguments.target
    for path in (source, target):
        if path.suffix not in (BINARY, JSON):
            raise CommandError(f"{path}: a clip file is a {BINARY} or a {JSON}", 2)
    if target.exists() and target.samefile(source):
        raise CommandError(f"{target}: this is the file that is read; name another one", 2)
    loaded, warnings = read_clip_file(source)
    if arguments.clip is not None:
        loaded = tuple(one for one in loaded if one.clip.name == arguments.clip)
        if not loaded:
            raise CommandError(f"{source}: there is no clip {arguments.clip!r} in it")
    clips = [one.clip for one in loaded]
    try:
        content = write_binary(clips) if target.suffix == BINARY else write_json(clips).encode()
    except ValueError as error:
        raise CommandError(f"{target}: {error}") from error
    target.write_bytes(content)
    print(f"{target}: {counted(len(clips), 'clip')}, {len(content)} bytes")
    lost = [] if target.suffix == JSON else _unwritten(source, clips)
    return _report([*warnings, *(one for each in loaded for one in each.warnings), *lost])


def _draw(
    path: Path, clip: AnimationClip, arguments: argparse.Namespace, pictures: Pictures
) -> None:
    how: dict[str, Any] = {"pictures": pictures, "sound_name": sound_name}
    if path.suffix.lower() == _MOVING:
        save_gif(path, *animated(clip, scale=arguments.scale, **how))
    else:
        strip = film_strip(clip, cells=arguments.cells, scale=arguments.scale, **how)
        strip.save(path, optimize=True)


def _unwritten(source: Path, clips: Iterable[AnimationClip]) -> list[LoadWarning]:
    return [
        LoadWarning(str(source), f"clip {clip.name!r}: a {BINARY} keeps nothing but keyframes")
        for clip in clips
        if clip.extra or any(one.extra for track in TRACKS for one in clip.track(track))
    ]


def _report(warnings: Sequence[LoadWarning]) -> int:
    for warning in warnings:
        print(warning, file=sys.stderr)
    return 1 if warnings else 0
