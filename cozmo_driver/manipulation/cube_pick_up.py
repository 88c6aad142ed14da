"""Picking up a cube from the floor, or from another cube (spec 16 §3.2, §3.3)."""

from __future__ import annotations

import asyncio

from ..robot import DockAction, Reason, RobotError
from .cube_choice import HIGH_FROM, check_cube, check_lift_is_empty, nearest_cube
from .cube_docking import dock, face_it, from_sides
from .manipulator import CubeFace, Manipulator, OnPhase
from .obstacle_avoidance import abort_on_safety_loss

HIGHEST = 0.081
"""Height of a cube's middle that can be picked up, m."""
_BACK, _BACK_SPEED = -0.040, 0.060
"""From the lower cube, m and m/s."""
_CHECK_TIME = 0.7
"""s in which images show a cube that was left behind."""


@abort_on_safety_loss
async def pick_up_cube(
    robot: Manipulator, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Pick up a cube, without a name the nearest that can be; return its name and the attempts.

    Raises ``RobotError``, ``ValueError``.
    """
    check_lift_is_empty(robot)
    name = name or nearest_cube(robot, lambda one: check_cube(robot, one, HIGHEST))
    check_cube(robot, name, HIGHEST)

    async def pick_up(face: CubeFace, attempt: int) -> None:
        is_high = face.height > HIGH_FROM
        action = DockAction.PICKUP_HIGH if is_high else DockAction.PICKUP_LOW
        load = await dock(robot, name, HIGHEST, face, action, on_phase, attempt)
        on_phase("checking", attempt)
        if load is None:
            await _check(robot, name, face)
        if is_high:
            # With the upper cube the robot is too near to the lower one to turn.
            await robot.drive(_BACK, _BACK_SPEED)

    return name, await from_sides(robot, name, pick_up, on_phase)


async def _check(robot: Manipulator, name: str, face: CubeFace) -> None:
    """See whether a cube was left where it was. Raises ``RobotError``."""
    await face_it(robot, face)
    await asyncio.sleep(_CHECK_TIME)
    cube = robot.objects.get(name)
    if cube is None or cube.is_visible or not cube.is_carried:
        await robot.place_on_ground()
        raise RobotError(Reason.MISSED, f"the lift was raised, but {name} is not on it")
