"""Clip files in JSON: form A with the schema's names, and form B, one flat list for a clip
(spec 06 §3). Both are read, form A is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .clips import TRACKS, AnimationClip, LoadedClip, Track, make_clip, problem_with_clip
from .errors import DamagedFile, LoadWarning, quoted
from .fields import F32, F32S, LONGEST_TEXT, SIGNED_U32, TEXT, FieldType, attributes_of, problem_of
from .files import JsonError, parse_bytes
from .keyframes import Keyframe

_CLIPS, _NAME, _KEYFRAMES = "clips", "Name", "keyframes"
_HAS_ALTS = "hasAlts"
_BY_NAME = {track.name: track for track in TRACKS}
_UNSIGNED = 1 << 32
_SIGN = 1 << 31


def read_clips(data: bytes, source: str) -> tuple[tuple[LoadedClip, ...], tuple[LoadWarning, ...]]:
    """Return the clips, floats in single precision, and warnings. Raises ``DamagedFile``."""
    try:
        content = parse_bytes(data, source)
    except JsonError as error:
        raise DamagedFile(source, None, str(error).removeprefix(f"{source}: ")) from None
    if not isinstance(content, dict):
        raise DamagedFile(source, None, "a clip file is an object")
    listed = content.get(_CLIPS)
    if isinstance(listed, list) and all(isinstance(one, dict) for one in listed):
        clips = tuple(_read_form_a(clip, source) for clip in listed)
        return clips, tuple(_warn_of_keys(set(content) - {_CLIPS}, source))
    flat = {name: steps for name, steps in content.items() if isinstance(steps, list)}
    if not flat:
        raise DamagedFile(source, None, f"there is neither {_CLIPS!r} nor a list of keyframes")
    clips = tuple(_read_form_b(name, steps, source) for name, steps in flat.items())
    return clips, tuple(_warn_of_keys(set(content) - set(flat), source))


def write_json_clips(clips: Sequence[AnimationClip]) -> str:
    """Return a JSON file of form A. Raises ``ValueError`` for what no file can hold."""
    for clip in clips:
        reason = problem_with_clip(clip)
        if reason:
            raise ValueError(reason)
    return json.dumps({_CLIPS: [_clip_as_json(clip) for clip in clips]}, indent=1) + "\n"


def _read_form_a(content: Mapping[str, Any], source: str) -> LoadedClip:
    extra = {key: value for key, value in content.items() if key not in (_NAME, _KEYFRAMES)}
    name = _checked_name(content.get(_NAME), source)
    keyframes = content.get(_KEYFRAMES) or {}
    if not isinstance(keyframes, dict):
        raise DamagedFile(source, None, f"clip {name!r}: {_KEYFRAMES!r} is no object")
    tracks: dict[str, Iterable[Keyframe | str]] = {}
    unknown = {}
    for key, steps in keyframes.items():
        if key not in _BY_NAME:
            unknown[key] = steps
        elif steps is not None and not isinstance(steps, list):
            raise DamagedFile(source, None, f"clip {name!r}: {key} is no list")
        else:
            track = _BY_NAME[key]
            tracks[track.attribute] = _keyframes(track, steps or ())
    if unknown:
        extra[_KEYFRAMES] = unknown
    return make_clip(name, source, tracks, extra)


def _read_form_b(name: str, steps: Sequence[Any], source: str) -> LoadedClip:
    name = _checked_name(name, source)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for step in steps:
        kind = step.get(_NAME) if isinstance(step, dict) else None
        if not isinstance(kind, str):
            raise DamagedFile(source, None, f"clip {name!r}: a keyframe does not say its {_NAME!r}")
        fields = {key: value for key, value in step.items() if key != _NAME}
        if kind == "RobotAudioKeyFrame":
            fields.setdefault(_HAS_ALTS, False)
        found.setdefault(kind, []).append(fields)
    tracks = {
        track.attribute: _keyframes(track, found[track.name])
        for track in TRACKS
        if track.name in found
    }
    loaded = make_clip(name, source, tracks)
    unknown = set(found) - set(_BY_NAME)
    if not unknown:
        return loaded
    text = f"clip {name!r}: there is no keyframe of the kind {quoted(sorted(unknown))}"
    return LoadedClip(loaded.clip, (*loaded.warnings, LoadWarning(source, text)))


def _checked_name(name: Any, source: str) -> str:
    if not isinstance(name, str) or not name or problem_of(name, TEXT):
        raise DamagedFile(source, None, f"a clip's name has 1 to {LONGEST_TEXT} printable bytes")
    return name


def _warn_of_keys(keys: Iterable[str], source: str) -> Iterator[LoadWarning]:
    if keys:
        yield LoadWarning(source, f"{quoted(sorted(keys))} means nothing in a clip file")


def _keyframes(track: Track, steps: Iterable[Any]) -> Iterator[Keyframe | str]:
    """Return keyframes, or the reason why one cannot be read."""
    attributes = {attribute.field.name: attribute for attribute in attributes_of(track.kind)}
    for step in steps:
        if not isinstance(step, dict):
            yield "it is no object"
            continue
        values: dict[str, Any] = {"extra": {k: v for k, v in step.items() if k not in attributes}}
        for name, attribute in attributes.items():
            value = step.get(name)
            if value is not None:
                values[attribute.name] = _from_json(value, attribute.field.type)
        yield track.kind(**values)


def _from_json(value: Any, type_: FieldType) -> Any:
    """Return the value as the other format would give it; a wrong one stays as it is."""
    if type_.is_vector:
        listed = value if isinstance(value, list) else [value]
        return tuple(_number_from_json(one, type_) for one in listed)
    if type_ is TEXT:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return str(value) if is_number else value
    return _number_from_json(value, type_)


def _number_from_json(value: Any, type_: FieldType) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if type_.number is F32.number:
        return _single(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type_ is SIGNED_U32 and _SIGN <= value < _UNSIGNED:
        return value - _UNSIGNED
    return value


def _single(value: float) -> float:
    """Return the nearest number of single precision; infinity, which is refused, beyond them."""
    with np.errstate(over="ignore"):
        try:
            return float(np.float32(value))
        except OverflowError:
            return float("inf")


def _clip_as_json(clip: AnimationClip) -> dict[str, Any]:
    extra = dict(clip.extra)
    unknown = extra.pop(_KEYFRAMES, {})
    keyframes = {
        track.name: [_keyframe_as_json(one) for one in clip.track(track)]
        for track in TRACKS
        if clip.track(track)
    }
    return {_NAME: clip.name, _KEYFRAMES: {**unknown, **keyframes}, **extra}


def _keyframe_as_json(keyframe: Keyframe) -> dict[str, Any]:
    content = dict(keyframe.extra)
    for attribute in attributes_of(type(keyframe)):
        value = getattr(keyframe, attribute.name)
        content[attribute.field.name] = _to_json(value, attribute.field.type)
    return content


def _to_json(value: Any, type_: FieldType) -> Any:
    if type_ is F32S:
        return [_shortest(one) for one in value]
    if type_ is F32:
        return _shortest(value)
    if type_ is SIGNED_U32:
        return value % _UNSIGNED
    return list(value) if type_.is_vector else value


def _shortest(value: float) -> float:
    """Return the number with the fewest digits that has the same single precision."""
    single = np.float32(value)
    return float(str(single)) if float(single) == value else value
