"""SoundbanksInfo.xml: the names of events and files (spec 05 §5). The links are in the banks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeVar
from xml.etree import ElementTree

from .errors import SoundBankError

LARGEST_FILE = 64 << 20
"""Bytes."""
MOST_ENTRIES = 200_000
LONGEST_TEXT = 4096
DEEPEST = 32
_PIECE = 1 << 16
_LARGEST_ID = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class EventInfo:
    """An event: the id that clips give, its name, its place in the authors' project."""

    id: int
    name: str
    object_path: str
    bank: str


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file of media: its id, language, the authors' name and where it is."""

    id: int
    language: str
    short_name: str = ""
    path: str = ""
    prefetch_size: int | None = None
    """Bytes that are embedded when it is only a beginning."""


@dataclass(frozen=True, slots=True)
class BankInfo:
    """A bank: id, language, name, file."""

    id: int
    language: str
    short_name: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class BanksInfo:
    """What the file lists, by id."""

    events: Mapping[int, EventInfo] = field(default_factory=dict)
    banks: Mapping[int, BankInfo] = field(default_factory=dict)
    streamed: Mapping[int, FileInfo] = field(default_factory=dict)
    embedded: Mapping[int, FileInfo] = field(default_factory=dict)


_Entry = TypeVar("_Entry", EventInfo, BankInfo, FileInfo)


def read_banks_info(path: str | os.PathLike[str]) -> BanksInfo:
    """Read SoundbanksInfo.xml. Raises ``SoundBankError``, ``OSError``."""
    source = str(path)
    target = _Target(source)
    parser = ElementTree.XMLParser(target=target)
    read = 0
    with Path(path).open("rb") as file:
        try:
            while piece := file.read(_PIECE):
                read += len(piece)
                if read > LARGEST_FILE:
                    raise SoundBankError(source, None, f"has more than {LARGEST_FILE} bytes")
                parser.feed(piece)
            parser.close()
        except ElementTree.ParseError as error:
            raise SoundBankError(source, None, f"is no XML: {error}") from None
        except (LookupError, ValueError) as error:
            if isinstance(error, SoundBankError):
                raise
            # An encoding that Python does not have.
            raise SoundBankError(source, None, f"is no XML that can be read: {error}") from None
    return target.info()


class _Target:
    """Takes what the parser meets; keeps the few things wanted, so memory stays small."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._path: list[str] = []
        self._attributes: list[dict[str, str]] = []
        self._texts: list[dict[str, str]] = []
        self._text: list[str] = []
        self._text_size = 0
        self._count = 0
        self._events: dict[int, EventInfo] = {}
        self._banks: dict[int, BankInfo] = {}
        self._streamed: dict[int, FileInfo] = {}
        self._embedded: dict[int, FileInfo] = {}

    def info(self) -> BanksInfo:
        return BanksInfo(self._events, self._banks, self._streamed, self._embedded)

    # What the parser calls.

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Refuse a DTD before any entity of it is known."""
        self._fail("has a document type declaration, which is not accepted")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != "SoundBanksInfo":
            self._fail(f"begins with {tag[:40]!r}, not SoundBanksInfo")
        if len(self._path) == DEEPEST:
            self._fail(f"is nested deeper than {DEEPEST}")
        self._path.append(tag)
        self._attributes.append(attributes)
        self._texts.append({})
        self._text, self._text_size = [], 0

    def data(self, text: str) -> None:
        self._text_size += len(text)
        if self._text_size > LONGEST_TEXT and text.strip():
            self._fail(f"has a text of more than {LONGEST_TEXT} characters")
        if self._text_size <= LONGEST_TEXT:
            self._text.append(text)

    def end(self, tag: str) -> None:
        self._path.pop()
        attributes, texts = self._attributes.pop(), self._texts.pop()
        if self._texts and tag in ("ShortName", "Path", "PrefetchSize"):
            self._texts[-1][tag] = "".join(self._text).strip()
        self._text, self._text_size = [], 0
        self._keep(tag, attributes, texts)

    def close(self) -> None:
        """Nothing is left to do."""

    # -- inside

    def _keep(self, tag: str, attributes: dict[str, str], texts: dict[str, str]) -> None:
        parent = self._path[-1] if self._path else ""
        match parent, tag:
            case "StreamedFiles", "File":
                self._add(self._streamed, self._file(attributes, texts))
            case "IncludedMemoryFiles", "File":
                self._add(self._embedded, self._file(attributes, texts))
            case "SoundBanks", "SoundBank":
                language = attributes.get("Language", "")
                name, path = texts.get("ShortName", ""), texts.get("Path", "")
                self._add(self._banks, BankInfo(self._id(attributes), language, name, path))
            case "IncludedEvents", "Event":
                name, path = attributes.get("Name", ""), attributes.get("ObjectPath", "")
                bank = self._texts[-2].get("ShortName", "") if len(self._texts) > 1 else ""
                self._add(self._events, EventInfo(self._id(attributes), name, path, bank))

    def _add(self, table: dict[int, _Entry], entry: _Entry) -> None:
        self._count += 1
        if self._count > MOST_ENTRIES:
            self._fail(f"has more than {MOST_ENTRIES} entries")
        table.setdefault(entry.id, entry)

    def _file(self, attributes: dict[str, str], texts: dict[str, str]) -> FileInfo:
        prefetch = texts.get("PrefetchSize")
        return FileInfo(
            self._id(attributes),
            attributes.get("Language", ""),
            texts.get("ShortName", ""),
            texts.get("Path", ""),
            None if prefetch is None else self._number(prefetch, "PrefetchSize"),
        )

    def _id(self, attributes: dict[str, str]) -> int:
        return self._number(attributes.get("Id", ""), "Id")

    def _number(self, text: str, name: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 10):
            self._fail(f"{name} is a whole number, not {text[:40]!r}")
        number = int(text)
        if number > _LARGEST_ID:
            self._fail(f"{name} is at most {_LARGEST_ID}, not {number}")
        return number

    def _fail(self, reason: str) -> NoReturn:
        raise SoundBankError(self._source, None, reason)
