"""A pyramid: two upright cubes beside each other, a third one on both (spec 16 §3.6)."""

from __future__ import annotations

import contextlib
import math

from ..perception import CUBE_EDGE
from ..robot import MIN_LIFT_HEIGHT, DockAction, Pose2D, Reason, Refused, RobotError, passing_over
from .cube_choice import check_cube, check_lift_is_empty, nearest_cube
from .cube_docking import dock_with, face_it, see
from .cube_pick_up import HIGHEST, pick_up_cube
from .cube_placing import HIGHEST_BASE, place_beside
from .cube_rolling import is_upright
from .cube_stacking import put_down_after
from .manipulator import CubeFace, Manipulator, OnPhase
from .object_approach import located
from .obstacle_avoidance import (
    UNREACHABLE,
    abort_on_safety_loss,
    distance_between,
    go_to,
    height_of,
    is_at,
    pose_of,
)

_APART, _ATTEMPTS = 0.060, 2
"""m between the middles of the lower cubes, at most, and how often one is put beside the other,
and the top on both."""
_PUSHED = 0.066
"""m from which they are no longer placed on, as seen while the robot drives."""
_DISTANCE = 0.130
"""m from both faces to the drive center: both markers are in the image."""
_ARRIVED = 0.004, math.radians(2.0)
_IS_THERE = 0.008, math.radians(4.0)
_APPROACHES = 3
_OFF = 0.015
"""m from the midpoint within which the top stands on both."""
_BACK, _SPEED = -0.040, 0.060
_ASIDE = -0.120
"""m that the robot backs off with the top before it puts the lower ones right."""


@abort_on_safety_loss
async def build_pyramid(
    robot: Manipulator,
    base: str = "",
    beside: str = "",
    top: str = "",
    on_phase: OnPhase = lambda *_: None,
) -> tuple[str, str, str]:
    """Put ``beside`` beside ``base``, unless it stands there, and ``top`` on both.

    Without names these are the nearest cubes that can be. Returns the three names. When it fails
    with a cube on the lift, that is put on the floor. Raises ``RobotError``, ``ValueError``.
    """
    check_lift_is_empty(robot)
    base = base or nearest_cube(robot, lambda one: _check_base(robot, one), {beside, top})
    beside = beside or nearest_cube(robot, lambda one: _check_base(robot, one), {base, top})
    top = top or nearest_cube(robot, lambda one: check_cube(robot, one, HIGHEST), {base, beside})
    if len({base, beside, top}) < 3:
        raise ValueError(f"a pyramid is made of three cubes, not of {base}, {beside} and {top}")
    _check_base(robot, base)
    _check_base(robot, beside)
    check_cube(robot, top, HIGHEST)
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            await _build_base(robot, base, beside, on_phase)
            await pick_up_cube(robot, top, on_phase)
            await _place_on_both(robot, base, beside, top, on_phase)
            break
        except RobotError as error:
            can_retry = error.reason is Reason.MISSED and robot.state.is_carrying
            if can_retry and attempt < _ATTEMPTS:
                # Where it is put down it must not be in the way to the lower ones.
                with passing_over(UNREACHABLE):
                    await go_to(robot, [robot.state.pose.compose(Pose2D(_ASIDE))])
            await put_down_after(error, robot)
            if not can_retry or attempt == _ATTEMPTS:
                raise
    return base, beside, top


async def _build_base(robot: Manipulator, base: str, beside: str, on_phase: OnPhase) -> None:
    """Put one cube beside another, unless it stands there. Raises ``RobotError``."""
    for _ in range(_ATTEMPTS):
        if _apart(robot, base, beside) > _APART:
            await pick_up_cube(robot, beside, on_phase)
            await place_beside(robot, base, on_phase)
    _check_apart(robot, base, beside)


def _check_base(robot: Manipulator, name: str) -> None:
    if not is_upright(check_cube(robot, name, HIGHEST_BASE)):
        raise Refused(Reason.NOT_ALLOWED, f"{name} is not upright; roll it first")


def _apart(robot: Manipulator, base: str, beside: str) -> float:
    return distance_between(pose_of(located(robot, base)), pose_of(located(robot, beside)))


def _check_apart(robot: Manipulator, base: str, beside: str) -> None:
    """Raises ``RobotError`` where two cubes stand too far from each other to carry one more."""
    if (apart := _apart(robot, base, beside)) > _APART:
        text = f"{beside} stands {1000 * apart:.0f} mm from {base}, too far to carry one more"
        raise RobotError(Reason.MISSED, text)


async def _place_on_both(
    robot: Manipulator, base: str, beside: str, top: str, on_phase: OnPhase
) -> None:
    """Put the cube on the lift on the middle between two. Raises ``RobotError``."""
    face = await _approach(robot, base, beside, on_phase)
    on_phase("docking", 1)
    await dock_with(
        robot, lambda: _side_now(robot, base, beside, face, _PUSHED), DockAction.PLACE_HIGH
    )
    on_phase("checking", 1)
    await robot.move_lift(MIN_LIFT_HEIGHT)
    await robot.drive(_BACK, _SPEED)
    await _see_both(robot, base, beside, face)
    face = _side_now(robot, base, beside, face) or face
    await face_it(robot, CubeFace(face.pose, face.height + CUBE_EDGE))
    seen = await see(robot, top)
    middle = face.pose.compose(Pose2D(CUBE_EDGE / 2)).inverse().compose(pose_of(seen))
    if math.hypot(middle.x, middle.y) > _OFF or height_of(seen) < face.height + CUBE_EDGE / 2:
        raise RobotError(Reason.MISSED, f"{top} does not stand on {base} and {beside}")


async def _approach(robot: Manipulator, base: str, beside: str, on_phase: OnPhase) -> CubeFace:
    """Drive to before the middle between two cubes; return their common face as it is seen."""
    for _ in range(_APPROACHES):
        on_phase("driving", 1)
        sides = _sides(robot, base, beside)
        goals = [side.pose.compose(Pose2D(-_DISTANCE)) for side in sides]
        face = sides[await go_to(robot, goals, tolerances=_ARRIVED)]
        on_phase("looking", 1)
        await _see_both(robot, base, beside, face)
        seen = _side_now(robot, base, beside, face)
        if seen and is_at(robot.state.pose, seen.pose.compose(Pose2D(-_DISTANCE)), *_IS_THERE):
            return seen
    raise RobotError(Reason.MISSED, f"{base} or {beside} is moved whenever the robot gets there")


async def _see_both(robot: Manipulator, base: str, beside: str, face: CubeFace) -> None:
    """Look whether two cubes still stand beside each other. Raises ``RobotError``."""
    await face_it(robot, face)
    await see(robot, base)
    await see(robot, beside)
    _check_apart(robot, base, beside)


def _sides(robot: Manipulator, base: str, beside: str) -> list[CubeFace]:
    """Return the two long sides of a pair of cubes. Raises ``Refused``."""
    pair = located(robot, base), located(robot, beside)
    a, b = map(pose_of, pair)
    middle = Pose2D((a.x + b.x) / 2, (a.y + b.y) / 2, math.atan2(b.y - a.y, b.x - a.x))
    height = (height_of(pair[0]) + height_of(pair[1])) / 2
    front = Pose2D(-CUBE_EDGE / 2)
    turns = Pose2D(yaw=math.pi / 2), Pose2D(yaw=-math.pi / 2)
    return [CubeFace(middle.compose(turn).compose(front), height) for turn in turns]


def _side_now(
    robot: Manipulator, base: str, beside: str, face: CubeFace, within: float = math.inf
) -> CubeFace | None:
    """Return where a long side is believed to be now.

    None where that is not known, or the cubes are not ``within`` some m of each other any more.
    """
    with contextlib.suppress(RobotError):
        if _apart(robot, base, beside) > within:
            return None
        sides = _sides(robot, base, beside)
        return max(sides, key=lambda one: math.cos(one.pose.yaw - face.pose.yaw))
    return None
