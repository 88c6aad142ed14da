"""Clip files in FlatBuffers, ``cozmo_anim.fbs`` (spec 06 §3).

Reading has two steps, so that many files can be listed without decoding any: ``index_of`` finds
the clips of a file, ``read_clip`` decodes one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
import numpy as np

from .clips import (
    MOST_KEYFRAMES,
    TRACKS,
    AnimationClip,
    LoadedClip,
    Track,
    make_clip,
    problem_with_clip,
)
from .fields import TEXT, U32, Attribute, FieldType, attributes_of
from .flat_view import FlatTable, FlatView
from .keyframes import Keyframe

MOST_CLIPS = 4096
"""In one file."""
MOST_KEYFRAMES_OF_FILE = 200_000

_CLIPS = 0
_NAME, _KEYFRAMES = 0, 1
_TRIGGER, _DURATION = 0, 1


@dataclass(frozen=True, slots=True)
class ClipEntry:
    """A clip inside a file: where it lies and what it has, before a keyframe is decoded."""

    name: str
    position: int
    keyframe_counts: tuple[int, ...]
    """In the order of ``TRACKS``."""


def index_of(data: bytes, source: str) -> tuple[ClipEntry, ...]:
    """Return the clips of a file without decoding keyframes. Raises ``ClipError``."""
    view = FlatView(data, source)
    vector = view.root().target(_CLIPS)
    if vector is None:
        return ()
    entries = []
    left = MOST_KEYFRAMES_OF_FILE
    for place in view.offsets(vector, MOST_CLIPS, "the list of clips"):
        clip = view.table(view.follow(place))
        counts = tuple(len(places) for places in _places(clip))
        left -= sum(counts)
        if left < 0:
            raise view.fail(place, f"there are more than {MOST_KEYFRAMES_OF_FILE} keyframes")
        entries.append(ClipEntry(_name_of(clip), clip.at, counts))
    return tuple(entries)


def duration_of(data: bytes, source: str, entry: ClipEntry) -> int:
    """Return when the last keyframe of a clip is over, ms, looking at times only.

    Keyframes that decoding would leave out count too. Raises ``ClipError``.
    """
    view = FlatView(data, source)
    latest = 0
    for track, places in zip(TRACKS, _places(view.table(entry.position)), strict=True):
        duration_type = _duration_type(track)
        for place in places:
            table = view.table(view.follow(place))
            end = table.value(_TRIGGER, U32) or 0
            if duration_type is not None:
                end += max(0, table.value(_DURATION, duration_type) or 0)
            latest = max(latest, end)
    return latest


def read_clip(data: bytes, source: str, entry: ClipEntry) -> LoadedClip:
    """Return a clip that ``index_of`` has found in the same bytes. Raises ``ClipError``."""
    view = FlatView(data, source)
    table = view.table(entry.position)
    if _name_of(table) != entry.name:
        raise view.fail(entry.position, f"the clip {entry.name!r} is no longer here")
    tracks = {
        track.attribute: _keyframes(view, track, places)
        for track, places in zip(TRACKS, _places(table), strict=True)
    }
    return make_clip(entry.name, source, tracks)


def read_clips(data: bytes, source: str) -> tuple[LoadedClip, ...]:
    """Return every clip of a file. Raises ``ClipError``."""
    return tuple(read_clip(data, source, entry) for entry in index_of(data, source))


def write_clips(clips: Sequence[AnimationClip]) -> bytes:
    """Return a file with these clips. Raises ``ValueError`` for what no file can hold.

    ``extra`` is not part of this format.
    """
    if len(clips) > MOST_CLIPS:
        raise ValueError(f"a file holds at most {MOST_CLIPS} clips, not {len(clips)}")
    for clip in clips:
        reason = problem_with_clip(clip)
        if reason:
            raise ValueError(reason)
    builder = flatbuffers.Builder(1024)
    vector = _write_tables(builder, [_write_clip(builder, clip) for clip in clips])
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(_CLIPS, vector, 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def _name_of(clip: FlatTable) -> str:
    name: str | None = clip.value(_NAME, TEXT)
    if not name:
        raise clip.view.fail(clip.at, "a clip has no name")
    return name


def _places(clip: FlatTable) -> list[range]:
    """Return, for each track, the places of the offsets to its keyframes."""
    target = clip.target(_KEYFRAMES)
    if target is None:
        return [range(0)] * len(TRACKS)
    keyframes = clip.view.table(target)
    vectors = (keyframes.target(index) for index in range(len(TRACKS)))
    return [
        range(0)
        if vector is None
        else clip.view.offsets(vector, MOST_KEYFRAMES, f"the track {track.name}")
        for track, vector in zip(TRACKS, vectors, strict=True)
    ]


def _duration_type(track: Track) -> FieldType | None:
    attributes = attributes_of(track.kind)
    lasts = len(attributes) > _DURATION and attributes[_DURATION].name == "duration_ms"
    return attributes[_DURATION].field.type if lasts else None


def _keyframes(view: FlatView, track: Track, places: range) -> Iterator[Keyframe | str]:
    attributes = attributes_of(track.kind)
    for place in places:
        table = view.table(view.follow(place))
        values = {}
        for index, attribute in enumerate(attributes):
            value = table.value(index, attribute.field.type)
            if value is not None:
                values[attribute.name] = value
        yield track.kind(**values)


def _write_clip(builder: Any, clip: AnimationClip) -> int:
    vectors = []
    for track in TRACKS:
        keyframes = clip.track(track)
        tables = [_write_keyframe(builder, keyframe) for keyframe in keyframes]
        vectors.append(_write_tables(builder, tables) if tables else 0)
    builder.StartObject(len(TRACKS))
    for index, vector in enumerate(vectors):
        builder.PrependUOffsetTRelativeSlot(index, vector, 0)
    keyframes_table = builder.EndObject()
    name = builder.CreateString(clip.name)
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(_NAME, name, 0)
    builder.PrependUOffsetTRelativeSlot(_KEYFRAMES, keyframes_table, 0)
    return int(builder.EndObject())


def _write_keyframe(builder: Any, keyframe: Keyframe) -> int:
    attributes = attributes_of(type(keyframe))
    values = [getattr(keyframe, attribute.name) for attribute in attributes]
    # What lies outside of a table must be there before the table is begun.
    outside = {
        index: _write_outside(builder, attribute, value)
        for index, (attribute, value) in enumerate(zip(attributes, values, strict=True))
        if attribute.field.type is TEXT or attribute.field.type.is_vector
    }
    builder.StartObject(len(attributes))
    for index, (attribute, value) in enumerate(zip(attributes, values, strict=True)):
        if index in outside:
            builder.PrependUOffsetTRelativeSlot(index, outside[index], 0)
        else:
            builder.PrependSlot(attribute.field.type.number, index, value, attribute.default)
    return int(builder.EndObject())


def _write_outside(builder: Any, attribute: Attribute, value: Any) -> int:
    if attribute.field.type is TEXT:
        return int(builder.CreateString(value))
    if not value:
        return 0
    code = attribute.field.type.number.packer_type.format[-1]
    return int(builder.CreateNumpyVector(np.array(value, f"<{code}")))


def _write_tables(builder: Any, tables: Sequence[int]) -> int:
    builder.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        builder.PrependUOffsetTRelative(table)
    return int(builder.EndVector())
