"""Lights and cubes over a real, bad link; everything else about them is tested in virtual time."""

from __future__ import annotations

import asyncio

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.emulator.lights import FRONT
from cozmo_driver.robot import (
    BackpackLights,
    CameraOptions,
    Color,
    CubeEventType,
    CubeLights,
    Robot,
    RobotOptions,
    steady,
)
from cozmo_driver.robot.lights import DARK

TIMEOUT = 60.0
RED = steady(Color(1.0, 0.0, 0.0))
(TAPPED, _), *_ = Identity().cubes


async def until(signal, condition):
    """Wait for a value of the signal that fulfils the condition."""
    found = asyncio.Event()
    disconnect = signal.connect(lambda value: condition(value) and found.set())
    try:
        await asyncio.wait_for(found.wait(), TIMEOUT)
    finally:
        disconnect()


async def scenario(emulator):
    robot = Robot(RobotOptions("127.0.0.1", emulator.port, camera=CameraOptions(enabled=False)))
    loop = asyncio.get_running_loop()

    def ask(function):
        return loop.run_in_executor(None, emulator.call, function)

    robot.backpack.set(BackpackLights(front=RED))
    await robot.start()
    try:
        await until(
            robot.cubes.on_change, lambda cubes: [cube.is_connected for cube in cubes] == [True] * 3
        )
        assert robot.cubes.set_lights(CubeLights((RED, DARK, DARK, DARK)), factory_id=TAPPED)
        await robot.session.link.drained()
        colors = await ask(lambda firmware: firmware.cubes.colors(TAPPED))
        assert colors == ((1.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3, (0.0,) * 3)
        assert (await ask(lambda f: f.backpack.colors()))[FRONT] == (1.0, 0.0, 0.0)
        tapped = asyncio.create_task(
            until(robot.cubes.on_event, lambda event: event.type is CubeEventType.TAPPED)
        )
        assert await ask(lambda firmware: firmware.cubes.tap(TAPPED))
        await tapped
    finally:
        await robot.stop()


def test_lights_connections_and_taps_survive_loss_duplication_and_reordering():
    with running_emulator(loss=0.1, duplicate=0.1, reorder=0.1, seed=3) as emulator:
        asyncio.run(scenario(emulator))
