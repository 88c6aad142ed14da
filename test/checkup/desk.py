"""An emulated robot on a desk with a cube, a book and its charger, and who puts it before them."""

from __future__ import annotations

import math

from cozmo_driver.checkup import Choice, Nobody
from cozmo_driver.emulator.body import Pose2D
from cozmo_driver.emulator.options import Identity
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of

_LAYOUT = {
    "name": "desk",
    "floor": [{"rectangle": [-0.8, -0.8, 0.8, 0.8], "pattern": "wood"}],
    "walls": [{"points": [[-0.79, 0.79], [0.79, 0.79]], "height": 0.3, "gray": 190}],
    "boxes": [
        {"x": 0.6, "y": -0.5, "yaw": 0, "size": [0.04, 0.3, 0.25], "gray": 90},
        {"x": 0.7, "y": 0.1, "yaw": 20, "size": [0.1, 0.1, 0.2], "gray": 60},
        {"x": 0.72, "y": -0.15, "yaw": 0, "size": [0.05, 0.08, 0.12], "gray": 220},
    ],
    "cubes": [{"number": 1, "x": 0.3, "y": 0.6, "yaw": 0}],
    "charger": {"x": -0.4, "y": -0.5, "yaw": 180},
    "robots": [{"x": 0.0, "y": 0.0, "yaw": 0}],
}
_PLACES = {
    "book": Pose2D(460.0, -500.0, 0.0),
    "edge": Pose2D(660.0, 0.35e3, 0.0),
    "cube 25 cm": Pose2D(40.0, 600.0, 0.0),
    "charger": Pose2D(-130.0, -500.0, math.pi),
}


def emulated(serial: int = 0x45A1B2C3, hardware: str = "1.5", seed: int = 1) -> dict[str, object]:
    """Return the emulator's options for a robot in the middle of the desk."""
    layout = layout_of(_LAYOUT, "desk.yaml")
    return {
        "world": lambda: World(layout, seed=seed),
        "identity": Identity(head_serial=serial, body_serial=serial ^ 0x1234567),
        "hardware": hardware,
        "seed": seed,
    }


class Helper(Nobody):
    """Does what is asked for, and sees and hears what the robot was told to show and play."""

    def __init__(self, world, answers=True):
        self.lines: list[str] = []
        super().__init__(self.lines.append)
        self._world, self._answers = world, answers

    async def choose(self, step, *, can_repeat):
        # Everything was put before the robot but on a free place it drives.
        await self._put(Pose2D())
        return Choice.GO

    async def agrees(self, request):
        for words, place in _PLACES.items():
            if words in request:
                await self._put(place)
        return True

    async def notices(self, question):
        if "Tap" in question:
            self._world.firmware.handling.tap(1)
        return self._answers

    async def _put(self, place):
        firmware, robot = self._world.firmware, self._world.robot
        here = firmware.body.world_pose
        if math.dist((here.x, here.y), (place.x, place.y)) < 200.0:
            return
        firmware.handling.put_down(place)
        self._world.wire.wake()
        await self._world.until(lambda: robot.state.is_off_ground)
        await self._world.until(lambda: not robot.state.is_off_ground)
