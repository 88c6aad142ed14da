"""``cozmo emulator map``: a world as a map for Nav2."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..emulator.world import find_world, load_layout
from ..emulator.world.occupancy import occupancy_map, write_map
from .completers import complete_with, world_names
from .errors import CommandError
from .examples import add_examples

HELP = "write a world as a map for Nav2: a .yaml file and the picture beside it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    world = parser.add_argument(
        "world_of_map", metavar="NAME|FILE", help="table, room, maze or a file"
    )
    complete_with(world, world_names)
    parser.add_argument(
        "--resolution", type=float, default=0.01, metavar="M", help="m per cell (default 0.01)"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="file to write (default: NAME.yaml in this folder)"
    )
    parser.set_defaults(control=run)
    add_examples(
        parser,
        "cozmo emulator map room  # room.yaml and room.png",
        "cozmo emulator map maze --resolution 0.005 --output fine.yaml",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write both files and name them; return 0."""
    try:
        layout = load_layout(find_world(arguments.world_of_map))
        occupancy = occupancy_map(layout, arguments.resolution)
    except ValueError as error:
        raise CommandError(str(error), 2) from error
    file = Path(arguments.output or f"{layout.name}.yaml")
    if file.suffix != ".yaml":
        raise CommandError(f"--output {file}: the name of a map ends with .yaml", 2)
    try:
        picture = write_map(occupancy, file)
    except OSError as error:
        raise CommandError(f"cannot write the map {file}: {error.strerror}") from error
    rows, columns = occupancy.cells.shape
    print(f"{file} and {picture}: {columns} x {rows} cells of {occupancy.resolution:g} m")
    return 0
