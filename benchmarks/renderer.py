"""CPU of the emulator's camera: drawing a world and encoding it as the robot does."""

from __future__ import annotations

import math
import time

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.camera import PERIOD
from cozmo_driver.emulator.world import World, find_world, load_layout

from .rows import Row, limit_row

_WORLDS = ("table", "room", "maze")
_LIMIT = {"gray": 25.0, "colour": 40.0}
_TURNS = 3
_PICTURES = 60
"""All around the robot, while it turns so fast; the best of the turns counts."""


def rows() -> list[Row]:
    """Measure and return the rows of this section: the dearest world counts."""
    return [
        limit_row(
            f"emulator: 15 {kind} pictures/s drawn and encoded, {name}",
            None,
            share,
            _LIMIT[kind],
            "%",
        )
        for kind in ("gray", "colour")
        for share, name in [max((cpu_share(name, kind == "colour"), name) for name in _WORLDS)]
    ]


def cpu_share(name: str, color: bool) -> float:
    """Return the CPU that filming a world takes, in % of a core."""
    robot = Firmware(EmulatorOptions(), 0.0, World(load_layout(find_world(name))))
    camera, start = robot.camera, robot.body.world_pose
    camera.color = color
    camera.take_picture()
    robot.body.yaw_rate = 2 * math.pi / (_PICTURES * PERIOD)
    best = math.inf
    for _ in range(_TURNS):
        begin = time.process_time()
        for number in range(_PICTURES):
            angle = start.angle + 2 * math.pi * number / _PICTURES
            robot.body.carry_to(Pose2D(start.x, start.y, angle))
            camera.take_picture()
        best = min(best, (time.process_time() - begin) / _PICTURES)
    return best / PERIOD * 100.0
