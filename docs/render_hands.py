"""``python -m docs.render_hands [FOLDER] [--film NAME ...]``: film strips of what the hands do.

Robot, emulator and pictures are real, in virtual time. Needs what ``render_description`` needs.
"""

from __future__ import annotations

import argparse
import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from cozmo_driver.emulator import Firmware, Pose2D
from cozmo_driver.emulator.world import Layout, World
from cozmo_driver.emulator.world.layout import Floor
from cozmo_driver.emulator.world.things import ATTITUDES, CubePlace
from cozmo_driver.manipulation import (
    ChargerMemory,
    RobotManipulator,
    dock_charger,
    pick_up_cube,
    roll_cube,
    stack_cubes,
)
from cozmo_driver.perception import RobotPerception
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.robot import CameraOptions
from test.robot.virtual import in_virtual_time

from .render_description import Picture, Placed, pose, render

FOLDER = Path(__file__).parent / "images"
_SIZE, _COLUMNS, _GAP = (420, 220), 3, 6
_PERIOD = 0.1
_TURNED, _LIFTED = 40.0, 100.0
"""mm of driving that count as much as a rad of the robot, and of its lift's arm."""
_COLORS = 128
_TEXT = (60, 66, 74)
OnPhase = Callable[[str, int], object]


@dataclass(frozen=True)
class Shot:
    """Where everything was at a time, s."""

    time: float
    phase: str
    robot: Placed
    cubes: tuple[Placed, ...]


@dataclass(frozen=True)
class Film:
    """What is done, where, and from where (m) it is seen."""

    do: Callable[[RobotManipulator, OnPhase], Awaitable[object]]
    robot: Pose2D = Pose2D(-140.0, -20.0, 0.1)
    eye: tuple[float, float, float] = (-0.06, -0.62, 0.30)
    target: tuple[float, float, float] = (-0.05, 0.02, 0.025)
    cubes: Mapping[int, CubePlace] = field(default_factory=dict)
    charger: Pose2D | None = None
    head: float = -0.17
    frames: int = 6
    view_angle: float = 19.0


class Recorder:
    """Remembers what an emulated world looked like."""

    def __init__(self, virtual: Any) -> None:
        self.shots: list[Shot] = []
        self.phase = ""
        self._virtual = virtual

    def on_phase(self, phase: str, _attempt: int) -> None:
        self.phase = phase

    async def run(self) -> None:
        begun = self._virtual.loop.time()
        while True:
            time = self._virtual.loop.time() - begun
            self.shots.append(_shot(self._virtual.firmware, time, self.phase))
            await asyncio.sleep(_PERIOD)

    def frames(self, count: int) -> list[Shot]:
        """Return shots between which about equally much moves, the first and the last included."""
        ways = [0.0]
        for before, after in zip(self.shots, self.shots[1:], strict=False):
            ways.append(ways[-1] + _way(before, after))
        return [
            next(shot for shot, way in zip(self.shots, ways, strict=True) if way >= at - 1e-9)
            for at in (ways[-1] * number / (count - 1) for number in range(count))
        ]


def _shot(robot: Firmware, time: float, phase: str) -> Shot:
    center = robot.manipulator.world_pose.then(Pose2D(-20.0))
    manipulator = Placed(
        "cozmo",
        joints=pose(robot.joints.head.angle, robot.joints.lift.angle),
        xyz=(center.x / 1000, center.y / 1000, 0.0),
        yaw=center.angle,
        pitch=-(robot.manipulator.pitch + robot.manipulator.ramp()),
    )
    cubes = [_cube(number, cube.place) for number, cube in robot.place.world.cubes.items()]
    return Shot(time, phase, manipulator, tuple(cubes))


def _cube(number: int, place: CubePlace) -> Placed:
    x, y, z = (float(v) / 1000 for v in place.center)
    return Placed(
        "cube", {"number": str(number)}, {}, (x, y, z), place.pose.angle, place.pitch, place.roll
    )


def _way(before: Shot, after: Shot) -> float:
    """Return how much the robot moves between two shots, mm."""
    turn = abs(math.remainder(after.robot.yaw - before.robot.yaw, 2 * math.pi))
    lift = abs(after.robot.joints["lift_joint"] - before.robot.joints["lift_joint"])
    way = math.dist(after.robot.xyz, before.robot.xyz) * 1000
    return way + _TURNED * turn + _LIFTED * lift


def record(film: Film) -> list[Shot]:
    floor = Floor(((-1000.0, -1000.0), (1000.0, -1000.0), (1000.0, 1000.0), (-1000.0, 1000.0)))
    layout = Layout("film", (floor,), cubes=film.cubes, charger=film.charger, robots=(film.robot,))
    found: list[Shot] = []

    @in_virtual_time(
        emulator={"world": lambda: World(layout, seed=1), "seed": 1},
        camera=CameraOptions(enabled=True),
    )
    async def scenario(virtual: Any) -> None:
        recorder = Recorder(virtual)
        async with RobotPerception(virtual.robot) as eyes:
            manipulator = RobotManipulator(virtual.robot, eyes.world)
            await virtual.until(lambda: manipulator.state.is_connected)
            await manipulator.move_head(film.head)
            await virtual.pass_time(2.0)
            recording = asyncio.ensure_future(recorder.run())
            try:
                await film.do(manipulator, recorder.on_phase)
            finally:
                recording.cancel()
        found.extend(recorder.frames(film.frames))

    scenario()
    return found


def strip(film: Film) -> Image.Image:
    """Return the frames of a film, row by row."""
    shots = record(film)
    rows = math.ceil(len(shots) / _COLUMNS)
    width, height = _SIZE
    sheet = Image.new(
        "RGB", (_COLUMNS * (width + _GAP) - _GAP, rows * (height + _GAP) - _GAP), "white"
    )
    font = ImageFont.load_default(18)
    still: tuple[Placed, ...] = ()
    if film.charger is not None:
        lip = film.charger
        still = (Placed("charger", xyz=(lip.x / 1000, lip.y / 1000, 0.0), yaw=lip.angle),)
    for number, shot in enumerate(shots):
        models = (shot.robot, *shot.cubes, *still)
        view = Picture(models, film.eye, film.target, film.view_angle)
        frame = render(view, _SIZE)
        text = f"{shot.time:.0f} s  {shot.phase}".rstrip()
        ImageDraw.Draw(frame).text((10, 6), text, _TEXT, font)
        row, column = divmod(number, _COLUMNS)
        sheet.paste(frame, (column * (width + _GAP), row * (height + _GAP)))
    return sheet.quantize(_COLORS, dither=Image.Dither.NONE)


async def _home(manipulator: RobotManipulator, on_phase: OnPhase) -> None:
    await dock_charger(manipulator, ChargerMemory(), on_phase)


async def _pick_up(manipulator: RobotManipulator, on_phase: OnPhase) -> None:
    await pick_up_cube(manipulator, "cube_1", on_phase)


async def _roll(manipulator: RobotManipulator, on_phase: OnPhase) -> None:
    await roll_cube(manipulator, "cube_1", on_phase=on_phase)


async def _stack(manipulator: RobotManipulator, on_phase: OnPhase) -> None:
    await stack_cubes(manipulator, "cube_1", "cube_2", on_phase)


_CUBE = CubePlace(Pose2D(40.0, 20.0, 0.3))
_ON_ITS_SIDE = replace(_CUBE, pitch=ATTITUDES[UpAxis.X_NEGATIVE][1])
FILMS = {
    "pick_up": Film(_pick_up, cubes={1: _CUBE}),
    "roll": Film(_roll, cubes={1: _ON_ITS_SIDE}),
    "stack": Film(_stack, cubes={1: _CUBE, 2: CubePlace(Pose2D(30.0, 115.0, 0.1))}),
    "dock_charger": Film(
        _home,
        robot=Pose2D(-230.0, -70.0, 0.25),
        eye=(-0.12, -0.85, 0.40),
        target=(-0.11, -0.01, 0.015),
        charger=Pose2D(),
        head=0.0,
        view_angle=16.0,
    ),
}


def main() -> None:
    """Write the strips."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_hands", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"default: {FOLDER}")
    parser.add_argument("--film", action="append", choices=sorted(FILMS))
    arguments = parser.parse_args()
    for name in arguments.film or FILMS:
        strip(FILMS[name]).save(arguments.folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
