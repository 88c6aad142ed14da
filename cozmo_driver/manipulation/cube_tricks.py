"""Standing square before a cube, a wheelie on it, knocking a stack over (spec 16 §3.3, §3.6)."""

from __future__ import annotations

import asyncio
import math

from ..link import end
from ..perception import CUBE_EDGE
from ..robot import DockAction, Pose2D, Reason, Refused, RobotError
from .cube_choice import (
    HIGH_FROM,
    check_cube,
    check_lift_is_empty,
    face_now,
    nearest_cube,
    object_on,
)
from .cube_docking import dock, face_it, from_sides, search, see
from .manipulator import CubeFace, Manipulator, OnPhase
from .object_approach import located
from .obstacle_avoidance import (
    abort_on_safety_loss,
    distance_between,
    go_to,
    height_of,
    is_at,
    pose_of,
)

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


@abort_on_safety_loss
async def align(
    robot: Manipulator, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Stand square before a side of a cube, the lift at it; without a name the nearest cube.

    Returns its name and the attempts. Raises ``RobotError``, ``ValueError``.
    """
    name = _choose(robot, name)

    async def stand(face: CubeFace, attempt: int) -> None:
        await dock(robot, name, HIGH_FROM, face, DockAction.ALIGN, on_phase, attempt)
        on_phase("checking", attempt)
        goal = (face_now(robot, name, face) or face).pose.compose(Pose2D(-_ALIGNED))
        if not is_at(robot.state.pose, goal, *_SQUARE):
            raise RobotError(Reason.MISSED, f"the robot does not stand square before {name}")

    return name, await from_sides(robot, name, stand, on_phase)


async def pop_a_wheelie(
    robot: Manipulator, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Climb up a cube until the robot lies on its back; without a name on the nearest cube.

    Returns its name and the attempts. Raises ``RobotError``, ``ValueError``.
    """
    name = _choose(robot, name)

    async def pop(face: CubeFace, attempt: int) -> None:
        await dock(robot, name, HIGH_FROM, face, DockAction.POP_A_WHEELIE, on_phase, attempt)
        on_phase("checking", attempt)
        await asyncio.sleep(_REST)
        if robot.state.pitch > _ON_BACK:
            raise RobotError(Reason.MISSED, f"the robot did not tip over at {name}")

    return name, await from_sides(robot, name, pop, on_phase)


def _choose(robot: Manipulator, name: str) -> str:
    check_lift_is_empty(robot)
    name = name or nearest_cube(robot, lambda one: check_cube(robot, one, HIGH_FROM))
    return check_cube(robot, name, HIGH_FROM).name


@abort_on_safety_loss
async def knock_over(
    robot: Manipulator, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, str]:
    """Let what stands on a cube fall; without a name on the nearest that carries something.

    Returns the names of the lower and of the fallen cube. Raises ``RobotError``.
    """
    check_lift_is_empty(robot)
    name = name or nearest_cube(robot, lambda one: _check_stack(robot, one))
    upper = _check_stack(robot, name)
    on_phase("driving", 1)
    yaws = [(quarter + 0.5) * math.pi / 2 for quarter in range(4)]
    edges = [_middle_of(robot, name).pose.compose(Pose2D(yaw=yaw)) for yaw in yaws]
    await go_to(robot, [edge.compose(Pose2D(-_START)) for edge in edges])
    on_phase("looking", 1)
    await face_it(robot, _middle_of(robot, name))
    await see(robot, name)
    lower = _middle_of(robot, name)
    await face_it(robot, lower)
    await robot.move_lift(_READY_LIFT)
    on_phase("knocking", 1)
    await _knock(robot, lower.pose)
    on_phase("checking", 1)
    await robot.drive(_BACK, _BACK_SPEED)
    await search(robot, name, lower)
    await face_it(robot, CubeFace(_middle_of(robot, name).pose, CUBE_EDGE))
    # The fallen one often lies hidden: it fell if the lower one is seen with nothing on it.
    await see(robot, name)
    fallen = robot.objects.get(upper)
    is_seen = fallen is not None and fallen.is_visible
    is_high = is_seen and _middle_of(robot, upper).height > HIGH_FROM
    if is_high or object_on(robot, name) is not None:
        raise RobotError(Reason.MISSED, f"{upper} did not fall from {name}")
    return name, upper


def _check_stack(robot: Manipulator, name: str) -> str:
    """Return what stands on an object. Raises ``Refused``."""
    if _middle_of(robot, name).height > HIGH_FROM:
        raise Refused(Reason.OUT_OF_REACH, f"{name} stands on another cube; knock over the lowest")
    if (upper := object_on(robot, name)) is None:
        raise Refused(Reason.NOT_ALLOWED, f"nothing stands on {name} that could fall")
    return upper


def _middle_of(robot: Manipulator, name: str) -> CubeFace:
    """Return where the middle of an object is, to look at. Raises ``Refused``."""
    thing = located(robot, name)
    return CubeFace(pose_of(thing), height_of(thing))


async def _knock(robot: Manipulator, middle: Pose2D) -> None:
    """Drive against a cube, and raise the lift there. Raises ``RobotError``."""
    distance = distance_between(middle, robot.state.pose)
    driving = asyncio.ensure_future(robot.drive(distance, _KNOCK_SPEED))
    try:
        while not driving.done() and distance_between(middle, robot.state.pose) > _RAISE_AT:
            await asyncio.sleep(_POLL)
        if driving.done():
            # Where something ended it the lift stays down.
            await driving
        await robot.move_lift(_KNOCK_LIFT)
        await driving
    finally:
        await end(driving)
