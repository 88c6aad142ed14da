"""Files that hold entries of the robot's storage: one JSON document, versioned, with hashes.

    {"format": "cozmo_driver storage backup", "version": 1,
     "created": "2026-01-31T12:00:00+00:00", "head_serial": "0x45a1b2c3", "firmware_version": 2457,
     "entries": [{"tag": "0x182000", "name": "GAME_UNLOCKS", "size": 48, "sha256": "...",
                  "image": "base64 of the entry as it lies in flash, header included"},
                 {"tag": "0x195000", "name": "INVENTORY_DATA", "empty": true}]}

A file read back is not trusted: every value is checked.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...protocol import NVEntryTag
from ...whole_files import read_whole
from ..data import Identity
from ..errors import Reason, RobotError
from .rules import USER_ENTRIES, is_erased, parse_header

FORMAT = "cozmo_driver storage backup"
VERSION = 1
_MAX_FILE = 1 << 20
"""Bytes; all entries together take 132 kB as text."""
_MAX_SAME_NAME = 10_000


@dataclass(frozen=True, slots=True)
class StorageBackup:
    """Entries of one robot as they lie in flash; None for those that were empty."""

    path: Path
    head_serial: int
    firmware_version: int
    created: str
    images: Mapping[int, bytes | None]


def save_backup(
    path: Path,
    identity: Identity,
    images: Mapping[int, bytes | None],
    *,
    numbered: bool = False,
) -> StorageBackup:
    """Write a new file, readable by its owner only, and have it on disk before returning.

    An existing file is never touched: with ``numbered`` another name is found. Raises ``OSError``.
    """
    created = datetime.now(timezone.utc).isoformat(timespec="seconds")
    document = {
        "format": FORMAT,
        "version": VERSION,
        "created": created,
        "head_serial": f"{identity.head_serial:#x}",
        "firmware_version": identity.firmware_version,
        "entries": [_entry(tag, image) for tag, image in images.items()],
    }
    text = json.dumps(document, indent=1) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    written = _write_new(path, text, _MAX_SAME_NAME if numbered else 1)
    return StorageBackup(
        written, identity.head_serial, identity.firmware_version, created, dict(images)
    )


def _entry(tag: int, image: bytes | None) -> dict[str, object]:
    entry: dict[str, object] = {"tag": f"{tag:#x}", "name": NVEntryTag(tag).name}
    if image is None:
        return entry | {"empty": True}
    return entry | {
        "size": len(image),
        "sha256": hashlib.sha256(image).hexdigest(),
        "image": base64.b64encode(image).decode("ascii"),
    }


def _write_new(path: Path, text: str, names: int) -> Path:
    for number in range(names):
        candidate = path.with_stem(f"{path.stem}-{number}") if number else path
        try:
            descriptor = os.open(candidate, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if number == names - 1:
                raise
            continue
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            # Half a backup would look like one.
            with contextlib.suppress(OSError):
                candidate.unlink()
            raise
        return candidate
    raise FileExistsError(f"no free name like {path}")


def load_backup(path: Path) -> StorageBackup:
    """Return what a backup file holds. Raises ``RobotError`` with what is wrong with it."""
    try:
        document = json.loads(read_whole(path, _MAX_FILE))
    except OSError as error:
        reason = Reason.NOT_FOUND if isinstance(error, FileNotFoundError) else Reason.INVALID
        raise RobotError(reason, f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RobotError(Reason.INVALID, f"{path} is no backup: it is not JSON") from error
    try:
        return _parse(path, document)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise RobotError(Reason.INVALID, f"{path} is no usable backup: {what}") from error


def _parse(path: Path, document: Any) -> StorageBackup:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"its format is not '{FORMAT}'")
    if document["version"] != VERSION:
        raise ValueError(f"its version is {document['version']!r}, this program knows {VERSION}")
    images: dict[int, bytes | None] = {}
    entries = document["entries"]
    if not isinstance(entries, list) or not entries:
        raise ValueError("it holds no entries")
    for entry in entries:
        tag = _number(entry["tag"])
        if tag not in USER_ENTRIES:
            raise ValueError(f"{tag:#x} is not an entry that may be restored")
        if tag in images:
            raise ValueError(f"it holds {tag:#x} twice")
        images[tag] = None if entry.get("empty") is True else _image(tag, entry)
    return StorageBackup(
        path=path,
        head_serial=_number(document["head_serial"]),
        firmware_version=int(document["firmware_version"]),
        created=str(document["created"]),
        images=images,
    )


def _number(text: object) -> int:
    if not isinstance(text, str) or not text.startswith("0x") or len(text) > len("0x12345678"):
        raise ValueError(f"{text!r} is not a number like 0x182000")
    return int(text, 16)


def _image(tag: int, entry: Mapping[str, Any]) -> bytes:
    try:
        image = base64.b64decode(entry["image"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"the image of {tag:#x} is not base64") from error
    header = parse_header(image, tag)
    size = USER_ENTRIES[tag] if header is None else header.image_size
    if len(image) != size or is_erased(image):
        raise ValueError(f"the image of {tag:#x} is none of an entry")
    if len(image) != entry["size"] or hashlib.sha256(image).hexdigest() != entry["sha256"]:
        raise ValueError(f"the image of {tag:#x} does not have the size and hash it should have")
    return image
