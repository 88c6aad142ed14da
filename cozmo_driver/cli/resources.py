"""``cozmo resources``: the assets of the official app, from a file that the user owns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from ..resources import Library, ResourceError, library_of
from ..resources.importer import import_resources, missing_files, remove_resources
from ..resources.locations import find_own_tree, find_user_tree, user_directory
from .errors import CommandError

HELP = "take over, show or remove the assets of the official app"

_SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    take = actions.add_parser("import", help="take over the assets from a file that you own")
    take.add_argument(
        "file",
        type=Path,
        help="the app's expansion file (.obb), a ZIP around it, an APK, or an unpacked directory",
    )
    take.add_argument(
        "--sounds", action="store_true", help="unpack the archive of sounds too, beside itself"
    )
    take.set_defaults(action=_import)
    status = actions.add_parser("status", help="tell what is there and whether it is complete")
    status.set_defaults(action=_status)
    remove = actions.add_parser("remove", help="delete what was imported")
    remove.set_defaults(action=_remove)
    for action in (take, status, remove):
        action.add_argument(
            "--directory",
            type=Path,
            metavar="DIR",
            help="where imported assets are kept instead of ~/.local/share/cozmo",
        )


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked for; return 1 where assets are missing."""
    try:
        return int(arguments.action(arguments))
    except ResourceError as error:
        raise CommandError(str(error)) from error


def _import(arguments: argparse.Namespace) -> int:
    directory = arguments.directory or user_directory()
    with_progress = _progress_line() if sys.stderr.isatty() else lambda done, total: None
    imported = import_resources(
        arguments.file, directory, with_sounds=arguments.sounds, progress=with_progress
    )
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{imported.file_count} files, {imported.size} bytes in {imported.tree}")
    if arguments.sounds:
        print(f"{imported.sound_file_count} files of sound unpacked")
    _tell_missing(imported.missing)
    return 1 if imported.missing else 0


def _status(arguments: argparse.Namespace) -> int:
    tree = find_user_tree(arguments.directory or "")
    own = find_own_tree()
    if own is not None:
        _tell_content("own", own)
    if tree is None:
        print("the app's assets: none; cozmo resources import FILE takes them over")
        return 1
    _tell_content("the app's", tree)
    missing = missing_files(tree.parent)
    if missing is None:
        print(f"there is no list of files in {tree.parent}, so nobody knows if all are there")
        return 1
    _tell_missing(missing)
    if not missing:
        print("complete")
    return 1 if missing else 0


def _remove(arguments: argparse.Namespace) -> int:
    directory = arguments.directory or user_directory()
    removed = remove_resources(directory)
    print(f"removed from {directory}" if removed else f"there is nothing in {directory}")
    return 0


def _tell_content(whose: str, tree: Path) -> None:
    library = library_of([tree])
    print(f"{whose} assets: {tree}")
    print("  " + ", ".join(f"{count} {what}" for what, count in _counts(library).items()))
    for warning in library.warnings[:_SHOWN]:
        print(f"  {warning}")
    if len(library.warnings) > _SHOWN:
        print(f"  and {len(library.warnings) - _SHOWN} more warnings")


def _counts(library: Library) -> dict[str, int]:
    return {
        "clips": len(library.clips),
        "groups": len(library.groups),
        "triggers": len(library.triggers),
        "cube triggers": len(library.cube_triggers),
        "cube light animations": len(library.cube_lights),
        "backpack patterns": len(library.backpack_patterns),
        "picture sequences": len(library.face_animations),
    }


def _tell_missing(missing: tuple[str, ...]) -> None:
    if not missing:
        return
    print(f"{len(missing)} files of the list are missing:")
    for name in missing[:_SHOWN]:
        print(f"  {name}")


def _progress_line() -> Callable[[int, int], None]:
    shown = -1

    def show(done: int, total: int) -> None:
        nonlocal shown
        percent = 100 * done // max(1, total)
        if percent != shown:
            shown = percent
            print(f"\r{percent} %", end="", file=sys.stderr, flush=True)

    return show
