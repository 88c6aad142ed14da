"""A connected robot as programs of the SDK know it: its connection, cubes by radio (spec 21)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.compat.sdk import robot_docking
from cozmo_driver.compat.sdk.conn import CozmoConnection, EvtConnected, EvtRobotFound
from cozmo_driver.compat.sdk.event import Event
from cozmo_driver.compat.sdk.faces import EvtFaceAppeared
from cozmo_driver.compat.sdk.objects import (
    CustomObjectMarkers,
    CustomObjectTypes,
    EvtObjectAppeared,
    EvtObjectConnectChanged,
    EvtObjectMovingStarted,
    EvtObjectMovingStopped,
)
from cozmo_driver.compat.sdk.robot import (
    MAX_HEAD_ANGLE,
    EvtRobotReady,
    EvtRobotStateUpdated,
    Robot,
)
from cozmo_driver.compat.sdk.sync import Side
from cozmo_driver.compat.sdk.util import degrees
from cozmo_driver.compat.settings import settings
from cozmo_driver.emulator import Identity, RunningEmulator, World, running_emulator
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.manipulation.obstacle_avoidance import obstacles_of
from cozmo_driver.media import DisplayImage
from cozmo_driver.perception import TEMPLATES_FILE
from cozmo_driver.robot import CubeEventType, Owner, Reason, RobotError, data_directory

from .silence import silence

CUBE, OTHER = 0xC1000011, 0xC1000099
"""Both of kind 1."""
DEADLINE = 120.0


@asynccontextmanager
async def connected(emulator: RunningEmulator, told: list[Event]) -> AsyncIterator[Robot]:
    """Connect as a program, and keep what the connection and the cubes tell."""
    conn = CozmoConnection(Side(asyncio.get_running_loop()), (emulator.host, emulator.port))
    conn.add_event_handler(EvtConnected, lambda event, **_: told.append(event))
    conn.add_event_handler(EvtRobotFound, lambda event, **_: told.append(event))
    conn.add_event_handler(EvtRobotReady, lambda event, **_: told.append(event))
    await conn._open()
    try:
        yield await conn.wait_for_robot()
    finally:
        await conn.shutdown()


def run(program: Callable[[RunningEmulator, list[Event]], Awaitable[None]], **robot: Any) -> None:
    with running_emulator(calibration_time=0.0, ideal=True, **robot) as emulator:
        asyncio.run(asyncio.wait_for(program(emulator, []), DEADLINE))


async def until(robot: Robot, condition: Callable[[], object]) -> None:
    while not condition():
        await robot.wait_for(EvtRobotStateUpdated)


async def drive(robot: Robot, emulator: RunningEmulator) -> None:
    await robot.drive_wheels(50, 50)
    emulator.wait_for(lambda now: now.left_speed > 40)


def is_driven(robot: Robot) -> bool:
    return robot._engine.robot.motion.wheels.owner is Owner.TOPIC


async def its_turn(robot: Robot) -> None:
    """Wait until the robot's loop has done what it was given."""
    await asyncio.wrap_future(robot._engine.submit(asyncio.sleep(0)))


async def next_state(robot: Robot) -> None:
    last = robot._engine.robot.state
    await until(robot, lambda: robot._engine.robot.state is not last)


def test_a_connection_tells_of_itself_and_of_its_robot() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            await until(robot, lambda: len(told) == 3)
            connection, found, ready = told
            assert isinstance(connection, EvtConnected)
            assert isinstance(found, EvtRobotFound)
            assert isinstance(ready, EvtRobotReady)
            assert found.robot is ready.robot is robot

    run(program)


def test_a_cube_that_is_lost_while_it_moves_has_stopped_and_starts_again() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            told.clear()
            cube = robot.world.light_cubes[1]
            for kind in (EvtObjectMovingStarted, EvtObjectMovingStopped):
                cube.add_event_handler(kind, lambda event, **_: told.append(event))
            # A cube reports nothing before it has lights.
            await until(robot, lambda: emulator.call(lambda firmware: firmware.cubes.move(CUBE)))
            await until(robot, lambda: len(told) == 1)
            emulator.call(lambda firmware: firmware.cubes.drop(CUBE))
            await until(robot, lambda: len(told) == 2)
            assert not cube.is_moving
            await until(robot, lambda: emulator.call(lambda firmware: firmware.cubes.move(CUBE)))
            await until(robot, lambda: len(told) == 3)
            assert cube.is_moving
            assert [type(event) for event in told] == [
                EvtObjectMovingStarted,
                EvtObjectMovingStopped,
                EvtObjectMovingStarted,
            ]

    run(program)


def test_a_cube_tells_that_it_is_lost_and_that_it_is_back() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            told.clear()
            cube = robot.world.light_cubes[1]
            robot.world.add_event_handler(
                EvtObjectConnectChanged, lambda event, **_: told.append(event)
            )
            # While the program blocks it is lost and comes back.
            events = robot._engine.robot.cubes.on_event
            back = robot._engine.submit(
                events.next(lambda event: event.type is CubeEventType.CONNECTED)
            )
            emulator.call(lambda firmware: firmware.cubes.drop(CUBE))
            back.result(DEADLINE)
            await until(robot, lambda: len(told) == 2)
            assert [(event.obj, event.connected) for event in told] == [
                (cube, False),
                (cube, True),
            ]

    run(program)


@pytest.mark.parametrize(
    ("command", "speed"),
    [
        (lambda robot: None, 50),
        (lambda robot: robot.drive_wheel_motors(-40, -40), -40),
        (lambda robot: robot.stop_all_motors(), 0),
    ],
)
def test_speeds_last_beyond_a_silence_unless_they_are_changed_in_it(
    command: Callable[[Robot], None], speed: float
) -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            await drive(robot, emulator)
            with silence(emulator):
                emulator.wait_for(lambda now: now.left_speed == 0)
                command(robot)
                await its_turn(robot)
            await next_state(robot)
            assert is_driven(robot) is bool(speed)
            emulator.wait_for(lambda now: abs(now.left_speed - speed) < 10)

    run(program)


def test_a_robot_that_was_lifted_in_a_silence_stands_when_it_is_put_down() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            await drive(robot, emulator)
            with silence(emulator):
                emulator.wait_for(lambda now: now.left_speed == 0)
                emulator.call(lambda firmware: firmware.handling.pick_up())
            await until(robot, lambda: robot.is_picked_up)
            emulator.call(lambda firmware: firmware.handling.put_down(None))
            await until(robot, lambda: not robot.is_picked_up)
            await next_state(robot)
            assert not is_driven(robot)

    run(program)


def test_a_picture_takes_the_place_of_another_and_nothing_is_shown_between() -> None:
    left, right = (bytes(row * 64) for row in ([0xFF] * 8 + [0] * 8, [0] * 8 + [0xFF] * 8))

    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        def lit(picture: DisplayImage) -> tuple[bool, bool]:
            return bool(picture[:, :64].any()), bool(picture[:, 64:].any())

        async with connected(emulator, told) as robot:
            for picture, sides in ((left, (True, False)), (right, (False, True))):
                robot.display_oled_face_image(picture, 30000)
                await until(robot, lambda sides=sides: lit(emulator.shown_picture()) == sides)
        shown = [lit(picture) for _, picture in emulator.played_pictures()]
        begun = shown.index((True, False))
        assert (True, True) not in shown[begun : shown.index((False, True))]

    run(program)


@pytest.mark.parametrize("kind", [EvtObjectAppeared, EvtFaceAppeared])
def test_the_robot_looks_for_what_is_waited_for_at_it(
    kind: type[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "looks_early", False)

    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            assert robot._engine.perception is None
            robot.add_event_handler(kind, lambda event, **_: None)
            await until(robot, lambda: robot._engine.perception is not None)

    run(program)


def test_a_missed_cube_is_picked_up_again_as_often_as_the_program_wants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries: list[str] = []

    async def miss(_: object, name: str) -> None:
        tries.append(name)
        raise RobotError(Reason.MISSED, "the cube stayed where it was")

    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            action = robot.pickup_object(robot.world.light_cubes[1], num_retries=2)
            await action.wait_for_completed()
            assert action.result.name == "PICKUP_OBJECT_UNEXPECTEDLY_NOT_MOVING"

    monkeypatch.setattr(robot_docking, "pick_up_cube", miss)
    run(program)
    assert len(tries) == 3


def test_damaged_drawings_of_cubes_are_told_once_and_all_else_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    drawings = data_directory() / TEMPLATES_FILE
    drawings.parent.mkdir()
    drawings.write_text("{}")

    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            kinds = CustomObjectTypes.CustomType00, CustomObjectTypes.CustomType01
            markers = CustomObjectMarkers.Circles2, CustomObjectMarkers.Circles3
            for kind, marker in zip(kinds, markers, strict=True):
                assert await robot.world.define_custom_cube(kind, marker, 44.0, 25.0, 25.0)

    run(program)
    assert sum(str(drawings) in message for message in caplog.messages) == 1


def test_what_a_program_deletes_or_undefines_is_in_no_way_and_its_markers_are_free() -> None:
    kinds = CustomObjectTypes.CustomType00, CustomObjectTypes.CustomType01
    markers = CustomObjectMarkers.Circles2, CustomObjectMarkers.Circles3
    box = {"x": 0.2, "y": 0.0, "size": [0.05] * 3, "tags": [{"tag": "36h11:0", "size": 0.04}]}
    room = {"name": "box", "floor": [{"rectangle": [-0.5, -0.5, 0.5, 0.5]}], "boxes": [box]}

    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        async with connected(emulator, told) as robot:
            engine, world = robot._engine, robot.world
            for kind, marker in zip(kinds, markers, strict=True):
                assert await world.define_custom_cube(kind, marker, 50.0, 40.0, 40.0)
            for act in (
                world.delete_custom_marker_objects,
                world.undefine_all_custom_marker_objects,
            ):
                await robot.set_head_angle(degrees(0)).wait_for_completed()
                await until(robot, lambda: obstacles_of(engine.manipulator))
                # So it is not seen again, nor in an image from the way up.
                await robot.set_head_angle(MAX_HEAD_ANGLE).wait_for_completed()
                up_at = engine.robot.state.time
                await until(robot, lambda time=up_at: engine.sight.time > time)
                assert [box.name for box in obstacles_of(engine.manipulator)] == [kinds[0].name]
                await act()
                await until(robot, lambda sight=engine.sight: engine.sight is not sight)
                await its_turn(robot)
                assert not obstacles_of(engine.manipulator) + list(world.custom_objects)
            assert await world.define_custom_cube(kinds[0], markers[1], 50.0, 40.0, 40.0)

    run(program, world=World(layout_of(room, ""), ideal=True))


def test_a_second_cube_of_a_kind_that_is_only_heard_hides_none() -> None:
    async def program(emulator: RunningEmulator, told: list[Event]) -> None:
        emulator.call(lambda firmware: setattr(firmware.cubes.cubes[OTHER], "rssi", 120))
        async with connected(emulator, told) as robot:
            await until(robot, lambda: len(robot._engine.robot.cubes.all) == 4)
            assert await robot.world.connect_to_cubes()
            assert len(list(robot.world.connected_light_cubes)) == 3

    run(program, identity=Identity(cubes=(*Identity().cubes, (OTHER, 1))))
