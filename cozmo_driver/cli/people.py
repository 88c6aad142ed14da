"""``cozmo people``: whom the robot knows by their faces; lists and deletes."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..perception import FACES_FILE, FaceAlbum, FaceAlbumError
from ..robot import data_directory
from .common import CommandError, action_adder, as_command_error, counted, print_result

_EXAMPLES = {
    "list": ("cozmo people list", "cozmo people list --json"),
    "forget": ("cozmo people forget Ann", "cozmo people forget --all"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list who is known, and what is kept of them", _list)
    listing.add_argument("--json", action="store_true", help="print JSON for programs")
    forgetting = action("forget", "delete what is kept of somebody", _forget)
    forgetting.add_argument("name", nargs="?", default="", help="as enrolled")
    forgetting.add_argument("--all", action="store_true", help="delete everybody")
    for one in (listing, forgetting):
        text = "the vision node's faces_file (default: that in the user's data)"
        one.add_argument("--file", type=Path, metavar="FILE", help=text)


def _album(arguments: argparse.Namespace) -> FaceAlbum:
    with as_command_error(FaceAlbumError):
        return FaceAlbum(arguments.file or data_directory() / FACES_FILE)


def _list(arguments: argparse.Namespace) -> int:
    people = _album(arguments).people
    content = [{"id": one.id, "name": one.name, "views": len(one.views)} for one in people]
    lines = [f"{one.id:3d}  {one.name}  ({counted(len(one.views), 'view')})" for one in people]
    print_result(arguments, content, lines or ["nobody is known"])
    return 0


def _forget(arguments: argparse.Namespace) -> int:
    if arguments.all == bool(arguments.name):
        raise CommandError("name somebody, or everybody with --all", 2)
    album = _album(arguments)
    count = album.forget(arguments.name)
    if arguments.name and not count:
        known = ", ".join(album.names) or "nobody"
        raise CommandError(f"nobody is known as '{arguments.name}'; known: {known}")
    print(f"{counted(count, 'person', 'people')} forgotten")
    return 0
