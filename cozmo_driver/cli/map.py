"""``cozmo map``: where printed tags are, learnt by a robot that looks around; drawn."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Callable
from pathlib import Path

from ..emulator import occupancy_map, write_map
from ..installation import data_directory
from ..localization import (
    LONGEST_STEP,
    MAPS,
    MOST_SPOTS,
    SPOTS,
    STEP,
    TAG_FAMILY,
    TAG_SIZE,
    Localizer,
    MapError,
    RobotLocalization,
    Settings,
    TagMap,
    describe,
    landmark_name,
    learn_map,
    learnt,
    load_map,
    localize,
    save_map,
)
from ..perception import RobotPerception, TagError, parse_tag
from ..robot import CameraOptions, Robot
from ..whole_files import make_writable
from . import one_robot
from .common import CommandError, action_adder, add_number, as_command_error, check_suffix, counted
from .map_grid import corners_of, room_of
from .map_picture import draw_map

_EXAMPLES = {
    "learn": (
        "cozmo map learn --origin 4x4_50:0  # the robot turns and drives up to 0.3 m at a time",
        "cozmo map learn --map tags.yaml --output more.yaml  # adds to a map",
    ),
    "draw": ("cozmo map draw tags.yaml --output tags.pdf",),
    "grid": (
        "cozmo map grid tags.yaml --output room.yaml  # and room.png, for nav2_map_server",
        "cozmo map grid tags.yaml --corners 0,0 3,0 3,2 0,2  # a room that is known",
    ),
}
_FILE = Path(MAPS, "tags.yaml")
_SHOWN = 1.0
"""s between two lines of progress while somebody carries the robot."""


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    learn = action(
        "learn", "let a robot look around and keep where the tags are (it moves)", _learn
    )
    add = learn.add_argument
    add("--output", type=Path, metavar="FILE", help=f"default: {_FILE} of the driver's folder")
    add("--map", type=Path, metavar="FILE", help="add to this map, in its frame")
    add("--origin", default="", metavar="TAG|charger", help="defines the map's frame (default: "
        "where the robot stands)")  # fmt: skip
    add("--spots", type=int, default=SPOTS, metavar="N", help="places to look from (%(default)s)")
    add("--step", type=float, default=STEP, metavar="M", help="from one to the next (%(default)s)")
    add("--by-hand", type=float, metavar="S", help="do not drive: you carry it, for so many s")
    add("--size", type=float, default=1000 * TAG_SIZE, metavar="MM", help="of tags (%(default)g)")
    add("--family", default=TAG_FAMILY, help="of tags (%(default)s)")
    one_robot.add_arguments(learn, with_volume=False)
    draw = action("draw", "draw a map of tags as a page or picture", _draw)
    draw.add_argument("map", type=Path, metavar="MAP", help="a file of cozmo map learn")
    draw.add_argument(
        "--output", type=Path, default=Path("map.pdf"), metavar="FILE", help="a .pdf or a .png"
    )
    grid = action("grid", "make an occupancy grid of a map of tags, for Nav2", _grid)
    grid.add_argument("map", type=Path, metavar="MAP", help="a file of cozmo map learn")
    grid.add_argument("--output", type=Path, default=Path("room.yaml"), metavar="FILE",
        help="(default: %(default)s); the picture lies beside it")  # fmt: skip
    grid.add_argument("--corners", nargs="+", default=(), metavar="X,Y", help="of the room, m "
        "(default: the tags around it)")  # fmt: skip
    add_number(grid, "--resolution", 0.01, "m per cell", "M")


def _learn(arguments: argparse.Namespace) -> int:
    output = arguments.output or data_directory() / _FILE
    check_suffix(output, ".yaml", ".yml")
    if not 1 <= arguments.spots <= MOST_SPOTS or not 0.0 < arguments.step <= LONGEST_STEP:
        raise CommandError(f"--spots: 1 to {MOST_SPOTS}; --step: up to {LONGEST_STEP:g} m", 2)
    if not 10.0 <= arguments.size <= 500.0:
        raise CommandError(f"--size {arguments.size:g}: it is from 10 to 500 mm", 2)
    if arguments.by_hand is not None and not 0.0 < arguments.by_hand < math.inf:
        raise CommandError("--by-hand: a number of seconds", 2)
    with as_command_error(TagError, exit_code=2):
        parse_tag(f"{arguments.family}:0")
        origin = landmark_name(arguments.origin) if arguments.origin else ""
    known = TagMap() if arguments.map is None else _loaded(arguments.map)
    if known.tags and origin:
        raise CommandError("--map has its frame already: leave --origin out", 2)
    try:
        make_writable(output.parent)
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror}", 2) from error
    return one_robot.run_with_robot(
        arguments,
        lambda robot: _look_around(robot, arguments, known, origin, output),
        camera=CameraOptions(enabled=True, auto_exposure=True),
    )


async def _look_around(
    robot: Robot, arguments: argparse.Namespace, known: TagMap, origin: str, output: Path
) -> int:
    localizer = Localizer(known, Settings(starts_at_origin=not known.tags))
    localizer.learn()
    size = arguments.size / 1000

    def show(phase: str, spot: int) -> None:
        tags = counted(len(localizer.tag_map.tags), "tag")
        print(f"place {spot}, {phase}: {tags}", file=sys.stderr)

    async with (
        RobotPerception(robot) as seen,
        RobotLocalization(robot, seen, localizer, size, arguments.family) as looking,
    ):
        await robot.on_odometry.next()
        if arguments.by_hand is not None:
            await _watch(robot, arguments.by_hand, show)
        else:
            if known.tags:
                await localize(looking, on_look=show)
            await learn_map(looking, arguments.spots, arguments.step, show)
    found = await asyncio.to_thread(learnt, localizer, origin)
    await asyncio.to_thread(save_map, output, found)
    print(f"{output}: {describe(found)}")
    for report in localizer.reports:
        print(report, file=sys.stderr)
    return 0


async def _watch(robot: Robot, seconds: float, show: Callable[[str, int], None]) -> None:
    """Map what is seen while somebody carries the robot: it finds itself by tags it knows."""
    # Just switched on it looks at the floor.
    await robot.joints.move_head(0.0)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        await asyncio.sleep(min(_SHOWN, end - loop.time()))
        show("watching", 1)


def _draw(arguments: argparse.Namespace) -> int:
    check_suffix(arguments.output, ".pdf", ".png")
    draw_map(_loaded(arguments.map), arguments.output)
    print(arguments.output)
    return 0


def _grid(arguments: argparse.Namespace) -> int:
    check_suffix(arguments.output, ".yaml")
    with as_command_error(ValueError, exit_code=2):
        corners = corners_of(arguments.corners)
        grid = occupancy_map(room_of(_loaded(arguments.map), corners), arguments.resolution)
    try:
        picture = write_map(grid, arguments.output)
    except OSError as error:
        raise CommandError(f"cannot write the map {arguments.output}: {error.strerror}") from error
    rows, columns = grid.cells.shape
    print(f"{arguments.output} and {picture}: {columns} x {rows} cells of {grid.resolution:g} m")
    return 0


def _loaded(path: Path) -> TagMap:
    with as_command_error(MapError):
        return load_map(path)
