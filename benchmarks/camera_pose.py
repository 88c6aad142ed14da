"""How well robots know where their cameras look, before and after they have seen a few cubes.

``python -m benchmarks.camera_pose`` prints a table; ``--serials 40`` how many robots, each one with
a camera, a head, a body, a floor and a gyro of its own. Cubes are found in the emulator's pictures.
0 where all targets are met.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator import Pose2D as Place
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.manipulation.cube_pick_up import pick_up_cube
from cozmo_driver.manipulation.robot_manipulator import RobotManipulator
from cozmo_driver.perception import RobotPerception
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.world.frames import Matrix, camera_pose, inverse, pose
from cozmo_driver.robot import CameraOptions, RobotError
from test.robot.virtual import in_virtual_time

Floats = npt.NDArray[np.float64]

_FLOOR = [{"rectangle": [-2.0, -2.0, 2.0, 2.0], "pattern": "wood"}]
_AT = 0.25
"""m ahead at which cubes and the floor are looked at."""
_LOOKS = (-0.1, -0.2, 0.0, -0.15, -0.05, -0.18)
"""Angles of the head, rad, from each of which it looks once it has driven."""
_WAYS = (0.0, 0.07, 0.05, -0.06, -0.08, 0.02)
_FIRST = 3
"""Places that count as a few."""
_LOOK_TIME = 1.2
_FOUND = 4.0
_COLUMNS = np.arange(8.0, 312.0, 8.0)


@dataclass
class Figures:
    """Of one robot, at one time."""

    cube: float = math.nan
    """m by which a cube is off, on the floor."""
    floor: Floats = field(default_factory=lambda: np.full(len(_COLUMNS), np.nan))
    """m by which the floor's distance is off in each column."""
    pitch: float = math.nan
    roll: float = math.nan
    yaw: float = math.nan
    """rad by which the camera does not look where it is believed to look."""


def robot(serial: int) -> tuple[Figures, Figures, Figures, bool]:
    """Return what a robot knows before, after a few places and after some more.

    And whether another one of that number, which knows nothing, picks up a cube.
    """
    found: list[Figures] = []
    picked: list[bool] = []
    random = np.random.default_rng(serial)
    emulator = emulated(serial, random)

    @in_virtual_time(emulator=emulator, camera=CameraOptions(enabled=True))
    async def look(world: Any) -> None:
        with TemporaryDirectory() as folder:
            eyes = RobotPerception(world.robot, directory=Path(folder))
            # At first as if it could not learn.
            learn, eyes.world.camera.learn = eyes.world.camera.learn, lambda *_: None
            async with eyes:
                for number, (head, way) in enumerate(zip(_LOOKS, _WAYS, strict=True)):
                    if way:
                        await world.robot.maneuvers.drive_distance(way, speed=0.06)
                    await world.robot.joints.move_head(head)
                    if number in (0, _FIRST):
                        found.append(await figures(world, eyes, random))
                        eyes.world.camera.learn = learn
                    await world.pass_time(_LOOK_TIME)
                found.append(await figures(world, eyes, random))

    @in_virtual_time(emulator=emulator, camera=CameraOptions(enabled=True))
    async def pick_up(world: Any) -> None:
        with TemporaryDirectory() as folder:
            async with RobotPerception(world.robot, directory=Path(folder)) as eyes:
                body = RobotManipulator(world.robot, eyes.world)
                await body.move_head(-0.1)
                try:
                    await eyes.find("cube_1", _FOUND)
                    await pick_up_cube(body)
                except RobotError as error:
                    print(f"{serial:x}: {error}", file=sys.stderr)
                picked.append(world.firmware.place.fork.cube is not None)

    look()
    pick_up()
    before, few, more = found
    return before, few, more, picked[0]


def emulated(serial: int, random: np.random.Generator) -> dict[str, Any]:
    """Return the options of an emulated robot that stands before a cube."""
    layout = layout_of(
        {"name": "floor", "floor": _FLOOR, "cubes": [_cube(random, 1)]}, "camera_pose"
    )
    return {
        "world": lambda: World(layout, seed=serial),
        "seed": serial,
        "identity": Identity(head_serial=serial),
        "hardware": ("1.0", "1.5")[serial % 2],
    }


def _cube(random: np.random.Generator, number: int) -> dict[str, float]:
    place = _before_robot(random)
    return {
        "number": number,
        "x": place.x / 1e3,
        "y": place.y / 1e3,
        "yaw": math.degrees(place.angle),
    }


def _before_robot(random: np.random.Generator, robot: Place | None = None) -> Place:
    """Return a place ``_AT`` m ahead."""
    bearing, away = random.uniform(-0.25, 0.25), 1e3 * _AT
    there = Place(away * math.cos(bearing), away * math.sin(bearing), random.uniform(-3.1, 3.1))
    return there if robot is None else robot.then(there)


async def figures(world: Any, eyes: RobotPerception, random: np.random.Generator) -> Figures:
    """Put the cube elsewhere, look at it and compare with the truth."""
    firmware = world.firmware
    firmware.place.world.move_cube(1, _before_robot(random, firmware.body.world_pose))
    eyes.world.forget()
    found = Figures()
    try:
        await eyes.find("cube_1", _FOUND)
        await world.pass_time(0.4)
        seen = eyes.in_robot(eyes.object("cube_1").pose)[:2, 3]
    except (RobotError, TypeError) as error:
        print(f"not seen: {error}", file=sys.stderr)
    else:
        true = firmware.place.world.cube(1).pose.seen_from(firmware.body.world_pose)
        found.cube = float(np.linalg.norm(seen - (true.x / 1e3 + 0.020, true.y / 1e3)))
    _compare_cameras(found, firmware, eyes)
    return found


def _compare_cameras(found: Figures, firmware: Any, eyes: RobotPerception) -> None:
    moment = eyes.world.history.last
    assert moment is not None
    true, lens = _true_view(firmware)
    believed = camera_pose(np.eye(4), moment.head, eyes.world.camera.mounting.mount, moment.tilt)
    off = believed[:3, :3].T @ true[:3, :3]
    # Of a small turn: about the camera's axes to the right, down and ahead.
    found.pitch, found.yaw, found.roll = (
        float(value) / 2
        for value in (off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1])
    )
    rows = np.arange(0.0, 240.0, 0.1)
    for index, column in enumerate(_COLUMNS):
        pixels = np.column_stack((np.full(len(rows), column), rows))
        ranges = np.hypot(*lens.project_to_ground(pixels, true).T)
        if not np.nanmin(ranges) < _AT:
            continue
        row = rows[np.nanargmin(np.abs(ranges - _AT))]
        here = eyes.camera.project_to_ground([[column, row]], believed)
        found.floor[index] = abs(float(np.hypot(*here[0])) - _AT)


def _true_view(firmware: Any) -> tuple[Matrix, Camera]:
    """Return where the camera truly is in ``base_footprint``, and its true lens."""
    stance = firmware.stance()
    view, base = stance.view(), stance.pose.then(Place(-20.0))
    eye = np.eye(4)
    eye[:3, :3], eye[:3, 3] = view.axes, view.place / 1e3
    there = pose(base.x / 1e3, base.y / 1e3, 0.0, base.angle)
    lens = view.lens
    return inverse(there) @ eye, Camera(lens.fx, lens.fy, lens.cx, lens.cy)


def main() -> int:
    """Print a line for each robot on stderr, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.camera_pose", description=__doc__)
    parser.add_argument("--serials", type=int, default=40, help="how many robots")
    parser.add_argument("--first", type=int, default=1, help="the first one's serial number")
    chosen = parser.parse_args()
    stages: tuple[list[Figures], ...] = ([], [], [])
    picked = 0
    for serial in range(chosen.first, chosen.first + chosen.serials):
        *three, has_picked = robot(serial)
        picked += has_picked
        for stage, figures in zip(stages, three, strict=True):
            stage.append(figures)
        words = (
            f"{1e3 * one.cube:.1f} mm, {np.degrees([one.pitch, one.roll, one.yaw]).round(2)}, "
            f"floor {1e3 * np.nanmax(one.floor):.0f} mm"
            for one in three
        )
        print(f"{serial:x}: {' | '.join(words)} | {has_picked}", file=sys.stderr, flush=True)
    print(
        f"| {chosen.serials} robots, at 250 mm | before | {_FIRST} places | {len(_WAYS)} places |"
    )
    print("|---|--:|--:|--:|")
    for row in _rows(stages):
        print(f"| {' | '.join(row)} |")
    share = picked / chosen.serials
    print(f"\nBefore anything was learnt {picked} of {chosen.serials} picked up a cube.")
    cube = np.array([one.cube for one in stages[2]])
    floor = np.concatenate([one.floor for one in stages[2]])
    floor = floor[np.isfinite(floor)]
    are_met = np.mean(cube < 0.006) >= 0.95 and np.mean(floor < 0.010) >= 0.90 and share >= 0.95
    return 0 if are_met else 1


def _rows(stages: Sequence[Sequence[Figures]]) -> list[tuple[str, ...]]:
    cubes = [1e3 * np.array([one.cube for one in stage]) for stage in stages]
    floors = [1e3 * np.concatenate([one.floor for one in stage]) for stage in stages]
    floors = [floor[np.isfinite(floor)] for floor in floors]
    rows = [
        (
            "cube off, median / worst, mm",
            *(f"{np.nanmedian(c):.1f} / {np.nanmax(c):.1f}" for c in cubes),
        ),
        ("cubes within 6 mm", *(f"{np.mean(c < 6.0):.0%}" for c in cubes)),
        (
            "floor off, median / worst, mm",
            *(f"{np.median(f):.1f} / {f.max():.0f}" for f in floors),
        ),
        ("columns of the floor within 10 mm", *(f"{np.mean(f < 10.0):.0%}" for f in floors)),
    ]
    for name in ("pitch", "roll", "yaw"):
        angles = [np.degrees(np.abs([getattr(one, name) for one in stage])) for stage in stages]
        rows.append(
            (
                f"{name} off, median / worst, degrees",
                *(f"{np.median(a):.2f} / {a.max():.2f}" for a in angles),
            )
        )
    return rows


if __name__ == "__main__":
    sys.exit(main())
