"""Waiting for an object that is not there ends with what to do."""

from __future__ import annotations

import pytest

from cozmo_driver.perception import RobotPerception
from cozmo_driver.robot import Reason, RobotError

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time

LEARN = "a cube of the maker must be learnt first (cozmo vision learn --cube 2; "
BESIDE = "while a driver runs: the service learn_markers"
"""The driver has the robot, which accepts one program."""


@in_virtual_time(emulator=emulated())
async def test_only_of_a_cube_it_says_that_it_must_be_learnt(world, tmp_path):
    async with RobotPerception(world.robot, directory=tmp_path) as eyes:
        for name, is_learnt_first in (("cube_2", True), ("charger", False)):
            with pytest.raises(RobotError) as caught:
                await eyes.find(name, 0.1)
            assert caught.value.reason is Reason.NOT_SEEN
            assert (LEARN + BESIDE in str(caught.value)) is is_learnt_first
