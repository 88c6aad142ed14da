"""Stacking: one cube is picked up and put on another one (spec 16 §3.6)."""

from __future__ import annotations

import contextlib

from ..robot import Reason, RobotError
from .cube_choice import check_cube, check_lift_is_empty, nearest_cube
from .cube_pick_up import HIGHEST, pick_up_cube
from .cube_placing import HIGHEST_BASE, place_on
from .manipulator import Manipulator, OnPhase
from .obstacle_avoidance import abort_on_safety_loss

_BACK, _SPEED = -0.040, 0.060
"""Away from the lower cube before the upper one is put on the floor after all."""


@abort_on_safety_loss
async def stack_cubes(
    robot: Manipulator, top: str = "", bottom: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, str, int]:
    """Pick up ``top`` and put it on ``bottom``; without names the nearest ones that can be.

    Returns both names and the attempts. When it fails with the cube on the lift, that is put on
    the floor. Raises ``RobotError``, ``ValueError``.
    """
    check_lift_is_empty(robot)
    if top and top == bottom:
        raise ValueError(f"{top} cannot stand on itself")
    top = top or nearest_cube(robot, lambda one: check_cube(robot, one, HIGHEST), {bottom})
    check_cube(robot, top, HIGHEST)
    bottom = bottom or nearest_cube(robot, lambda one: check_cube(robot, one, HIGHEST_BASE), {top})
    check_cube(robot, bottom, HIGHEST_BASE)
    _, picked = await pick_up_cube(robot, top, on_phase)
    try:
        _, placed = await place_on(robot, bottom, on_phase)
    except RobotError as error:
        await put_down_after(error, robot)
        raise
    return top, bottom, max(picked, placed)


async def put_down_after(error: RobotError, robot: Manipulator) -> None:
    """Put what is on the lift on the floor, if there is something, away from what is near.

    Not where somebody else drives now, or has stopped it.
    """
    is_taken = error.reason in (Reason.SUPERSEDED, Reason.CANCELED)
    if is_taken or not robot.state.is_carrying:
        return
    with contextlib.suppress(RobotError):
        await robot.drive(_BACK, _SPEED)
        await robot.place_on_ground()
