"""Programs that know the former names still run, for one release."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from cozmo_driver.robot import CameraOptions

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time

CUBE = {"number": 1, "x": 0.2, "y": 0.01, "yaw": 20}


@in_virtual_time(emulator=emulated(CUBE), camera=CameraOptions(enabled=True))
async def test_eyes_still_tell_sights(world: Any, tmp_path: Any) -> None:
    sys.modules.pop("cozmo_driver.eyes", None)
    with pytest.warns(DeprecationWarning, match="RobotPerception"):
        eyes_module: Any = importlib.import_module("cozmo_driver.eyes")
    async with eyes_module.Eyes(world.robot, directory=tmp_path) as eyes:
        await world.robot.joints.move_head(-0.1)
        sight = await eyes.on_sight.next(lambda seen: seen.markers and seen.drop is None)
    assert isinstance(sight, eyes_module.Sight)
    assert sight.moment.stamp == sight.image.time
    assert {marker.name for marker in sight.markers} == {"cube_1"}
