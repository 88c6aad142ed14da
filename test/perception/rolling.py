"""A person who rolls cube 1 of an emulator's world."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cozmo_driver.emulator import Firmware, RunningEmulator
from cozmo_driver.emulator.world.things import ATTITUDES

_TOWARDS = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
_LEFT = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Quarter turns of a cube ahead of a robot that looks along x."""


def roll(emulator: RunningEmulator, is_towards: bool) -> None:
    """Roll the cube a quarter turn, towards the robot or to its left."""
    emulator.call(lambda robot: _roll(robot, _TOWARDS if is_towards else _LEFT))


def _roll(robot: Firmware, turn: np.ndarray) -> None:
    world = robot.place.world
    place = world.cube(1).place
    wanted = turn @ np.round(place.rotation)
    for axis, (tilt, pitch) in ATTITUDES.items():
        for quarter in range(4):
            pose = replace(place.pose, angle=quarter * math.pi / 2)
            turned = replace(place, roll=tilt, pitch=pitch, pose=pose)
            if np.allclose(turned.rotation, wanted, atol=1e-6):
                world.turn_cube(1, axis)
                world.move_cube(1, pose)
                return
    raise AssertionError("a cube that lies flat lies flat after a quarter turn")
