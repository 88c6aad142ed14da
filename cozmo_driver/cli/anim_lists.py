"""``cozmo anim list`` and ``info``: what there is and what it is made of."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from fnmatch import fnmatchcase
from random import Random
from typing import Any

from ..animation import Assets, Kind, Selection, load_assets
from ..resources import (
    TRACKS,
    AnimationGroup,
    BuiltinSounds,
    ClipInfo,
    ClipLibrary,
    Library,
    SoundSources,
    find_user_tree,
    library_of,
)
from .common import CommandError, counted, print_result

_TRACK_WORDS = {
    "lift_height": "lift",
    "procedural_face": "face",
    "head_angle": "head",
    "robot_audio": "sound",
    "backpack_lights": "lights",
    "face_animation": "pictures",
    "event": "events",
    "body_motion": "body",
    "record_heading": "heading marks",
    "turn_to_recorded_heading": "turns back",
}
_SHOWN = 5


def assets_of(arguments: argparse.Namespace) -> Assets:
    """Return what a command works with. Raises ``ResourceError``, ``OSError``."""
    if arguments.file is None:
        directory = arguments.directory or ""
        # What is wrong with it is said at once, not as a warning among others.
        find_user_tree(directory)
        return load_assets(directory)
    # An error with the file's name; a library is quietly empty.
    with arguments.file.open("rb"):
        clips = ClipLibrary([arguments.file])
    if not len(clips):
        reasons = [str(warning) for warning in clips.warnings]
        raise CommandError(reasons[0] if reasons else f"{arguments.file}: it holds no clip")
    library = replace(library_of([]), clips=clips, warnings=clips.warnings)
    return Assets(library, SoundSources([BuiltinSounds()]), tuple(map(str, clips.warnings)))


def name_of(arguments: argparse.Namespace, library: Library) -> str:
    """Return the name that is meant: that of the only clip of a file needs not be given."""
    if arguments.name is not None:
        return str(arguments.name)
    if arguments.file is None:
        raise CommandError("the name of an animation is missing; see cozmo anim list", 2)
    names = library.clips.names
    if len(names) > 1:
        raise CommandError(f"{arguments.file} has {len(names)} clips: {', '.join(names)}", 2)
    return names[0]


def kind_of(arguments: argparse.Namespace) -> Kind:
    return Kind[arguments.kind.upper()]


# -- list


def list_names(arguments: argparse.Namespace) -> int:
    assets = assets_of(arguments)
    for warning in assets.warnings[:_SHOWN]:
        print(warning, file=sys.stderr)
    if len(assets.warnings) > _SHOWN:
        print(f"and {len(assets.warnings) - _SHOWN} more warnings", file=sys.stderr)
    found = _found(assets.library, kind_of(arguments), arguments.pattern)
    if arguments.json:
        every = [row for rows in found.values() for row in rows]
        print(json.dumps(every, indent=1))
        return 0 if every else 1
    if not any(found.values()):
        fits = f" is named like {arguments.pattern!r}" if arguments.pattern else " there"
        raise CommandError(f"no animation{fits}")
    for kind, rows in found.items():
        if rows:
            print(counted(len(rows), kind.name.lower()))
            width = max(len(row["name"]) for row in rows)
            for row in rows:
                print(f"  {row['name']:{width}}  {_line_of(row)}")
    return 0


def _found(library: Library, kind: Kind, pattern: str) -> dict[Kind, list[dict[str, Any]]]:
    def fits(name: str, of: Kind) -> bool:
        is_like = not pattern or fnmatchcase(name.lower(), pattern.lower())
        return kind in (Kind.ANY, of) and is_like

    clips = sorted(library.clips.infos(), key=lambda info: info.name)
    return {
        Kind.TRIGGER: [
            {"kind": "trigger", "name": name, "group": group}
            for name, group in sorted(library.triggers.items())
            if fits(name, Kind.TRIGGER)
        ],
        Kind.GROUP: [
            {"kind": "group", "name": name, "clips": [one.clip for one in group.members]}
            for name, group in sorted(library.groups.items())
            if fits(name, Kind.GROUP)
        ],
        Kind.CLIP: [_clip_row(info) for info in clips if fits(info.name, Kind.CLIP)],
    }


def _clip_row(info: ClipInfo) -> dict[str, Any]:
    return {
        "kind": "clip",
        "name": info.name,
        "duration": info.duration_ms / 1000,
        "keyframes": {_TRACK_WORDS[name]: count for name, count in info.keyframe_counts.items()},
    }


def _line_of(row: dict[str, Any]) -> str:
    if row["kind"] == "trigger":
        return f"-> {row['group']}"
    if row["kind"] == "group":
        return counted(len(row["clips"]), "clip")
    return f"{row['duration']:5.2f} s  {', '.join(row['keyframes'])}"


# -- info


def info(arguments: argparse.Namespace) -> int:
    library = assets_of(arguments).library
    name, kind = name_of(arguments, library), kind_of(arguments)
    target = Selection(library, Random()).find(name, kind)
    is_trigger = kind in (Kind.ANY, Kind.TRIGGER) and name in library.triggers
    if isinstance(target, str):
        content = _clip_content(library, target)
    else:
        content = _group_content(library, target, name if is_trigger else "")
    print_result(arguments, content, _lines_of(content))
    return 1 if content.get("warnings") else 0


def _clip_content(library: Library, name: str) -> dict[str, Any]:
    described, loaded = library.clips.info(name), library.clips.load(name)
    clip = loaded.clip
    return {
        **_clip_row(described),
        # Without what was left out.
        "duration": clip.duration_ms / 1000,
        "keyframes": {
            _TRACK_WORDS[track.attribute]: len(clip.track(track))
            for track in TRACKS
            if clip.track(track)
        },
        "frames": clip.frame_count,
        "file": str(described.path),
        "groups": [
            group.name
            for group in library.groups.values()
            if any(member.clip == name for member in group.members)
        ],
        "warnings": [str(warning) for warning in loaded.warnings],
    }


def _group_content(library: Library, group: AnimationGroup, trigger: str) -> dict[str, Any]:
    return {
        "kind": "trigger" if trigger else "group",
        "name": trigger or group.name,
        "group": group.name,
        "triggers": sorted(name for name, to in library.triggers.items() if to == group.name),
        "clips": [
            {
                "name": member.clip,
                "weight": member.weight,
                "mood": member.mood,
                "cooldown": member.cooldown_s,
                "head_degrees": member.head_window_deg,
                "duration": library.clips.info(member.clip).duration_ms / 1000,
            }
            for member in group.members
        ],
    }


def _lines_of(content: dict[str, Any]) -> list[str]:
    if content["kind"] != "clip":
        return _group_lines(content)
    keyframes = content["keyframes"].items()
    lines = [
        f"clip       {content['name']}",
        f"length     {content['duration']:.2f} s, {content['frames']} frames",
        f"keyframes  {', '.join(f'{count} {name}' for name, count in keyframes) or 'none'}",
        f"groups     {', '.join(content['groups']) or 'none'}",
        f"file       {content['file']}",
    ]
    return [*lines, *(f"warning    {warning}" for warning in content["warnings"])]


def _group_lines(content: dict[str, Any]) -> list[str]:
    others = [name for name in content["triggers"] if name != content["name"]]
    lines = [f"{content['kind']:9}  {content['name']}"]
    if content["kind"] == "trigger":
        lines.append(f"group      {content['group']}")
    if others:
        lines.append(f"triggers   {', '.join(others)}")
    width = max(len(one["name"]) for one in content["clips"])
    for one in content["clips"]:
        rules = [f"weight {one['weight']:g}"]
        if one["mood"] != "Default":
            rules.append(f"mood {one['mood']}")
        if one["cooldown"]:
            rules.append(f"at most every {one['cooldown']:g} s")
        if one["head_degrees"] is not None:
            low, high = one["head_degrees"]
            rules.append(f"head at {low:g} to {high:g}°")
        line = f"clip       {one['name']:{width}}  {one['duration']:5.2f} s  {', '.join(rules)}"
        lines.append(line)
    return lines
