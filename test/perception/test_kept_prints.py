"""How a robot's cubes were printed is known again in its next session, and of no other cube."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.perception import PrintedCube, RobotPerception, load_prints, save_prints
from cozmo_driver.perception.kept_mount import KeptMount
from cozmo_driver.perception.kept_prints import prints_path
from cozmo_driver.perception.perception import ConnectedCube, Perception
from cozmo_driver.perception.world.objects import SIDES, Print, cube_model
from cozmo_driver.robot import LIGHT_CUBES, CameraOptions, CubeKind

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time
from .scene import Scene, apart, cube_at

SERIAL = 0x52
PRINT = Print(1.01, -0.0003, 0.0002, 0.02)
PRINTED = PrintedCube(0x1234, {"front": PRINT, "left": Print()})
LARGER = dict.fromkeys(SIDES, Print(1.02))
EMULATED = emulated({"number": 1, "x": 0.25, "y": 0.0, "yaw": 10}, seed=3) | {
    "identity": Identity(head_serial=SERIAL)
}


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
                {
                    "format": "cozmo_driver cube prints",
                    "version": 1,
                    "head_serial": "0x00000052",
                    "cubes": cubes,
                }
            ).encode()
            for cubes in (
                3,
                {"cube_1": 3},
                {"cube_1": {"factory_id": 1}},
                {"cube_1": {"factory_id": "x", "sides": {}}},
                {"charger": {"factory_id": 1, "sides": {}}},
                *(
                    {"cube_1": {"factory_id": 1, "sides": {side: values}}}
                    for side, values in (
                        ("inside", {"scale": 1.0, "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": 1.2, "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": float("nan"), "right": 0.0, "up": 0.0, "turn": 0.0}),
                        ("front", {"scale": 10**400, "right": 0, "up": 0, "turn": 0}),
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


def distance(folder: Path) -> float:
    """Return how far away the robot sees its cube, which is connected, m."""
    seen: list[float] = []

    @in_virtual_time(
        EMULATED,
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


def test_a_marker_that_is_larger_than_drawn_is_farther_away(tmp_path: Path) -> None:
    save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(0, LARGER))
    # From the camera to the marker it is 0.2 m.
    farther = distance(tmp_path) - distance(tmp_path / "nothing")
    assert farther == pytest.approx(0.02 * 0.2, rel=0.25)


@pytest.mark.parametrize(
    ("measured", "linked", "is_used"), [(1, 1, True), (0, 2, True), (1, 2, False)]
)
def test_what_was_found_of_another_cube_is_not_used_also_when_its_link_drops(
    measured: int, linked: int, is_used: bool
) -> None:
    perception, scene = Perception(), Scene(noise=0.0)
    scene.world = perception.world
    perception.set_prints({"cube_1": PrintedCube(measured, LARGER)})
    perception.on_cubes({CubeKind.CUBE_1: ConnectedCube(0, 2, linked)})
    perception.on_cubes({})
    assert perception.printed == (["cube_1"] if is_used else [])
    true = cube_at(0.25, 0.0, 0.3)
    scene.put(cube_model(1, LARGER), true)
    # The stream settles.
    scene.go(30)
    assert (apart(scene.place(scene.things["cube_1"][0]), true) < 0.001) is is_used


def test_what_is_wrong_with_one_cube_or_side_leaves_the_others(tmp_path: Path) -> None:
    save_prints(tmp_path, SERIAL, "cube_1", PRINTED)
    save_prints(tmp_path, SERIAL, "cube_2", PrintedCube(1, {"front": Print(right=0.1)}))
    save_prints(tmp_path, SERIAL, "cube_3", PRINTED)
    assert load_prints(tmp_path, SERIAL) == {"cube_1": PRINTED, "cube_3": PRINTED}


def test_sides_that_were_found_before_of_the_same_cube_stay(tmp_path: Path) -> None:
    save_prints(tmp_path, SERIAL, "cube_1", PRINTED)
    save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(PRINTED.factory_id, {"left": PRINT}))
    assert load_prints(tmp_path, SERIAL)["cube_1"].sides == {"front": PRINT, "left": PRINT}
    save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(1, {"left": PRINT}))
    assert load_prints(tmp_path, SERIAL)["cube_1"].sides == {"left": PRINT}
    for sides in ({"left": PRINT}, {"back": PRINT}):
        save_prints(tmp_path, SERIAL, "cube_1", PrintedCube(0, sides))
    assert load_prints(tmp_path, SERIAL)["cube_1"].sides == {"back": PRINT}


@in_virtual_time(EMULATED, camera=CameraOptions(enabled=False))
async def test_a_file_that_is_deleted_is_forgotten_in_the_next_session(
    world, tmp_path, caplog
) -> None:
    save_prints(tmp_path, SERIAL, "cube_1", PRINTED)
    told: list[object] = []
    kept = KeptMount(RobotPerception(world.robot).world.camera.mounting, tmp_path, told.append)
    for is_there in (True, False):
        if not is_there:
            prints_path(tmp_path, SERIAL).unlink()
        kept.on_serial(SERIAL)
        await world.until(lambda: told)
        assert told.pop() == ({"cube_1": PRINTED} if is_there else {})
    prints_path(tmp_path, SERIAL).write_bytes(b"[1]")
    for _ in range(2):
        kept.on_serial(SERIAL)
    await kept.end()
    # As often as it is told which robot it is: the file is read and warned of once.
    assert told == [{}]
    assert caplog.text.count("is not used") == 1
