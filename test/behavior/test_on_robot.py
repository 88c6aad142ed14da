"""The personality on the wire: engine, body, robot and emulator in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.animation.assets import cube_lights_of
from cozmo_driver.behavior.constraints import Permissions
from cozmo_driver.behavior.executor import State
from cozmo_driver.robot.lights import CUBE_BUDGET, cube_messages

from ..robot.hands import act, is_standing, truth, with_robot
from .alive import alive, assets


@with_robot({"on_charger": True})
async def test_on_the_charger_it_never_turns_its_treads_without_leave(world):
    async with alive(world, Permissions(motion=True)) as life:
        start = truth(world)
        await world.until(lambda: life.now.state is State.ASLEEP, 3600)
        assert truth(world) == start


@with_robot({"on_charger": True})
async def test_with_leave_it_gets_off_its_charger(world):
    async with alive(world) as life:
        done = await life.engine.run_behavior("Charger_DriveOff")
        assert done == 1
        assert not world.robot.state.is_on_charger
        assert truth(world).x > 0.1


@with_robot()
async def test_a_tapped_cube_answers_with_light(world):
    async with alive(world) as life:
        await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all), 30)
        await world.until(lambda: life.now.state is State.RUNNING)
        cube = next(cube for cube in world.robot.cubes.all if cube.kind == 1)
        first, *_ = assets().library.cube_lights["tapped"]
        _, flash, _ = cube_messages(cube.slot, cube.kind, cube_lights_of(first), CUBE_BUDGET)
        assert flash not in world.wire.received(type(flash))
        act(world, lambda f: f.handling.tap(1))
        await world.until(lambda: life.now.reaction == "CubeTapped", 10)
        await world.until(lambda: flash in world.wire.received(type(flash)), 5)
        await world.until(lambda: life.now.reaction == "", 60)


@with_robot()
async def test_a_user_who_drives_gets_the_wheels_at_once(world):
    async with alive(world) as life:
        task = asyncio.ensure_future(life.engine.run_behavior("Alone_Wander", -1))
        await world.until(lambda: world.robot.state.are_wheels_moving, 60)
        life.engine.touch("cmd_vel")
        world.robot.motion.drive(0.05, 0.0)
        start = world.loop.time()
        while world.loop.time() - start < 1.5:
            world.robot.motion.drive(0.05, 0.0)
            life.engine.touch("cmd_vel")
            await asyncio.sleep(0.1)
        assert life.now.state is State.SUSPENDED
        assert world.robot.state.left_wheel_speed == pytest.approx(0.05, abs=0.01)
        world.robot.motion.drive(0.0, 0.0)
        await world.until(lambda: life.now.state is State.RUNNING, 10)
        await asyncio.wait([task])


@pytest.mark.parametrize("after", [0.7])
@pytest.mark.parametrize("name", ["Alone_Wander", "Hiking_Walk", "Music_Dance", "Cubes_GuardDog"])
@with_robot()
async def test_cancelled_on_the_robot_it_stands_still(world, name, after):
    async with alive(world) as life:
        await world.until(lambda: any(cube.is_connected for cube in world.robot.cubes.all), 30)
        task = asyncio.ensure_future(life.engine.run_behavior(name))
        await world.until(lambda: life.now.behavior_id == name, 30)
        await world.pass_time(after)
        task.cancel()
        life.engine.enable(False)
        await world.until(lambda: is_standing(world), 2.0)
        await world.pass_time(2.0)
        assert is_standing(world)
        assert not world.robot.clip
