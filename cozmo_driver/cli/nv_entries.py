"""``cozmo nv list``, ``read``, ``write`` and ``erase``: single entries of the storage."""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..protocol.enums import NVEntryTag
from ..robot import Robot, StorageChange, StorageError
from ..robot.storage.rules import USER_ENTRIES, is_factory, max_data_size, name_of
from .errors import CommandError
from .progress import progress_bar

_ENTRIES = (
    *USER_ENTRIES,
    *(tag for tag in NVEntryTag if is_factory(tag) and tag is not NVEntryTag.INVALID),
)
_ROW = 16


def entry_names() -> list[str]:
    """Return the names of all entries, as they are typed."""
    return [NVEntryTag(tag).name.lower() for tag in _ENTRIES]


def tag_of(text: str) -> int:
    """Return the tag that a name or number means. Raises ``ArgumentTypeError``."""
    for tag in _ENTRIES:
        if text.upper() == NVEntryTag(tag).name:
            return int(tag)
    try:
        number = int(text, 16)
    except ValueError:
        number = -1
    if number not in _ENTRIES:
        raise argparse.ArgumentTypeError(f"there is no entry {text!r}; see cozmo nv list")
    return number


def size_text(content: bytes | None) -> str:
    """Return how much there is, for people."""
    return "empty" if content is None else f"{len(content)} bytes"


def old_content_text(path: Path | None) -> str:
    """Return where the content from before is."""
    return f"; the old content is in {path}" if path else ""


async def list_all(arguments: argparse.Namespace, robot: Robot) -> int:
    """Print every entry with its size; return 1 where one could not be read."""
    rows: list[dict[str, Any]] = []
    with progress_bar("reading") as show:
        for tag in _ENTRIES:
            row: dict[str, Any] = {
                "tag": f"{tag:#x}",
                "name": NVEntryTag(tag).name,
                "of": "app" if tag in USER_ENTRIES else "factory",
            }
            try:
                content = await robot.storage.read(tag)
                row["size"] = None if content is None else len(content)
            except StorageError as error:
                row["error"] = str(error)
            rows.append(row)
            show(len(rows), len(_ENTRIES))
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            size = row.get("size")
            what = row.get("error") or ("empty" if size is None else f"{size} bytes")
            print(f"{row['tag']:<10}  {row['of']:<7}  {row['name']:<21}  {what}")
    return 1 if any("error" in row for row in rows) else 0


async def read(arguments: argparse.Namespace, robot: Robot) -> int:
    """Print an entry or write it to a file; return 1 for an empty one."""
    tag = arguments.entry
    content = await robot.storage.read(tag)
    if arguments.json:
        text = None if content is None else base64.b64encode(content).decode("ascii")
        size = None if content is None else len(content)
        name = NVEntryTag(tag).name
        print(json.dumps({"tag": f"{tag:#x}", "name": name, "size": size, "base64": text}))
    if content is None:
        print(f"{name_of(tag)} is empty", file=sys.stderr)
        return 1
    if arguments.output is not None:
        arguments.output.write_bytes(content)
        print(f"{arguments.output}: {len(content)} bytes of {name_of(tag)}", file=sys.stderr)
    elif not arguments.json:
        print("\n".join(_rows(content)))
    return 0


def _rows(content: bytes) -> Iterator[str]:
    for start in range(0, len(content), _ROW):
        row = content[start : start + _ROW]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        yield f"{start:06x}  {row.hex(' '):<{3 * _ROW - 1}}  {text}"


def check_change(arguments: argparse.Namespace) -> None:
    """Refuse what needs no robot to be refused. Raises ``CommandError``."""
    tag = arguments.entry
    if tag not in USER_ENTRIES:
        raise CommandError(
            f"{name_of(tag)} is of the factory: only entries of the app can be changed"
        )
    if hasattr(arguments, "file"):
        _content_for(arguments)


def _content_for(arguments: argparse.Namespace) -> bytes:
    most = max_data_size(arguments.entry)
    with arguments.file.open("rb") as file:
        content: bytes = file.read(most + 1)
    if len(content) > most:
        raise CommandError(
            f"{arguments.file} does not fit into {name_of(arguments.entry)}, which holds "
            f"{most} bytes"
        )
    return content


async def write(arguments: argparse.Namespace, robot: Robot) -> int:
    """Replace an entry, or without --yes tell what would be done; return 0."""
    tag, content = arguments.entry, _content_for(arguments)
    if not arguments.yes:
        return await _only_tell(robot, tag, content)
    return _tell_change(await robot.storage.write(tag, content, f"{tag:#x}"), size_text(content))


async def erase(arguments: argparse.Namespace, robot: Robot) -> int:
    """Empty an entry, or without --yes tell what would be done; return 0."""
    tag = arguments.entry
    if not arguments.yes:
        return await _only_tell(robot, tag, None)
    return _tell_change(await robot.storage.erase(tag, f"{tag:#x}"), "empty")


async def _only_tell(robot: Robot, tag: int, content: bytes | None) -> int:
    old = await robot.storage.read(tag)
    print(f"{name_of(tag)}: {size_text(old)} would become {size_text(content)}")
    print("nothing was changed; --yes does it")
    return 0


def _tell_change(change: StorageChange, what: str) -> int:
    if change.changed:
        saved = old_content_text(change.backup_file)
        print(f"{name_of(change.tag)} is now {what}{saved}")
    else:
        print(f"{name_of(change.tag)} held this already; nothing was changed")
    return 0
