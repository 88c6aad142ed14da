"""``cozmo anim render`` and ``convert``: clips as pictures and as files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random

from ..animation import Selection
from ..animation.face_track import Pictures
from ..animation.filmstrip import animated, film_strip, save_gif
from ..resources import TRACKS, AnimationClip, LoadWarning, read_clip_file
from ..resources.binary_clips import write_clips as write_binary
from ..resources.clip_library import BINARY, JSON
from ..resources.json_clips import write_clips as write_json
from ..resources.sound.builtin.catalog import SCORES
from .anim_lists import assets_of, name_of
from .errors import CommandError
from .words import counted

_STILL, _MOVING = ".png", ".gif"
_MOST_CELLS, _MOST_SCALE = 100, 8
_LONGEST = 120.0
"""s; all pictures of a moving one are in memory."""
_SOUNDS = {score.event_id: score.name for score in SCORES}


def render(arguments: argparse.Namespace) -> int:
    """Draw a clip; return 1 where something of it was left out."""
    for name, most in (("cells", _MOST_CELLS), ("scale", _MOST_SCALE)):
        if not 1 <= getattr(arguments, name) <= most:
            value = getattr(arguments, name)
            raise CommandError(f"--{name} {value}: it is from 1 to {most}", 2)
    library = assets_of(arguments).library
    name = name_of(arguments, library)
    target = name if name in library.clips else Selection(library, Random()).find(name)
    if not isinstance(target, str):
        members = ", ".join(member.clip for member in target.members)
        raise CommandError(f"{name} is no clip; draw one of its clips: {members}")
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
    return _tell(loaded.warnings)


def convert(arguments: argparse.Namespace) -> int:
    """Write a clip file anew; return 1 where something of it was left out."""
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
    return _tell([*warnings, *(one for each in loaded for one in each.warnings), *lost])


def _draw(
    path: Path, clip: AnimationClip, arguments: argparse.Namespace, pictures: Pictures
) -> None:
    if path.suffix.lower() == _MOVING:
        shown = animated(clip, scale=arguments.scale, pictures=pictures, sound_name=_sound_name)
        save_gif(path, *shown)
        return
    strip = film_strip(
        clip,
        cells=arguments.cells,
        scale=arguments.scale,
        pictures=pictures,
        sound_name=_sound_name,
    )
    strip.save(path, optimize=True)


def _sound_name(event_id: int) -> str:
    return _SOUNDS.get(event_id, str(event_id))


def _unwritten(source: Path, clips: Iterable[AnimationClip]) -> list[LoadWarning]:
    """Return what a .bin has no room for."""
    return [
        LoadWarning(str(source), f"clip {clip.name!r}: a {BINARY} keeps nothing but keyframes")
        for clip in clips
        if clip.extra or any(one.extra for track in TRACKS for one in clip.track(track))
    ]


def _tell(warnings: Iterable[LoadWarning]) -> int:
    """Print what was left out; return the exit code."""
    lines = [str(warning) for warning in warnings]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0
