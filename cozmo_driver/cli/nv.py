"""``cozmo nv``: what a robot keeps in its storage."""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..protocol import NVEntryTag
from ..robot import (
    ENTRY_HEADER_SIZE,
    USER_ENTRIES,
    Robot,
    RobotError,
    StorageDifference,
    StorageError,
    StorageOptions,
    entry_name,
    is_factory,
    load_backup,
    max_data_size,
)
from . import one_robot
from .common import CommandError, action_adder, as_command_error, counted, print_result
from .completion import complete_with
from .progress import progress_bar

_EXAMPLES = {
    "list": ("cozmo nv list", "cozmo nv list --json"),
    "read": (
        "cozmo nv read camera_calib",
        "cozmo nv read game_unlocks --output unlocks.bin",
        "cozmo nv read 0x182000 --json",
    ),
    "backup": (
        "cozmo nv backup  # to cozmo-SERIAL-DATE.json",
        "cozmo nv backup before.json",
    ),
    "restore": (
        "cozmo nv restore saved.json  # only shows what would change",
        "cozmo nv restore saved.json --yes",
        "cozmo nv restore other.json --force --yes  # what another robot held",
    ),
    "write": (
        "cozmo nv write game_unlocks unlocks.bin  # only shows what would change",
        "cozmo nv write game_unlocks unlocks.bin --yes",
    ),
    "erase": ("cozmo nv erase game_unlocks --yes",),
}

_ENTRIES = (
    *USER_ENTRIES,
    *(tag for tag in NVEntryTag if is_factory(tag) and tag is not NVEntryTag.INVALID),
)
_ROW = 16


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list the entries and their sizes", _list)
    read = action("read", "show the content of an entry, or write it to a file", _read)
    backup = action("backup", "save everything of the app to a new file", _backup)
    restore = action("restore", "make every entry as it is in a backup", _restore)
    write = action("write", "replace an entry of the app by a file", _change_entry)
    erase = action("erase", "empty an entry of the app", _change_entry)
    for named in (read, write, erase):
        entry = named.add_argument(
            "entry",
            type=_tag_of,
            metavar="ENTRY",
            help="its name in any case, or its tag like 0x182000; see cozmo nv list",
        )
        complete_with(entry, lambda: [NVEntryTag(tag).name.lower() for tag in _ENTRIES])
    read.add_argument("--output", type=Path, metavar="FILE", help="write the bytes there")
    backup.add_argument(
        "file", type=Path, nargs="?", help="a .json that is not there yet (default: named here)"
    )
    restore.add_argument("file", type=Path, help="a file of cozmo nv backup")
    restore.add_argument(
        "--force", action="store_true", help="even when it is a backup of another robot"
    )
    write.add_argument("file", type=Path, help="the content, up to the size of the entry")
    restore.set_defaults(check=lambda arguments: load_backup(arguments.file))
    for one_entry in (write, erase):
        one_entry.set_defaults(check=_check_change)
    for changing in (restore, write, erase):
        changing.add_argument(
            "--yes", action="store_true", help="do it instead of showing what would change"
        )
    for machine in (listing, read, restore):
        machine.add_argument("--json", action="store_true", help="print JSON for programs")
    for each in (listing, read, backup, restore, write, erase):
        one_robot.add_arguments(each, with_volume=False)


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(RobotError):
        if hasattr(arguments, "check"):
            arguments.check(arguments)
        return one_robot.run_with_robot(
            arguments,
            partial(arguments.action, arguments),
            storage=StorageOptions(allow_write=getattr(arguments, "yes", False)),
        )


def _tag_of(text: str) -> int:
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


def _size(content: bytes | None) -> str:
    return "empty" if content is None else f"{len(content)} bytes"


async def _list(arguments: argparse.Namespace, robot: Robot) -> int:
    rows: list[dict[str, Any]] = []
    with progress_bar("reading") as show:
        for tag in _ENTRIES:
            row: dict[str, Any] = {
                **_named(tag),
                "of": "app" if tag in USER_ENTRIES else "factory",
            }
            try:
                content = await robot.storage.read(tag)
                row["size"] = None if content is None else len(content)
            except StorageError as error:
                row["error"] = str(error)
            rows.append(row)
            show(len(rows), len(_ENTRIES))
    print_result(arguments, rows, map(_line_of, rows))
    return 1 if any("error" in row for row in rows) else 0


def _line_of(row: dict[str, Any]) -> str:
    size = "empty" if row.get("size") is None else f"{row['size']} bytes"
    what = row.get("error", size)
    return f"{row['tag']:<10}  {row['of']:<7}  {row['name']:<21}  {what}"


def _named(tag: int) -> dict[str, str]:
    return {"tag": f"{tag:#x}", "name": NVEntryTag(tag).name}


async def _read(arguments: argparse.Namespace, robot: Robot) -> int:
    tag = arguments.entry
    content = await robot.storage.read(tag)
    if arguments.json:
        text = None if content is None else base64.b64encode(content).decode("ascii")
        size = None if content is None else len(content)
        print(json.dumps({**_named(tag), "size": size, "base64": text}))
    if content is None:
        print(f"{entry_name(tag)} is empty", file=sys.stderr)
        return 1
    if arguments.output is not None:
        arguments.output.write_bytes(content)
        print(f"{arguments.output}: {len(content)} bytes of {entry_name(tag)}", file=sys.stderr)
    elif not arguments.json:
        print("\n".join(_rows(content)))
    return 0


def _rows(content: bytes) -> Iterator[str]:
    for start in range(0, len(content), _ROW):
        row = content[start : start + _ROW]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        yield f"{start:06x}  {row.hex(' '):<{3 * _ROW - 1}}  {text}"


def _check_change(arguments: argparse.Namespace) -> None:
    """Refuse what needs no robot to be refused. Raises ``CommandError``."""
    tag = arguments.entry
    if tag not in USER_ENTRIES:
        raise CommandError(
            f"{entry_name(tag)} is of the factory: only entries of the app can be changed"
        )
    # Read once: what comes from a pipe is gone then.
    arguments.content = _content_for(arguments) if "file" in arguments else None


def _content_for(arguments: argparse.Namespace) -> bytes:
    most = max_data_size(arguments.entry)
    with arguments.file.open("rb") as file:
        content: bytes = file.read(most + 1)
    if len(content) > most:
        raise CommandError(
            f"{arguments.file} does not fit into {entry_name(arguments.entry)}, which holds "
            f"{most} bytes"
        )
    return content


async def _change_entry(arguments: argparse.Namespace, robot: Robot) -> int:
    """Write or erase an entry, or without --yes print what would be done."""
    tag, name = arguments.entry, entry_name(arguments.entry)
    content: bytes | None = arguments.content
    if not arguments.yes:
        old = await robot.storage.read(tag)
        print(f"{name}: {_size(old)} would become {_size(content)}")
        print("nothing was changed; --yes does it")
        return 0
    if content is None:
        change = await robot.storage.erase(tag, f"{tag:#x}")
    else:
        change = await robot.storage.write(tag, content, f"{tag:#x}")
    if change.changed:
        saved = f"; the old content is in {change.backup_file}" if change.backup_file else ""
        print(f"{name} is now {_size(content)}{saved}")
    else:
        print(f"{name} held this already; nothing was changed")
    return 0


async def _backup(arguments: argparse.Namespace, robot: Robot) -> int:
    serial = robot.identity.head_serial
    named = Path(f"cozmo-{serial:08x}-{datetime.now():%Y%m%d-%H%M%S}.json")
    path = arguments.file or named
    if path.exists():
        # Said before minutes of reading; the file is made in a way that overwrites none.
        raise CommandError(f"{path} is there already; name a new file")
    with progress_bar("saving") as show:
        saved = await robot.storage.backup(path, show)
    full = [image for image in saved.images.values() if image is not None]
    print(
        f"{saved.path}: {_entries(len(full))}, {sum(map(len, full))} bytes; "
        f"{_entries(len(saved.images) - len(full))} empty"
    )
    return 0


async def _restore(arguments: argparse.Namespace, robot: Robot) -> int:
    with progress_bar("comparing") as show:
        compared = await robot.storage.compare(
            arguments.file, of_another=arguments.force, on_progress=show
        )
    different = [one for one in compared if one.robot != one.file]
    if not arguments.json:
        for one in different:
            print(f"{entry_name(one.tag)}: {_text(one)}")
        print(f"{_entries(len(compared) - len(different))} equal already")
    if arguments.yes and different:
        await _change(arguments, robot, len(compared))
    done = "restored" if arguments.yes else "to restore"
    if arguments.json:
        rows = [{**_named(one.tag), "change": _text(one)} for one in different]
        print(json.dumps({"restored": arguments.yes, "entries": rows}, indent=1))
    elif different:
        hint = "" if arguments.yes else "; nothing was changed, --yes does it"
        print(f"{_entries(len(different))} {done}{hint}")
    return 0


async def _change(arguments: argparse.Namespace, robot: Robot, total: int) -> None:
    finished = 0

    def count(done: int, of: int) -> None:
        nonlocal finished
        finished = done
        show(done, of)

    serial = f"{robot.identity.head_serial:#x}"
    with progress_bar("restoring") as show:
        try:
            await robot.storage.restore(
                arguments.file, serial, of_another=arguments.force, on_progress=count
            )
        except asyncio.CancelledError:
            print(
                f"ended after {finished} of {total} entries, each of them whole; call it again "
                "to restore the rest",
                file=sys.stderr,
            )
            raise
    print(f"what was there before is in {robot.storage.options.backup_directory}", file=sys.stderr)


def _text(one: StorageDifference) -> str:
    robot, file = (image and image[ENTRY_HEADER_SIZE:] for image in (one.robot, one.file))
    return f"{_size(robot)} -> {_size(file)}"


def _entries(count: int) -> str:
    return counted(count, "entry", "entries")
