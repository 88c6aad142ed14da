"""``cozmo resources``: the assets of the official app, from a file that the user owns."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..resources import (
    Library,
    ResourceError,
    find_own_tree,
    find_user_tree,
    import_resources,
    library_of,
    missing_files,
    remove_resources,
    user_directory,
)
from .common import action_adder, add_directory, as_command_error
from .progress import progress_bar

_EXAMPLES = {
    "import": (
        "cozmo resources import main.obb  # the file is yours, nothing is downloaded",
        "cozmo resources import main.obb --sounds",
    ),
    "status": ("cozmo resources status", "cozmo resources status --json"),
    "remove": ("cozmo resources remove",),
}
_SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    take = action("import", "import the assets from a file that you own", _import)
    take.add_argument(
        "file",
        type=Path,
        help="the app's expansion file (.obb), a ZIP around it, an APK, or an unpacked directory",
    )
    take.add_argument(
        "--sounds", action="store_true", help="unpack the archive of sounds too, beside itself"
    )
    status = action("status", "show what is imported and whether it is complete", _status)
    remove = action("remove", "delete what was imported", _remove)
    status.add_argument("--json", action="store_true", help="print JSON for programs")
    for one in (take, status, remove):
        add_directory(one)


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(ResourceError):
        return int(arguments.action(arguments))


def _import(arguments: argparse.Namespace) -> int:
    directory = arguments.directory or user_directory()
    with progress_bar("taking over") as show:
        imported = import_resources(
            arguments.file, directory, with_sounds=arguments.sounds, progress=show
        )
    print(f"{imported.file_count} files, {imported.size} bytes in {imported.tree}")
    if arguments.sounds:
        print(f"{imported.sound_file_count} files of sound unpacked")
    _print_missing(imported.missing)
    return 1 if imported.missing else 0


def _status(arguments: argparse.Namespace) -> int:
    tree = find_user_tree(arguments.directory or "")
    own = find_own_tree()
    missing = missing_files(tree.parent) if tree is not None else None
    is_complete = missing is not None and not missing
    content: dict[str, Any] = {
        "own": _content_of(own),
        "app": _content_of(tree),
        "missing": None if missing is None else list(missing),
        "is_complete": is_complete,
    }
    if arguments.json:
        print(json.dumps(content, indent=1))
        return 0 if is_complete else 1
    _print_content("own", content["own"])
    _print_content("the app's", content["app"])
    if tree is None:
        print("the app's assets: none; cozmo resources import FILE imports them")
    elif missing is None:
        print(f"there is no list of files in {tree.parent}, so nobody knows if all are there")
    else:
        _print_missing(missing)
    if is_complete:
        print("complete")
    return 0 if is_complete else 1


def _content_of(tree: Path | None) -> dict[str, Any] | None:
    if tree is None:
        return None
    library = library_of([tree])
    warnings = [str(warning) for warning in library.warnings]
    return {"directory": str(tree), **_counts(library), "warnings": warnings}


def _remove(arguments: argparse.Namespace) -> int:
    directory = arguments.directory or user_directory()
    removed = remove_resources(directory)
    print(f"removed from {directory}" if removed else f"there is nothing in {directory}")
    return 0


def _print_content(whose: str, content: dict[str, Any] | None) -> None:
    if content is None:
        return
    *counts, (_, warnings) = list(content.items())[1:]
    print(f"{whose} assets: {content['directory']}")
    print("  " + ", ".join(f"{count} {what}" for what, count in counts))
    for warning in warnings[:_SHOWN]:
        print(f"  {warning}")
    if len(warnings) > _SHOWN:
        print(f"  and {len(warnings) - _SHOWN} more warnings")


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


def _print_missing(missing: tuple[str, ...]) -> None:
    if not missing:
        return
    print(f"{len(missing)} files of the list are missing:")
    for name in missing[:_SHOWN]:
        print(f"  {name}")
