"""The personality sings: a song at the robot on the wire, to its end or until it is lifted."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from cozmo_driver.behavior.behaviors import CLASSES
from cozmo_driver.behavior.constraints import ConstrainedBody, Constraints, Permissions
from cozmo_driver.behavior.testing import FakeBody, run_behavior
from cozmo_driver.music import find_song
from cozmo_driver.robot import Reason, RobotError

from ..robot.hands import act, with_robot
from ..robot.sounds import sounds
from ..robot.test_cubes import all_connected
from .alive import Personality
from .paper import in_virtual_time


@in_virtual_time
async def test_it_sings_between_its_clips_the_song_of_its_file_or_any():
    body = FakeBody(["Sing"])
    await run_behavior(CLASSES["Singing"], body, {"song": "sakura"})
    await run_behavior(CLASSES["Singing"], body, {"animTriggers": ["Sing", "Joy", "Sing"]})
    await run_behavior(CLASSES["Singing"], body, {"animTriggers": ["Sing"]})
    assert [what for _, what in body.diary] == [
        "sing sakura",
        "play Sing", "sing ", "play Sing",
        "play Sing", "sing ",
    ]  # fmt: skip


@in_virtual_time
async def test_where_it_must_not_drive_it_sings_without_turning_and_in_quiet_hours_not_at_all():
    body = FakeBody()
    constraints = Constraints(Permissions(False, False))
    constrained = ConstrainedBody(body, constraints)
    await constrained.sing("sakura")
    assert body.done("sing") == ["sing sakura still"]
    constraints.permissions = Permissions(True, True, quiet_hours=(0.0, 24.0))
    constraints.update(body.senses, 3.0)
    with pytest.raises(RobotError, match="quiet hour") as refused:
        await constrained.sing()
    assert refused.value.reason is Reason.NOT_ALLOWED


@with_robot()
async def test_the_behaviour_sings_to_its_end_and_a_lifted_robot_is_silent(world):
    async with Personality(world) as life:
        await all_connected(world)
        singing = asyncio.ensure_future(life.engine.run_behavior("Music_Sing"))
        await world.until(lambda: life.now.step == "sings", 60)
        began = world.loop.time()
        assert await singing == 1
        assert world.loop.time() - began > find_song("william_tell").duration
        assert np.abs(sounds(world)[-1].samples).max() > 8000

        singing = asyncio.ensure_future(life.engine.run_behavior("Music_Sing"))
        await world.until(lambda: world.robot.clip.startswith("song"), 60)
        act(world, lambda firmware: firmware.handling.pick_up())
        await world.until(lambda: not world.robot.clip.startswith("song"), 1.5)
        assert all(world.robot.cubes.lights_of(one.factory_id) is None for one in life.body.cubes)
        singing.cancel()
