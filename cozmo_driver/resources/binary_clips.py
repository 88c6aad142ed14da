"""Clip files in FlatBuffers, ``cozmo_anim.fbs`` (spec 06 §3).

Reading has two steps, so that many files can be listed without decoding any: ``index_of`` finds
the clips of a file, ``read_clip`` decodes one of them. Python's runtime of the library has no
verifier, so ``FlatView`` checks every offset and length before it is followed; the library writes.
"""

from __future__ import annotations

import struct
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
from .errors import DamagedFile
from .fields import LONGEST_TEXT, TEXT, U32, Attribute, FieldType, attributes_of, problem_of
from .keyframes import Keyframe

_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")
_VTABLE_HEAD = struct.Struct("<HH")
"""Before the fields' offsets: size of the vtable, size of the table."""
_MOST_FIELDS = 32
"""Of a table that are kept: a damaged file may have thousands, in layouts that overlap. The schema
has ten at most."""


class FlatView:
    """A file's bytes. Everything raises ``DamagedFile`` with the place of what is wrong."""

    def __init__(self, data: bytes, source: str) -> None:
        self.data = data
        self.source = source
        self._vtables: dict[int, tuple[tuple[int, ...], int]] = {}

    def fail(self, at: int, reason: str) -> DamagedFile:
        return DamagedFile(self.source, at, reason)

    def follow(self, at: int) -> int:
        self._within(at, 4, "an offset")
        (offset,) = _U32.unpack_from(self.data, at)
        if offset < 4 or at + offset + 4 > len(self.data):
            raise self.fail(at, f"an offset of {offset} leads out of the file")
        return at + int(offset)

    def table(self, at: int) -> FlatTable:
        self._within(at, 4, "a table")
        (back,) = _I32.unpack_from(self.data, at)
        slots, size = self._vtable(at - back, at)
        self._within(at, size, "a table")
        return FlatTable(self, at, slots, size)

    def text(self, at: int) -> str:
        first, size = self._counted(at, 1, LONGEST_TEXT, "a text")
        if self.data[first + size : first + size + 1] != b"\0":
            raise self.fail(first + size, "a text does not end with a zero")
        try:
            return self.data[first : first + size].decode("utf-8")
        except UnicodeDecodeError:
            raise self.fail(first, "a text is no UTF-8") from None

    def numbers(self, at: int, type_: FieldType) -> tuple[Any, ...]:
        number = type_.number
        first, count = self._counted(at, number.bytewidth, type_.longest, "a list of numbers")
        code = number.packer_type.format[-1]
        return struct.unpack_from(f"<{count}{code}", self.data, first)

    def offsets(self, at: int, most: int, what: str) -> range:
        first, count = self._counted(at, 4, most, what)
        return range(first, first + 4 * count, 4)

    def _counted(self, at: int, width: int, most: int, what: str) -> tuple[int, int]:
        self._within(at, 4, what)
        (count,) = _U32.unpack_from(self.data, at)
        if count > most:
            raise self.fail(at, f"{what} has {count} elements, more than {most}")
        self._within(at + 4, count * width, what)
        return at + 4, int(count)

    def _vtable(self, at: int, table: int) -> tuple[tuple[int, ...], int]:
        """Offsets of the fields in the table, 0 for an absent one, and the table's size."""
        known = self._vtables.get(at)
        if known is not None:
            return known
        if at < 0:
            raise self.fail(table, "the layout of a table lies before the file")
        self._within(at, _VTABLE_HEAD.size, "the layout of a table")
        size, table_size = _VTABLE_HEAD.unpack_from(self.data, at)
        if size < _VTABLE_HEAD.size or size % 2 or table_size < 4:
            raise self.fail(at, f"a table's layout of {size} bytes for {table_size} is impossible")
        self._within(at, size, "the layout of a table")
        count = min((size - _VTABLE_HEAD.size) // 2, _MOST_FIELDS)
        slots = struct.unpack_from(f"<{count}H", self.data, at + _VTABLE_HEAD.size)
        self._vtables[at] = slots, table_size
        return slots, table_size

    def _within(self, at: int, size: int, what: str) -> None:
        if at + size > len(self.data):
            raise self.fail(at, f"{what} of {size} bytes goes beyond the file's {len(self.data)}")


@dataclass(slots=True, eq=False)
class FlatTable:
    view: FlatView
    at: int
    slots: tuple[int, ...]
    """Offsets of the fields, 0 for an absent one."""
    size: int

    def place(self, index: int, width: int = 4) -> int | None:
        """Return where a field of that many bytes lies, None where it is absent."""
        offset = self.slots[index] if index < len(self.slots) else 0
        if not offset:
            return None
        if offset < 4 or offset + width > self.size:
            raise self.view.fail(self.at, f"field {index} lies outside of its table")
        return self.at + offset

    def target(self, index: int) -> int | None:
        """Return where the offset in a field leads to, None where the field is absent."""
        place = self.place(index)
        return None if place is None else self.view.follow(place)

    def value(self, index: int, type_: FieldType) -> Any:
        """Return a field's value, None where it is absent."""
        if type_.number is None or type_.is_vector:
            target = self.target(index)
            if target is None:
                return None
            view = self.view
            return view.numbers(target, type_) if type_.is_vector else view.text(target)
        place = self.place(index, type_.number.bytewidth)
        if place is None:
            return None
        return type_.number.packer_type.unpack_from(self.view.data, place)[0]


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
    duration_ms: int | None = None
    """When the last keyframe is over; None where only ``duration_of`` tells it."""


def index_of(data: bytes, source: str) -> tuple[ClipEntry, ...]:
    """Return the clips of a file without decoding keyframes. Raises ``DamagedFile``."""
    view = FlatView(data, source)
    vector = view.table(view.follow(0)).target(_CLIPS)
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
    """Return when the last keyframe is over, ms, without decoding. Raises ``DamagedFile``."""
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
    """Return a clip that ``index_of`` has found in the same bytes. Raises ``DamagedFile``."""
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
    return tuple(read_clip(data, source, entry) for entry in index_of(data, source))


def write_binary_clips(clips: Sequence[AnimationClip]) -> bytes:
    """Return a file with these clips, without ``extra``. Raises ``ValueError``."""
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
    reason = problem_of(name, TEXT)
    if reason:
        raise clip.view.fail(clip.at, f"the name of a clip {reason}")
    return name


def _places(clip: FlatTable) -> list[range]:
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
