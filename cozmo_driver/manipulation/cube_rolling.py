"""Rolling a cube until its top is up, or once (spec 16 §3.3, §3.6)."""

from __future__ import annotations

from ..perception import LocatedObject
from ..robot import DockAction, Pose2D, Reason, Refused, RobotError
from .cube_choice import check_cube, check_lift_is_empty, faces_of, nearest_cube
from .cube_docking import dock, face_it, from_sides, see
from .manipulator import CubeFace, Manipulator, OnPhase
from .obstacle_avoidance import abort_on_safety_loss

ATTEMPTS = 3
"""Of each roll."""
_ROLLS = 4
"""Two bring any side up; more where the path to the bottom is blocked."""
_HIGHEST = 0.030
"""Height of the middle of a cube that lies on the floor, m."""
_ROLLED = 0.044
"""Of the middle of a rolled cube towards the robot, m."""
_BACK, _SPEED = -0.045, 0.060
"""Farther away a whole side of the cube is in the image."""
_SAME = 0.7
"""Cosine between two directions of an object that count as the same."""


@abort_on_safety_loss
async def roll_cube(
    robot: Manipulator, name: str = "", is_once: bool = False, on_phase: OnPhase = lambda *_: None
) -> tuple[str, bool, int]:
    """Roll a cube until it stands upright, or once; without a name the nearest that is not.

    Returns its name, whether its top is up, and the attempts. Raises ``RobotError``,
    ``ValueError``.
    """
    check_lift_is_empty(robot)
    name = name or nearest_cube(robot, lambda one: _check_choice(robot, one, is_once))
    cube, attempts = check_cube(robot, name, _HIGHEST), 0
    for _ in range(1 if is_once else _ROLLS):
        if not is_once and is_upright(cube):
            break
        attempts += await _roll(robot, name, is_once, on_phase, attempts)
        cube = check_cube(robot, name, _HIGHEST)
    if not is_once and not is_upright(cube):
        raise RobotError(Reason.MISSED, f"{name} was rolled {attempts} times and is not upright")
    return name, is_upright(cube), attempts


def _check_choice(robot: Manipulator, name: str, is_once: bool) -> None:
    cube = check_cube(robot, name, _HIGHEST)
    if not is_once and is_upright(cube):
        raise Refused(Reason.NOT_ALLOWED, f"{name} is upright")


def is_upright(cube: LocatedObject) -> bool:
    """Whether the top of a cube is up; it must have a pose."""
    assert cube.pose is not None
    return float(cube.pose[2, 2]) > _SAME


async def _roll(
    robot: Manipulator, name: str, is_once: bool, on_phase: OnPhase, before: int
) -> int:
    """Roll a cube once; return the attempts."""

    async def roll(face: CubeFace, attempt: int) -> None:
        was = check_cube(robot, name, _HIGHEST)
        action = DockAction.ROLL_LOW if attempt == 1 else DockAction.DEEP_ROLL_LOW
        await dock(robot, name, _HIGHEST, face, action, count, attempt)
        count("checking", attempt)
        await _check(robot, was, face)

    def count(phase: str, attempt: int) -> None:
        on_phase(phase, before + attempt)

    def every_side(cube: LocatedObject) -> list[CubeFace]:
        return faces_of(cube, is_any=True)

    # Of a cube on its side these are the bottom alone: rolled by that it is upright.
    sides = every_side if is_once else faces_of
    try:
        return await from_sides(robot, name, roll, count, attempts=ATTEMPTS, faces=sides)
    except RobotError as error:
        if is_once or error.reason is not Reason.NO_PATH:
            raise
        return await from_sides(robot, name, roll, count, attempts=ATTEMPTS, faces=every_side)


async def _check(robot: Manipulator, was: LocatedObject, face: CubeFace) -> None:
    """See whether another side of a cube is up now. Raises ``RobotError``."""
    try:
        await robot.drive(_BACK, _SPEED)
    except RobotError as error:
        # With something behind it looks from where it is.
        if error.reason is not Reason.BLOCKED:
            raise
    await face_it(robot, CubeFace(face.pose.compose(Pose2D(-_ROLLED)), face.height))
    cube = await see(robot, was.name)
    assert was.pose is not None
    assert cube.pose is not None
    if float(was.pose[2, :3] @ cube.pose[2, :3]) > _SAME:
        raise RobotError(Reason.MISSED, f"{was.name} was not rolled")
