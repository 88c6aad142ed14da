"""A sound bank file: which objects and which media it holds (spec 05 §5).

Only the table of contents and the objects are kept in memory; media is read when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import DamagedFile, UnsupportedFile
from .objects import MUSIC, HierarchyObject, ObjectType, Reader, read_object

VERSION = 120
LARGEST_HIERARCHY = 8 << 20
LARGEST_OBJECT = 64 << 10
LARGEST_INDEX = 1 << 20
LARGEST_MEDIA = 8 << 20
"""Bytes."""
_CHUNK_HEADER = 8
MOST_OBJECTS = 100_000
_MOST_CHUNKS = 64


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    type: int
    position: int
    size: int


@dataclass(frozen=True, slots=True)
class MediaEntry:
    """Where embedded media is in the file; perhaps only the beginning of a streamed file."""

    offset: int
    size: int


class Bank:
    """A bank. Objects are parsed when they are asked for; nothing is trusted."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read the table of contents. Raises ``DamagedFile``, ``OSError``."""
        self.path = Path(path)
        self.source = str(self.path)
        self.id = 0
        self.media: Mapping[int, MediaEntry] = {}
        self.entries: Mapping[int, ObjectEntry] = {}
        self._parsed: dict[int, HierarchyObject | None] = {}
        self._hierarchy = b""
        self._hierarchy_offset = 0
        with self.path.open("rb") as file:
            self._read(file)

    def object(self, id_: int) -> HierarchyObject | None:
        """Return an object, None for another or a skipped type. Raises ``DamagedFile``."""
        entry = self.entries.get(id_)
        if entry is None:
            return None
        if id_ not in self._parsed:
            self._parsed[id_] = self._parse(entry)
        return self._parsed[id_]

    def media_bytes(self, id_: int) -> bytes:
        """Return embedded media. Raises ``DamagedFile``, ``KeyError``, ``OSError``."""
        entry = self.media[id_]
        if entry.size > LARGEST_MEDIA:
            raise self._damaged(entry.offset, f"media {id_} has {entry.size} bytes, too many")
        with self.path.open("rb") as file:
            file.seek(entry.offset)
            data = file.read(entry.size)
        if len(data) != entry.size:
            raise self._damaged(entry.offset, f"media {id_} is cut off")
        return data

    def _damaged(self, offset: int, reason: str) -> DamagedFile:
        return DamagedFile(self.source, offset, reason)

    def _parse(self, entry: ObjectEntry) -> HierarchyObject | None:
        start = self._hierarchy_offset + entry.position
        if entry.size > LARGEST_OBJECT:
            text = f"an object has {entry.size} bytes, {LARGEST_OBJECT} at most"
            raise self._damaged(start, text)
        body = self._hierarchy[entry.position : entry.position + entry.size]
        return read_object(entry.type, Reader(body, self.source, start))

    def _read(self, file: BinaryIO) -> None:
        size = os.fstat(file.fileno()).st_size
        chunks = self._chunks(file, size)
        if b"BKHD" not in chunks:
            raise self._damaged(0, "is no sound bank: it does not begin with BKHD")
        header = self._content(file, chunks[b"BKHD"], 1 << 16)
        version, self.id = header.u32(), header.u32()
        if version != VERSION:
            text = f"is a bank of version {version}; {VERSION} can be read"
            raise UnsupportedFile(self.source, 8, text)
        if b"HIRC" in chunks:
            self._index_objects(self._content(file, chunks[b"HIRC"], LARGEST_HIERARCHY))
        if b"DIDX" in chunks:
            index = self._content(file, chunks[b"DIDX"], LARGEST_INDEX)
            self._index_media(index, chunks.get(b"DATA", (0, 0)))

    def _chunks(self, file: BinaryIO, size: int) -> dict[bytes, tuple[int, int]]:
        """Return (offset, size) of the content of every chunk."""
        chunks: dict[bytes, tuple[int, int]] = {}
        offset = 0
        while offset < size:
            file.seek(offset)
            reader = Reader(file.read(_CHUNK_HEADER), self.source, offset)
            name, length = reader.read(4), reader.u32()
            if not chunks and name != b"BKHD":
                return {}
            if name in chunks:
                raise self._damaged(offset, f"there are two chunks {name!r}")
            if len(chunks) == _MOST_CHUNKS:
                raise self._damaged(offset, "there are too many chunks")
            offset += _CHUNK_HEADER
            left = size - offset
            if length > left:
                raise self._damaged(offset, f"chunk {name!r} has {length} bytes, {left} are left")
            chunks[name] = offset, length
            offset += length
        return chunks

    def _content(self, file: BinaryIO, place: tuple[int, int], most: int) -> Reader:
        offset, size = place
        if size > most:
            raise self._damaged(offset, f"a chunk has {size} bytes, {most} at most")
        file.seek(offset)
        return Reader(file.read(size), self.source, offset)

    def _index_objects(self, reader: Reader) -> None:
        self._hierarchy = reader.data
        self._hierarchy_offset = reader.offset
        known = {*ObjectType, *MUSIC}
        entries: dict[int, ObjectEntry] = {}
        count = reader.count_u32(9)
        if count > MOST_OBJECTS:
            reader.fail(f"there are {count} objects, more than {MOST_OBJECTS}")
        for _ in range(count):
            type_, size = reader.u8(), reader.u32()
            position = reader.position
            id_ = reader.u32()
            if size < 4:
                reader.fail(f"an object has {size} bytes, too few")
            reader.skip(size - 4)
            if type_ in known:
                # An id is unique; of two the first is meant.
                entries.setdefault(id_, ObjectEntry(type_, position, size))
        self.entries = entries

    def _index_media(self, reader: Reader, data: tuple[int, int]) -> None:
        start, size = data
        media: dict[int, MediaEntry] = {}
        while reader.remaining:
            id_, offset, length = reader.u32(), reader.u32(), reader.u32()
            if offset + length > size:
                reader.fail(f"media {id_} goes past the end of DATA ({size} bytes)")
            media.setdefault(id_, MediaEntry(start + offset, length))
        self.media = media
