"""The pad of an emulated charger: it advertises, connects and shows lights (spec 08 §6)."""

from __future__ import annotations

from typing import Any

from cozmo_driver.emulator import World
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.emulator.world.layout import Layout
from cozmo_driver.robot import Color, CubeKind, steady, uniform_lights

from .virtual import in_virtual_time


def with_charger() -> World:
    return World(Layout(charger=Pose2D(400.0, 0.0, 0.0)), ideal=True)


@in_virtual_time(emulator={"world": with_charger})
async def test_the_pad_of_a_charger_shows_lights(world: Any) -> None:
    cubes = world.robot.cubes
    await world.until(lambda: any(one.kind is CubeKind.CHARGER for one in cubes.all))
    pad = await cubes.connect(CubeKind.CHARGER)
    cubes.set_lights(uniform_lights(steady(Color(0.0, 1.0, 0.0))), factory_id=pad.factory_id)
    emulated = world.wire.cubes.cubes[pad.factory_id]
    await world.until(lambda: emulated.updates > 0 and emulated.lights[0].on_color & 0x7FFF)

    # Dark, and opaque.
    assert emulated.lights[3].on_color == 0x8000


@in_virtual_time()
async def test_without_a_charger_no_pad_advertises(world: Any) -> None:
    await world.until(lambda: len(world.robot.cubes.all) == 3)
    await world.until(lambda: sum(one.is_connected for one in world.robot.cubes.all) == 3)

    assert all(one.kind is not CubeKind.CHARGER for one in world.robot.cubes.all)
