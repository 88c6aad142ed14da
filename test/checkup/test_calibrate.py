"""A robot measures itself by a cube, in virtual time, and gives up where something befalls it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.calibration import emulated
from cozmo_driver.checkup import CalibrationRefused, calibrate
from cozmo_driver.checkup.surveying import Survey
from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.emulator.world import World
from cozmo_driver.perception import PrintedCube, RobotPerception
from cozmo_driver.protocol import UpAxis
from cozmo_driver.robot import LIGHT_CUBES, CameraOptions, Cube, CubeKind, CubeLink
from cozmo_driver.robot_bounds import MOUNT_BOUND

from ..robot.hands import act
from ..robot.virtual import in_virtual_time

SERIAL = 77


def refusal(
    folder: Path,
    befall: Callable[[Any], object] = lambda world: None,
    at: float = 1.0,
    **options: Any,
) -> tuple[str, bool]:
    """Let something befall a robot once the share ``at`` is done; return what it says.

    And whether its treads stand then.
    """
    said: list[tuple[str, bool]] = []

    @in_virtual_time(
        emulator=emulated(SERIAL, **options), camera=CameraOptions(enabled=True), cubes=LIGHT_CUBES
    )
    async def run(world: Any) -> None:
        async with RobotPerception(world.robot, directory=folder) as perception:
            await world.until(lambda: world.robot.odometry)
            await world.until(lambda: [cube for cube in world.robot.cubes.all if cube.is_connected])
            waiting = [befall]

            def on_progress(_: str, share: float) -> None:
                if share >= at and waiting:
                    asyncio.get_running_loop().call_later(1.5, waiting.pop(), world)

            with pytest.raises(CalibrationRefused) as refused:
                await calibrate(world.robot, perception, on_progress=on_progress)
            await world.pass_time(1.0)
            said.append((str(refused.value), world.firmware.wheels.stand))

    run()
    return said[0]


def move_cube(world: Any) -> None:
    place = world.firmware.place.world.cube(1).pose
    place = Pose2D(place.x, place.y + 8.0, place.angle)

    def move(firmware: Any) -> None:
        firmware.place.world.move_cube(1, place)
        firmware.cubes.move(firmware.cubes.of_kind(1))

    act(world, move)


def test_a_cube_that_is_moved_ends_it(tmp_path: Path) -> None:
    said, stands = refusal(tmp_path, move_cube, 0.05)
    assert "cube was moved" in said
    assert stands


def test_how_a_cube_stands_is_no_move_but_that_it_was_turned_over(tmp_path: Path) -> None:
    said_how, turned_over = [], []

    def turn(world: Any, axis: UpAxis, told: list[bool]) -> None:
        act(world, lambda f: told.append(f.cubes.flip(f.cubes.of_kind(1), axis)))

    def befall(world: Any) -> None:
        # As a cube that has just connected tells it.
        turn(world, UpAxis.Z_POSITIVE, said_how)
        later = asyncio.get_running_loop().call_later
        later(3.0, turn, world, UpAxis.X_POSITIVE, turned_over)

    said, _ = refusal(tmp_path, befall, 0.05)
    assert "cube was moved" in said
    assert said_how == turned_over == [True]


def test_without_a_cube_it_says_where_to_put_one(tmp_path: Path) -> None:
    said, stands = refusal(tmp_path, world=World)
    assert stands
    assert "20 to 25 cm" in said


def test_a_camera_that_is_askew_as_no_robot_s_is_told_and_not_kept(tmp_path: Path) -> None:
    own = variation_of(SERIAL)
    optics = replace(own.optics, roll=MOUNT_BOUND + math.radians(1.0))
    said, stands = refusal(tmp_path, variation=replace(own, optics=optics))
    assert "the camera's roll is 5.0 degrees; robots have 4 at most. Nothing is kept" in said
    assert stands


def test_with_a_low_battery_it_does_not_begin(tmp_path: Path) -> None:
    said, _ = refusal(tmp_path, battery_voltage=3.4)
    assert "charge the robot" in said


@pytest.mark.parametrize(
    ("heard", "number"),
    [([], 0), ([5], 5), ([5, 6], None), ([5, -6], 6)],
    ids=["none", "one", "two", "two of which one is linked"],
)
def test_prints_are_kept_of_a_cube_that_can_be_told_from_others(
    heard: list[int], number: int | None
) -> None:
    async def printed() -> PrintedCube | None:
        links = {True: CubeLink.CONNECTED, False: CubeLink.DISCONNECTED}
        cubes = [Cube(CubeKind.CUBE_1, abs(one), link=links[one < 0]) for one in heard]
        cubes.append(Cube(CubeKind.CUBE_2, 9, link=CubeLink.CONNECTED))
        survey = Survey(SimpleNamespace(cubes=SimpleNamespace(all=cubes)), None, print)
        survey.cube = "cube_1"
        return survey.printed({})

    found = asyncio.run(printed())
    assert found == (None if number is None else PrintedCube(number, {}))
