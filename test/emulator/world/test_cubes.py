"""Cubes in the world: they give way, jam and fall, and tell the engine."""

from __future__ import annotations

import pytest

from cozmo_driver.emulator import EmulatorOptions, Pose2D
from cozmo_driver.emulator.commands import AXES
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.protocol.messages import (
    CubeID,
    CubeLights,
    DriveWheels,
    EnableStopOnCliff,
    ObjectMoved,
    ObjectStoppedMoving,
    ObjectUpAxisChanged,
    SetPropSlot,
)
from cozmo_driver.protocol.structs import LightState

from ..bench import Bench
from .worlds import ROOM, TABLE, bench_in

CUBE = {"number": 1, "x": 0.1, "y": 0.0}
_LIGHT = LightState(0x83E0, 0x83E0, 0, 0, 0, 0, 0)
_IDS = {1: 0xC1000011, 2: 0xC2000022, 3: 0xC3000033}


def with_cubes(base: dict, *cubes: dict, **more: object) -> Bench:
    """Return a robot with the named cubes in the world, connected and lit, cube n in slot n."""
    bench = bench_in(base, cubes=list(cubes), **more)
    connect_cubes(bench, *(cube["number"] for cube in cubes))
    return bench


def connect_cubes(bench: Bench, *numbers: int) -> None:
    """Connect cubes and give them lights, so that they tell what happens to them."""
    for number in numbers:
        bench.send(SetPropSlot(_IDS[number], number))
    bench.run(3.0)
    for number in numbers:
        bench.send(CubeID(number, 0), CubeLights((_LIGHT,) * 4))
    bench.run(0.2)
    bench.forget()


def cube(bench: Bench, number: int = 1) -> Pose2D:
    return bench.firmware.place.world.cube(number).pose


def test_a_pushed_cube_goes_ahead_of_the_robot_and_tells_that_it_moved_and_stopped() -> None:
    bench = with_cubes(ROOM, CUBE)
    bench.send(DriveWheels(100, 100))
    bench.run(2.0)
    assert len(bench.got(ObjectMoved)) == 1
    assert not bench.got(ObjectStoppedMoving)
    robot = bench.state.pose
    assert cube(bench).x == pytest.approx(robot.x + 44.0, abs=0.01)
    assert robot.x > 170.0
    bench.send(DriveWheels(0, 0))
    bench.run(1.0)
    (stopped,) = bench.got(ObjectStoppedMoving)
    assert stopped.object_id == bench.got(ObjectMoved)[0].object_id == 1


def test_a_cube_against_a_wall_stops_the_robot() -> None:
    wall = {"points": [[0.2, -0.5], [0.2, 0.5]], "thickness": 0.01}
    bench = with_cubes(ROOM, CUBE, walls=[wall])
    bench.send(DriveWheels(100, 100))
    bench.run(3.0)
    assert cube(bench).x == pytest.approx(195.0 - 22.0, abs=0.5)
    assert bench.state.pose.x == pytest.approx(195.0 - 44.0 - 22.0, abs=1.0)


def test_a_cube_pushed_over_the_edge_falls_and_lies_on_another_side() -> None:
    bench = with_cubes(TABLE, {"number": 1, "x": 0.2, "y": 0.0})
    bench.send(EnableStopOnCliff(False), DriveWheels(100, 100))
    bench.run(3.5)
    assert bench.firmware.place.world.cube(1).is_down
    assert len(bench.got(ObjectUpAxisChanged)) == 1
    assert len(bench.got(ObjectStoppedMoving)) == 1


@pytest.mark.parametrize(
    ("where", "why"),
    [
        (Pose2D(0.0, 0.0), "a robot"),
        (Pose2D(900.0, 0.0), "no floor"),
        (Pose2D(0.0, 150.0), "cube 2"),
        (Pose2D(-200.0, 0.0), "a wall or a box"),
    ],
)
def test_a_cube_is_not_put_where_it_cannot_stand(where: Pose2D, why: str) -> None:
    bench = bench_in(
        TABLE,
        EmulatorOptions(),
        cubes=[CUBE, {"number": 2, "x": 0.0, "y": 0.15}],
        boxes=[{"x": -0.2, "y": 0.0, "size": [0.05, 0.05, 0.05]}],
    )
    with pytest.raises(ValueError, match=why):
        bench.firmware.place.world.move_cube(1, where)
    assert cube(bench) == Pose2D(100.0, 0.0)


def test_a_cube_that_is_not_there_is_named_with_those_that_are() -> None:
    bench = bench_in(ROOM, cubes=[CUBE])
    with pytest.raises(ValueError, match="no cube 2 in this world; there are: 1"):
        bench.firmware.place.world.move_cube(2, Pose2D())
    with pytest.raises(ValueError, match="no cube 2 in reach"):
        bench.firmware.handling.tap(2)


def test_what_stands_on_a_pushed_cube_goes_with_it() -> None:
    upper = {"number": 2, "on_cube": 1, "yaw": 30.0}
    bench = with_cubes(ROOM, CUBE, upper)
    bench.send(DriveWheels(100, 100))
    bench.run(2.0)
    world = bench.firmware.place.world
    lower, rider = world.cube(1).place, world.cube(2).place
    assert lower.pose.x > 200.0
    assert (rider.pose.x, rider.pose.y) == pytest.approx((lower.pose.x, lower.pose.y), abs=1e-6)
    assert rider.bottom == 44.0
    assert {m.object_id for m in bench.got(ObjectMoved)} == {1, 2}


def test_what_stands_on_a_cube_falls_when_that_is_pushed_fast() -> None:
    bench = with_cubes(ROOM, CUBE, {"number": 2, "on_cube": 1})
    bench.send(DriveWheels(150, 150))
    bench.run(1.0)
    rider = bench.firmware.place.world.cube(2).place
    assert (rider.bottom, rider.on) == (0.0, None)
    assert rider.pose.x > cube(bench).x + 40.0


def test_cubes_are_stacked_and_taken_off_again() -> None:
    others = [{"number": 2, "x": 0.0, "y": 0.2}, {"number": 3, "x": 0.0, "y": -0.2}]
    bench = with_cubes(ROOM, CUBE, *others)
    world = bench.firmware.place.world
    world.stack_cube(2, 1, yaw=0.5)
    with pytest.raises(ValueError, match="cube 2 stands on cube 1: take it off first"):
        world.stack_cube(3, 1)
    world.stack_cube(3, 2)
    assert world.cube(3).place.bottom == 88.0
    world.move_cube(3, Pose2D(0.0, -200.0))
    assert (world.cube(2).pose, world.cube(2).place.bottom) == (Pose2D(100.0, 0.0, 0.5), 44.0)
    with pytest.raises(ValueError, match="cube 2 stands on cube 1: take it off first"):
        world.stack_cube(1, 2)
    world.move_cube(2, Pose2D(0.0, 200.0))
    assert (world.cube(2).place.on, world.cube(2).place.bottom) == (None, 0.0)
    world.move_cube(1, Pose2D(300.0, 0.0))
    assert cube(bench, 2) == Pose2D(0.0, 200.0)


def test_a_cube_turned_over_lies_as_its_radio_reports() -> None:
    bench = with_cubes(ROOM, CUBE | {"roll": 90})
    handling, world = bench.firmware.handling, bench.firmware.place.world
    assert world.cube(1).place.up_axis is UpAxis.Y_POSITIVE
    for axis in AXES.values():
        handling.flip_cube(1, axis)
        bench.run(0.5)
        assert world.cube(1).place.up_axis is axis
        assert bench.got(ObjectUpAxisChanged)[-1].up_axis == axis


def test_the_lights_of_a_cube_shine_in_pictures_until_they_are_off() -> None:
    def brightest(bench: Bench) -> int:
        picture = bench.firmware.camera.preview()
        assert picture is not None
        return int(picture.max())

    bench = with_cubes(ROOM, {"number": 1, "x": 0.15, "y": 0.0})
    bench.firmware.camera.light = 0.1
    bench.firmware.joints.head.angle = 0.0
    assert brightest(bench) > 150
    off = LightState(0x8000, 0x8000, 0, 0, 0, 0, 0)
    bench.send(CubeID(1, 0), CubeLights((off,) * 4))
    bench.run(0.2)
    assert brightest(bench) < 50
