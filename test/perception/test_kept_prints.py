"""How a robot's cubes were printed is known again in its next session, and of no other cube."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.perception import PrintedCube, RobotPerception, load_prints, save_prints
from cozmo_driver.perception.kept_prints import prints_path
from cozmo_driver.perception.world.objects import SIDES, MarkerPlace, Print
from cozmo_driver.robot import LIGHT_CUBES, CameraOptions

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time

SERIAL = 0x52
PRINT = Print(1.01, -0.0003, 0.0002, 0.02)
PRINTED = PrintedCube(0x1234, {"front": PRINT, "left": Print()})
CUBE = {"number": 1, "x": 0.25, "y": 0.0, "yaw": 10}


def test_a_file_holds_the_cubes_of_one_robot(tmp_path: Path) -> None:
    save_prints(tmp_path, SERIAL, "cube_1", PRINTED)
    other = PrintedCube(0, {"back": PRINT})
    save_prints(tmp_path, SERIAL, "cube_2", other)
    assert load_prints(tmp_path, SERIAL) == {"cube_1": PRINTED, "cube_2": other}
    assert load_prints(tmp_path, SERIAL + 1) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"[1]",
        b"\xff",
        b'{"format": "other", "version": 1}',
        *(
            json.dumps(
                {"format": "cozmo_driver cube prints", "version": 1, "cubes": cubes}
            ).encode()
            for cubes in (
                3,
                {"cube_1": 3},
                {"cube_1": {"factory_id": 1}},
                {"cube_1": {"factory_id": "x", "sides": {}}},
                *(
                    {"cube_1": {"factory_id": 1, "sides": {side: values}}}
                    for side, values in (
                        ("inside", {"scale": 1.0, "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": 1.2, "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": float("nan"), "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": 1.0}),
                    )
                ),
            )
        ),
    ],
)
def test_a_file_that_makes_no_sense_is_not_used(tmp_path: Path, content: bytes) -> None:
    prints_path(tmp_path, SERIAL).write_bytes(content)
    assert load_prints(tmp_path, SERIAL) == {}


def test_a_marker_turns_and_moves_as_it_is_looked_at() -> None:
    drawn = MarkerPlace(np.eye(4), 0.02, 0.02)
    upper_left, *_ = Print(1.5, 0.001, 0.002, math.radians(90.0)).place(drawn).corners
    assert upper_left == pytest.approx((-0.015 + 0.001, 0.0, -0.015 + 0.002))


def distance(folder: Path) -> float:
    """Return how far away the robot sees its cube, which is connected, m."""
    seen: list[float] = []

    @in_virtual_time(
        emulated(CUBE, seed=3) | {"identity": Identity(head_serial=SERIAL)},
        camera=CameraOptions(enabled=True),
        cubes=LIGHT_CUBES,
    )
    async def look(world) -> None:
        await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all))
        async with RobotPerception(world.robot, directory=folder) as eyes:
            await world.robot.joints.move_head(-0.1)
            await eyes.find("cube_1", 5.0)
            await world.pass_time(0.5)
            place = eyes.in_robot(eyes.object("cube_1").pose)
            seen.append(float(np.hypot(*place[:2, 3])))

    look()
    return seen[0]


def test_a_marker_that_is_larger_than_drawn_is_farther_away_unless_it_is_another_cube_s(
    tmp_path: Path,
) -> None:
    larger = dict.fromkeys(SIDES, Print(1.02))
    save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(0, larger))
    as_drawn = distance(tmp_path / "nothing")
    # From the camera to the marker it is 0.2 m.
    assert distance(tmp_path) - as_drawn == pytest.approx(0.02 * 0.2, rel=0.25)
    save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(0x1234, larger))
    assert distance(tmp_path) == pytest.approx(as_drawn, abs=5e-4)
