"""``cozmo calibrate``: a robot measures itself by one cube, or its lens by a printed chessboard."""

from __future__ import annotations

import argparse
import asyncio
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..checkup import (
    ROOM,
    VIEWS,
    Board,
    CalibrationRefused,
    CalibrationResult,
    calibrate,
    keep_calibration,
    keep_lens,
    learnt_templates,
    measure_lens,
)
from ..perception import RobotPerception, TemplateFileError
from ..robot import LIGHT_CUBES, CameraOptions, Measurement, Robot, data_directory
from . import one_robot
from .common import CommandError, add_examples, add_number, as_command_error, print_result
from .progress import progress_bar

_PLAN = f"""\
The robot will turn on the spot, nod, drive up to a light cube and once round it, slowly, for about
three minutes. It needs:
  - {100 * ROOM[0]:.0f} x {100 * ROOM[1]:.0f} cm of free table, level, matt and light, away from \
edges
  - one of its own light cubes, upright, {50 * ROOM[1]:.0f} cm from three sides of that place; the \
robot looks
    at it from the fourth, from 20 to 25 cm away
  - a lit room, and nobody who touches robot, cube or table meanwhile
"""
_DESCRIPTION = f"""\
Measure how one robot errs: how far it really drives and turns, where its camera looks, where its
head's zero is. The driver uses it from then on, by the robot's serial number.

{_PLAN}
Nothing is kept when the robot is lifted or pushed, meets an edge or loses its link, when the cube
is moved, or when what was measured is not sure enough.

With --board 8x6 only the lens is measured, and nothing but the head moves: hold a printed
chessboard on something flat before the camera, 25 to 40 cm away, still for a moment, each time
aslant in another way, until {VIEWS} views are there.
"""
_NAMES = {
    "distance_scale": ("distance", "m driven for each m that it counts", 1.0, 4),
    "turn_scale": ("turns", "rad turned for each rad that it reports", 1.0, 4),
    "track_width": ("track in turns", "mm", 1000.0, 1),
    "head_zero": ("head's zero", "degrees higher than it reports", math.degrees(1.0), 2),
    "fx": ("focal length", "pixels", 1.0, 1),
    "cx": ("image centre x", "pixels", 1.0, 1),
    "cy": ("image centre y", "pixels", 1.0, 1),
}
_ANGLES = {"pitch": "higher", "roll": "right side lower", "yaw": "farther left"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--yes", action="store_true", help="do not ask, for programs")
    parser.add_argument("--dry-run", action="store_true", help="measure, and keep nothing")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    text = "measure the lens by a chessboard with so many inner corners, such as 8x6"
    parser.add_argument("--board", type=_size, metavar="COLUMNSxROWS", help=text)
    text = "side of its squares"
    add_number(parser, "--square", 25.0, text, "MM", low=5.0, high=100.0)
    one_robot.add_arguments(parser, with_volume=False)
    add_examples(
        parser,
        "cozmo calibrate",
        "cozmo calibrate --dry-run  # only shows what it finds",
        "cozmo calibrate --yes --json",
    )


def _size(text: str) -> tuple[int, int]:
    """Return columns and rows. Raises ``argparse.ArgumentTypeError``."""
    found = re.fullmatch(r"(\d{1,2})x(\d{1,2})", text)
    columns, rows = map(int, found.groups()) if found else (0, 0)
    if min(columns, rows) < 3 or columns == rows:
        what = "no board: two different numbers from 3 on, such as 8x6"
        raise argparse.ArgumentTypeError(f"{text:.20} is {what}")
    return columns, rows


def run(arguments: argparse.Namespace) -> int:
    if arguments.board:
        return one_robot.run_with_robot(
            arguments,
            lambda robot: _measure_lens(robot, arguments),
            camera=CameraOptions(enabled=True, auto_exposure=True),
            calibration_directory=None,
        )
    if not arguments.yes:
        _ask()
    # The cubes are connected: they tell when they are moved. Nothing is learnt meanwhile that
    # would be kept beside what is measured.
    return one_robot.run_with_robot(
        arguments,
        lambda robot: _measure(robot, arguments),
        camera=CameraOptions(enabled=True, auto_exposure=True),
        cubes=LIGHT_CUBES,
        calibration_directory=None,
    )


def _ask() -> None:
    """Say what will happen, and wait for a yes. Raises ``CommandError``."""
    print(_PLAN, end="", file=sys.stderr)
    if not sys.stdin.isatty():
        raise CommandError("nobody is there to agree: give --yes if all this is as it says", 2)
    print("Is it so, and may the robot move? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done")


async def _measure(robot: Robot, arguments: argparse.Namespace) -> int:
    with as_command_error(TemplateFileError):
        templates = learnt_templates()
    # What the images teach meanwhile is less than what is measured.
    with TemporaryDirectory() as folder, progress_bar("connecting") as show:
        async with RobotPerception(robot, templates, directory=Path(folder)) as perception:
            with as_command_error(CalibrationRefused):
                await robot.on_odometry.next()
                result = await calibrate(
                    robot, perception, on_progress=lambda what, share: show(share, 1.0, what)
                )
    return await _report(
        arguments,
        None if arguments.dry_run else partial(keep_calibration, result=result),
        partial(_content_of, result),
        partial(_lines_of, result),
    )


async def _measure_lens(robot: Robot, arguments: argparse.Namespace) -> int:
    columns, rows = arguments.board
    board = Board(columns, rows, arguments.square / 1e3)
    with progress_bar("hold the board still") as show, as_command_error(CalibrationRefused):
        lens = await measure_lens(robot, board, lambda count: show(count, VIEWS))
    serial, stored = robot.identity.head_serial, robot.camera.calibration
    return await _report(
        arguments,
        None
        if stored is None or arguments.dry_run
        else partial(keep_lens, serial=serial, lens=lens, stored=stored),
        lambda directory: {
            "head_serial": f"{serial:08x}",
            "measured": {name: asdict(one) for name, one in lens.items()},
            "kept_in": None if directory is None else str(directory),
        },
        lambda directory: [*_measured(lens), _kept(directory, serial)],
    )


async def _report(
    arguments: argparse.Namespace,
    keep: Callable[[Path], object] | None,
    content: Callable[[Path | None], object],
    lines: Callable[[Path | None], Iterable[str]],
) -> int:
    """Keep what was measured, if there is a way to, and print it; return the exit code.

    It is printed where it cannot be kept, too. Raises ``CommandError`` then.
    """
    directory = None
    if keep is not None:
        directory = data_directory()
        try:
            await asyncio.to_thread(keep, directory)
        except OSError as error:
            print_result(arguments, content(None), lines(None))
            raise CommandError(f"not kept: {error}") from error
    print_result(arguments, content(directory), lines(directory))
    return 0


def _content_of(result: CalibrationResult, directory: Path | None) -> dict[str, Any]:
    """Return everything in SI units."""
    mount = result.mount
    return {
        "head_serial": f"{result.serial:08x}",
        "measured": {name: asdict(one) for name, one in result.measured.items()},
        "camera_mount": {
            name: {"value": getattr(mount.mount, name), "deviation": deviation}
            for name, deviation in zip(_ANGLES, mount.deviations, strict=True)
        },
        "duration": result.duration,
        "residual": result.residual,
        "kept_in": None if directory is None else str(directory),
    }


def _lines_of(result: CalibrationResult, directory: Path | None) -> Iterator[str]:
    yield from _measured(result.measured)
    mount = result.mount
    for (name, where), deviation in zip(_ANGLES.items(), mount.deviations, strict=True):
        value, spread = math.degrees(getattr(mount.mount, name)), math.degrees(deviation)
        label = f"camera's {name}"
        yield f"{label:16} {value:8.2f} +- {spread:.2f}  degrees {where} than drawn"
    yield _kept(directory, result.serial)


def _measured(found: Mapping[str, Measurement]) -> Iterator[str]:
    for name, (label, unit, factor, digits) in _NAMES.items():
        if name in found:
            value, spread = factor * found[name].value, factor * found[name].deviation
            yield f"{label:16} {value:8.{digits}f} +- {spread:.{digits}f}  {unit}"


def _kept(directory: Path | None, serial: int) -> str:
    if directory is None:
        return "nothing was kept"
    return f"kept in {directory} for the robot {serial:08x}"
