"""Home onto the charger where a map has it: a robot that was carried looks where it is first."""

from __future__ import annotations

from functools import partial

from cozmo_driver.emulator import Pose2D as WorldPose
from cozmo_driver.localization import Localizer, RobotLocalization, load_map, localize
from cozmo_driver.manipulation import ChargerMemory, RobotManipulator, dock_charger
from cozmo_driver.perception import PoseState, RobotPerception
from cozmo_driver.robot import CameraOptions

from ..robot.virtual import in_virtual_time
from .test_looking import MAP, emulated

AWAY = WorldPose(-250.0, 350.0, 0.0)
"""The charger is 0.9 m behind it: too far for its marker to be found."""


@in_virtual_time(emulated(1), camera=CameraOptions(enabled=True))
async def test_it_docks_from_afar_where_the_map_has_the_charger(world):
    localizer = Localizer(load_map(MAP))
    phases = []
    async with (
        RobotPerception(world.robot) as eyes,
        RobotLocalization(world.robot, eyes, localizer) as looking,
    ):
        world.firmware.handling.put_down(AWAY)
        body = RobotManipulator(world.robot, eyes.world, partial(localize, looking))
        await world.until(lambda: body.state.is_off_ground)
        await world.until(lambda: not body.state.is_off_ground)

        def on_phase(phase, attempt):
            charger = body.objects["charger"]
            phases.append((phase, attempt, charger.state, charger.last_seen > 0.0))

        assert await dock_charger(body, ChargerMemory(), on_phase) == 1
        assert body.state.is_on_charger
    # It went there before it had seen it.
    assert phases[:2] == [
        ("looking", 1, PoseState.UNKNOWN, False),
        ("driving", 1, PoseState.DIRTY, False),
    ]
