"""Rolling cubes: what is claimed is so (spec 16 §3.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cozmo_driver.manipulation.cube_rolling import roll_cube
from cozmo_driver.perception.perception import observations_of
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.robot import CameraOptions, CubeKind, Reason, RobotError

from ..robot.virtual import in_virtual_time
from .table import Knowing, Phases, Told, emulated, is_safe, looking

ON_ITS_SIDE = {"number": 1, "x": 0.2, "y": 0.02, "yaw": 15, "pitch": 90}


@in_virtual_time(emulator=emulated(ON_ITS_SIDE), camera=CameraOptions(enabled=True))
async def test_a_cube_is_rolled_by_its_bottom_until_it_is_upright(world):
    phases = Phases()
    async with looking(world, 1) as body:
        assert await roll_cube(body, on_phase=phases) == ("cube_1", True, 1)
        assert world.firmware.place.world.cube(1).place.up_axis is UpAxis.Z_POSITIVE
        assert [phase for phase, _ in phases.all] == ["driving", "looking", "docking", "checking"]
        await world.until(lambda: is_safe(world))
        assert await roll_cube(body, "cube_1") == ("cube_1", True, 0)
        with pytest.raises(RobotError, match="cube_1 is upright"):
            await roll_cube(body)


UPSIDE_DOWN = {"number": 1, "x": 0.2, "y": 0.02, "roll": 180}


@in_virtual_time(emulator=emulated(UPSIDE_DOWN, ideal=True))
async def test_a_cube_upside_down_is_rolled_twice(world):
    assert await roll_cube(Knowing(world)) == ("cube_1", True, 2)
    assert world.firmware.place.world.cube(1).place.up_axis is UpAxis.Z_POSITIVE


@pytest.fixture
def nameless_sides(monkeypatch):
    """As with drawings that were learnt without their sides: they name the cube alone."""

    def without_sides(markers, camera):
        return observations_of([replace(one, side="") for one in markers], camera)

    monkeypatch.setattr("cozmo_driver.perception.perception.observations_of", without_sides)


@pytest.mark.usefixtures("nameless_sides")
@in_virtual_time(
    emulator=emulated({"number": 1, "x": 0.2, "y": 0.02, "yaw": 15, "roll": 90}, seed=3),
    camera=CameraOptions(enabled=True),
)
async def test_of_a_cube_whose_sides_are_not_known_the_radio_says_when_it_is_upright(world):
    cube = await world.robot.cubes.connect(CubeKind.CUBE_1)
    # A radio tells it when it changes: somebody has just laid the cube so.
    lies = world.firmware.place.world.cube(1).place.up_axis
    await world.until(lambda: world.wire.cubes.flip(cube.factory_id, lies))
    await world.until(lambda: world.robot.cubes.find(CubeKind.CUBE_1).up_axis is lies)
    async with looking(world, 1) as body:
        assert (await roll_cube(body, "cube_1"))[:2] == ("cube_1", True)
    assert world.firmware.place.world.cube(1).place.up_axis is UpAxis.Z_POSITIVE


@in_virtual_time(emulator=emulated({"number": 2, "x": 0.2, "y": 0.0}, ideal=True))
async def test_a_cube_that_stays_as_it_lies_is_told_after_three_attempts(world):
    body, phases, actions = Told(world), Phases(), []
    world.firmware.place.fork.hook = lambda is_deep=False: actions.append(is_deep)
    with pytest.raises(RobotError, match="was not rolled") as caught:
        await roll_cube(body, is_once=True, on_phase=phases)
    assert caught.value.reason is Reason.MISSED
    assert actions == [False, True, True]
    assert [one for one in phases.all if one[0] == "docking"] == [
        ("docking", attempt) for attempt in (1, 2, 3)
    ]
    await world.until(lambda: is_safe(world))
