"""Picking up a cube from the floor, or from another cube (spec 16 §3.2, §3.3)."""

from __future__ import annotations

import asyncio

from ..robot import DockAction, Reason, RobotError
from .body import Body, Face
from .cubes import (
    HIGH_FROM,
    OnPhase,
    check_cube,
    check_free_hands,
    dock,
    face_it,
    from_sides,
    nearest_cube,
)
from .driving import watched

HIGHEST = 0.081
"""Height of a cube's middle that can be picked up, m."""
_BACK, _BACK_SPEED = -0.040, 0.060
"""From the lower cube, m and m/s."""
_CHECK_TIME = 0.7
"""s in which pictures show a cube that was left behind."""


@watched
async def pick_up_cube(
    body: Body, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Pick up a cube, without a name the nearest that can be; return its name and the attempts.

    Raises ``RobotError``, ``ValueError``.
    """
    check_free_hands(body)
    name = name or nearest_cube(body, lambda one: check_cube(body, one, HIGHEST))
    check_cube(body, name, HIGHEST)

    async def pick_up(face: Face, attempt: int) -> None:
        is_high = face.height > HIGH_FROM
        action = DockAction.PICKUP_HIGH if is_high else DockAction.PICKUP_LOW
        load = await dock(body, name, face, action, on_phase, attempt)
        on_phase("checking", attempt)
        if load is None:
            await _check(body, name, face)
        if is_high:
            # With the upper cube the robot is too near to the lower one to turn.
            await body.drive(_BACK, _BACK_SPEED)

    return name, await from_sides(body, name, pick_up, on_phase)


async def _check(body: Body, name: str, face: Face) -> None:
    """See whether a cube was left where it was. Raises ``RobotError``."""
    await face_it(body, face)
    await asyncio.sleep(_CHECK_TIME)
    cube = body.objects.get(name)
    if cube is None or cube.is_visible or not cube.is_carried:
        await body.place_on_ground()
        raise RobotError(Reason.MISSED, f"the lift was raised, but {name} is not on it")
