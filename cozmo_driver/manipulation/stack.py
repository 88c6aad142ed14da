"""Stacking: one cube is picked up and put on another one (spec 16 §3.6)."""

from __future__ import annotations

import contextlib

from ..robot import Reason, RobotError
from .body import Body
from .cubes import OnPhase, check_cube, check_free_hands, nearest_cube
from .driving import watched
from .pick_up import HIGHEST, pick_up_cube
from .place import HIGHEST_BASE, place_on

_BACK, _SPEED = -0.040, 0.060
"""Away from the lower cube before the upper one is put on the floor after all."""


@watched
async def stack_cubes(
    body: Body, top: str = "", bottom: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, str, int]:
    """Pick up ``top`` and put it on ``bottom``; without names the nearest ones that can be.

    Returns both names and the attempts. When it fails with the cube on the lift, that is put on
    the floor. Raises ``RobotError``, ``ValueError``.
    """
    check_free_hands(body)
    if top and top == bottom:
        raise ValueError(f"{top} cannot stand on itself")
    top = top or nearest_cube(body, lambda one: check_cube(body, one, HIGHEST), {bottom})
    check_cube(body, top, HIGHEST)
    bottom = bottom or nearest_cube(body, lambda one: check_cube(body, one, HIGHEST_BASE), {top})
    check_cube(body, bottom, HIGHEST_BASE)
    _, picked = await pick_up_cube(body, top, on_phase)
    try:
        _, placed = await place_on(body, bottom, on_phase)
    except RobotError as error:
        await put_down_after(error, body)
        raise
    return top, bottom, max(picked, placed)


async def put_down_after(error: RobotError, body: Body) -> None:
    """Put what is on the lift on the floor, if there is something, away from what is near.

    Not where somebody else drives now.
    """
    if error.reason is Reason.SUPERSEDED or not body.situation.is_carrying:
        return
    with contextlib.suppress(RobotError):
        await body.drive(_BACK, _SPEED)
        await body.place_on_ground()
