"""``cozmo nv backup`` and ``restore``: everything of the app in the storage, as a file."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from datetime import datetime
from pathlib import Path

from ..protocol.enums import NVEntryTag
from ..robot import Robot, StorageDifference
from ..robot.storage.backup import load_backup
from ..robot.storage.rules import HEADER_SIZE, name_of
from .errors import CommandError
from .nv_entries import size_text
from .progress import progress_bar
from .words import counted


async def backup(arguments: argparse.Namespace, robot: Robot) -> int:
    """Write the file and name it; return 0."""
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


def check_restore(arguments: argparse.Namespace) -> None:
    """Refuse what is no backup, without a robot. Raises ``BackupError``."""
    load_backup(arguments.file)


async def restore(arguments: argparse.Namespace, robot: Robot) -> int:
    """Tell what differs and with --yes change it; return 0."""
    with progress_bar("comparing") as show:
        compared = await robot.storage.compare(
            arguments.file, of_another=arguments.force, on_progress=show
        )
    different = [one for one in compared if one.robot != one.file]
    if not arguments.json:
        for one in different:
            print(f"{name_of(one.tag)}: {_text(one)}")
        print(f"{_entries(len(compared) - len(different))} equal already")
    if arguments.yes and different:
        await _change(arguments, robot, len(compared))
    done = "restored" if arguments.yes else "to restore"
    if arguments.json:
        rows = [
            {"tag": f"{one.tag:#x}", "name": NVEntryTag(one.tag).name, "change": _text(one)}
            for one in different
        ]
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
    robot, file = (image and image[HEADER_SIZE:] for image in (one.robot, one.file))
    return f"{size_text(robot)} -> {size_text(file)}"


def _entries(count: int) -> str:
    return counted(count, "entry", "entries")
