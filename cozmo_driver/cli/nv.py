"""``cozmo nv``: what a robot keeps in its storage."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from ..robot import BackupError, StorageError, StorageOptions, StorageRefused
from . import nv_backup, nv_entries, one_robot
from .completers import complete_with
from .errors import CommandError
from .examples import action_adder

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


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "tell which entries there are, and their sizes", nv_entries.list_all)
    read = action("read", "show the content of an entry, or write it to a file", nv_entries.read)
    backup = action("backup", "save everything of the app to a new file", nv_backup.backup)
    restore = action("restore", "make every entry as it is in a backup", nv_backup.restore)
    write = action("write", "replace an entry of the app by a file", nv_entries.write)
    erase = action("erase", "empty an entry of the app", nv_entries.erase)
    for named in (read, write, erase):
        entry = named.add_argument(
            "entry",
            type=nv_entries.tag_of,
            metavar="ENTRY",
            help="its name in any case, or its tag like 0x182000; see cozmo nv list",
        )
        complete_with(entry, nv_entries.entry_names)
    read.add_argument("--output", type=Path, metavar="FILE", help="write the bytes there")
    backup.add_argument(
        "file", type=Path, nargs="?", help="a .json that is not there yet (default: named here)"
    )
    restore.add_argument("file", type=Path, help="a file of cozmo nv backup")
    restore.add_argument(
        "--force", action="store_true", help="even when it is a backup of another robot"
    )
    write.add_argument("file", type=Path, help="the content, up to the size of the entry")
    restore.set_defaults(check=nv_backup.check_restore)
    for one_entry in (write, erase):
        one_entry.set_defaults(check=nv_entries.check_change)
    for changing in (restore, write, erase):
        changing.add_argument(
            "--yes", action="store_true", help="do it instead of showing what would change"
        )
    for machine in (listing, read, restore):
        machine.add_argument("--json", action="store_true", help="print JSON for programs")
    for each in (listing, read, backup, restore, write, erase):
        one_robot.add_arguments(each, with_volume=False)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for; return 0, or 1 where an entry could not be read."""
    try:
        if hasattr(arguments, "check"):
            arguments.check(arguments)
        return one_robot.run_with_robot(
            arguments,
            partial(arguments.action, arguments),
            storage=StorageOptions(allow_write=getattr(arguments, "yes", False)),
        )
    except (StorageRefused, StorageError, BackupError) as error:
        raise CommandError(str(error)) from error
