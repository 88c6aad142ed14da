"""Standing square before a cube, a wheelie on it, knocking a stack over (spec 16 §3.3, §3.6)."""

from __future__ import annotations

import asyncio
import math

from ..link import end
from ..perception import CUBE_EDGE
from ..robot import DockAction, Pose2D, Reason, Refused, RobotError
from .approach import located
from .body import Body, Face
from .cubes import (
    HIGH_FROM,
    OnPhase,
    check_cube,
    check_free_hands,
    dock,
    face_it,
    face_now,
    from_sides,
    nearest_cube,
    rider_of,
    search,
    see,
)
from .driving import distance_between, go_to, height_of, is_at, pose_of, watched

_POLL = 0.02
_ALIGNED = 0.043
"""From the face to the drive center, m: the lift touches the face."""
_SQUARE = 0.010, math.radians(7.5)
_ON_BACK, _REST = -1.0, 0.5
"""Pitch of a robot that lies on its back, and s until it lies still."""
_START = CUBE_EDGE / math.sqrt(2) + 0.080
"""m from a cube's middle, where knocking it over begins: before one of its upright edges."""
_READY_LIFT, _KNOCK_LIFT, _KNOCK_SPEED = 0.040, 0.092, 0.150
_RAISE_AT = 0.065
"""m from the drive center to the cube's middle, where the lift rises."""
_BACK, _BACK_SPEED = -0.060, 0.060


@watched
async def align(body: Body, name: str = "", on_phase: OnPhase = lambda *_: None) -> tuple[str, int]:
    """Stand square before a side of a cube, the lift at it; without a name the nearest cube.

    Returns its name and the attempts. Raises ``RobotError``, ``ValueError``.
    """
    name = _choose(body, name)

    async def stand(face: Face, attempt: int) -> None:
        await dock(body, name, face, DockAction.ALIGN, on_phase, attempt)
        on_phase("checking", attempt)
        goal = (face_now(body, name, face) or face).pose.compose(Pose2D(-_ALIGNED))
        if not is_at(body.situation.pose, goal, *_SQUARE):
            raise RobotError(Reason.MISSED, f"the robot does not stand square before {name}")

    return name, await from_sides(body, name, stand, on_phase)


async def pop_a_wheelie(
    body: Body, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Climb up a cube until the robot lies on its back; without a name on the nearest cube.

    Returns its name and the attempts. Raises ``RobotError``, ``ValueError``.
    """
    name = _choose(body, name)

    async def pop(face: Face, attempt: int) -> None:
        await dock(body, name, face, DockAction.POP_A_WHEELIE, on_phase, attempt)
        on_phase("checking", attempt)
        await asyncio.sleep(_REST)
        if body.situation.pitch > _ON_BACK:
            raise RobotError(Reason.MISSED, f"the robot did not tip over at {name}")

    return name, await from_sides(body, name, pop, on_phase)


def _choose(body: Body, name: str) -> str:
    check_free_hands(body)
    name = name or nearest_cube(body, lambda one: check_cube(body, one, HIGH_FROM))
    return check_cube(body, name, HIGH_FROM).name


@watched
async def knock_over(
    body: Body, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, str]:
    """Let what stands on a cube fall; without a name on the nearest that carries something.

    Returns the names of the lower and of the fallen cube. Raises ``RobotError``.
    """
    check_free_hands(body)
    name = name or nearest_cube(body, lambda one: _check_stack(body, one))
    rider = _check_stack(body, name)
    on_phase("driving", 1)
    yaws = [(quarter + 0.5) * math.pi / 2 for quarter in range(4)]
    edges = [_middle_of(body, name).pose.compose(Pose2D(yaw=yaw)) for yaw in yaws]
    await go_to(body, [edge.compose(Pose2D(-_START)) for edge in edges])
    on_phase("looking", 1)
    await face_it(body, _middle_of(body, name))
    await see(body, name)
    lower = _middle_of(body, name)
    await face_it(body, lower)
    await body.move_lift(_READY_LIFT)
    on_phase("knocking", 1)
    await _knock(body, lower.pose)
    on_phase("checking", 1)
    await body.drive(_BACK, _BACK_SPEED)
    await search(body, name, lower)
    await face_it(body, Face(_middle_of(body, name).pose, CUBE_EDGE))
    # The fallen one often lies hidden: it fell if the lower one is seen with nothing on it.
    await see(body, name)
    upper = body.objects.get(rider)
    is_seen = upper is not None and upper.is_visible
    if (is_seen and _middle_of(body, rider).height > HIGH_FROM) or rider_of(body, name) is not None:
        raise RobotError(Reason.MISSED, f"{rider} did not fall from {name}")
    return name, rider


def _check_stack(body: Body, name: str) -> str:
    """Return what stands on an object. Raises ``Refused``."""
    if _middle_of(body, name).height > HIGH_FROM:
        raise Refused(Reason.OUT_OF_REACH, f"{name} stands on another cube; knock over the lowest")
    if (rider := rider_of(body, name)) is None:
        raise Refused(Reason.NOT_ALLOWED, f"nothing stands on {name} that could fall")
    return rider


def _middle_of(body: Body, name: str) -> Face:
    """Return where the middle of an object is, to look at. Raises ``Refused``."""
    thing = located(body, name)
    return Face(pose_of(thing), height_of(thing))


async def _knock(body: Body, middle: Pose2D) -> None:
    """Drive against a cube, and raise the lift there. Raises ``RobotError``."""
    way = distance_between(middle, body.situation.pose)
    driving = asyncio.ensure_future(body.drive(way, _KNOCK_SPEED))
    try:
        while not driving.done() and distance_between(middle, body.situation.pose) > _RAISE_AT:
            await asyncio.sleep(_POLL)
        await body.move_lift(_KNOCK_LIFT)
        await driving
    finally:
        await end(driving)
