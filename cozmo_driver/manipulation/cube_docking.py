"""Driving to a side of a cube, seeing it, and docking there (spec 16 §3)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence

from ..perception import CUBE_EDGE, Kind, LocatedObject, PoseState
from ..robot import (
    CAMERA_TILT,
    DRIVE_CENTER,
    MAX_HEAD_ANGLE,
    MIN_HEAD_ANGLE,
    MIN_LIFT_HEIGHT,
    DockAction,
    Pose2D,
    Reason,
    Refused,
    RobotError,
    camera_pose,
    passing_over,
)
from .cube_choice import check_cube, face_now, faces_of, turn_between
from .manipulator import CubeFace, FaceSource, Manipulator, OnPhase
from .object_approach import check_vision, located, poses_before
from .obstacle_avoidance import (
    UNREACHABLE,
    distance_between,
    go_to,
    height_of,
    pose_of,
    wait_until,
)

ATTEMPTS = 2
_DISTANCES = (0.100, 0.125)
"""From a face to the drive center, where docking begins (spec 16 §3.1: 65 to 140 mm)."""
_NEAREST, _FARTHEST, _ASKEW = 0.060, 0.145, math.radians(9.0)
_APPROACHES = 3
_VIEW, _IN_VIEW = 0.180, (0.150, 0.290)
"""m from a face, and from a cube's middle, to the drive center, where it is looked at after other
paths, before the robot comes near. Odometry that errs by 2 % and 2 degrees a turn puts a cube up to
60 mm beside where it is: 25 mm from the robot's front it would be hit or out of the image, here
it is 21 of 28 degrees from the image's middle."""
_NEIGHBOUR = 0.250
"""m between the middles of two cubes where one may be in the way to the other's faces: 22 + 125 mm
to the drive center, 36 mm to the robot's rear, 31 mm of the other cube and 36 mm of error."""
_CAMERA_X, _, _CAMERA_HEIGHT = camera_pose(0.0)[:3, 3] - (DRIVE_CENTER.x, 0.0, 0.0)
_LOOK_TIME = 2.5
_STEADY = 0.5
"""s in which images of a resting robot correct where a cube is."""
_POLL = 0.05
_STOPS_WITHIN = 1.5
"""s after the robot stands in which a cube's radio tells that it lies still (spec 16 §3.3)."""
_MOVED = 0.015
"""m that the place of a cube differs in images of a robot that stands, if somebody moves it."""
_STEP_BACK = 0.040
_SEARCH_TURNS = (0.0, math.pi / 4, -math.pi / 4)
_NOT_LOOKED_AT = (*UNREACHABLE, Reason.NOT_SEEN, Reason.OBSTRUCTED, Reason.MISSED)
"""Why one cube cannot be looked at although another one may be."""

_Tried = tuple[CubeFace, float]
"""A face, and m from it to the drive center where docking begins."""


async def from_sides(
    robot: Manipulator,
    name: str,
    work: Callable[[CubeFace, int], Awaitable[None]],
    on_phase: OnPhase,
    *,
    attempts: int = ATTEMPTS,
    faces: Callable[[LocatedObject], Sequence[CubeFace]] = faces_of,
) -> int:
    """Do ``work(face, attempt)`` before a side of a cube, from another side at each attempt.

    Where there is but one, from another distance. Returns the attempt that succeeded. Raises
    ``RobotError``; only MISSED of ``work`` is tried again.
    """
    tried: _Tried | None = None
    for attempt in range(1, attempts + 1):
        face = await approach(robot, name, on_phase, attempt, faces=faces, but=tried)
        tried = face, distance_between(face.pose, robot.state.pose)
        try:
            await work(face, attempt)
        except RobotError as error:
            if error.reason is not Reason.MISSED or attempt == attempts:
                raise
            await check_let_go(robot, name)
            await search(robot, name, face)
        else:
            return attempt
    raise ValueError(f"there is at least one attempt, not {attempts}")


async def dock(
    robot: Manipulator,
    name: str,
    highest: float,
    face: CubeFace,
    action: DockAction,
    on_phase: OnPhase,
    attempt: int,
) -> bool | None:
    """Dock with a face; return whether the lift felt a load.

    Raises ``RobotError``, as ``check_cube`` of a cube ``highest`` so many m; to lose sight of it is
    to miss it.
    """
    on_phase("docking", attempt)
    # From here may be seen what stands on it, or was put there meanwhile.
    if face_now(robot, name, face) is not None:
        check_cube(robot, name, highest)
    return await dock_with(robot, lambda: face_now(robot, name, face), action)


async def dock_with(robot: Manipulator, source: FaceSource, action: DockAction) -> bool | None:
    """Dock as ``dock`` does, with whatever has a face."""
    try:
        return await robot.dock(action, source)
    except RobotError as error:
        if error.reason is not Reason.NOT_SEEN:
            raise
        raise RobotError(Reason.MISSED, str(error)) from error


async def approach(
    robot: Manipulator,
    name: str,
    on_phase: OnPhase,
    attempt: int = 1,
    *,
    faces: Callable[[LocatedObject], Sequence[CubeFace]] = faces_of,
    but: _Tried | None = None,
) -> CubeFace:
    """Drive to before a face of a cube, with the front to it; return the face as it is seen."""
    await _look_first(robot, name, on_phase, attempt)
    has_looked = False
    for _ in range(_APPROACHES):
        starts = _starts(faces(located(robot, name)), None if has_looked else but)
        if not starts:
            raise Refused(Reason.OUT_OF_REACH, f"no side of {name} can be reached by the lift")
        on_phase("driving", attempt)
        try:
            number = await go_to(robot, [face.pose.compose(Pose2D(-away)) for face, away in starts])
        except RobotError as error:
            if has_looked or error.reason is not Reason.NO_PATH:
                raise
            has_looked = True
            await _look_beside(robot, name, on_phase, attempt)
            continue
        face, _ = starts[number]
        on_phase("looking", attempt)
        await face_it(robot, face)
        if not await _sees(robot, name):
            # After a long path it stands too near, or too far aside, for the whole marker.
            await search(robot, name, face)
            continue
        seen = face_now(robot, name, face)
        if seen is not None and _is_before(robot.state.pose, seen):
            await _turn_to(robot, seen)
            return seen
    raise RobotError(Reason.MISSED, f"{name} is moved whenever the robot gets there")


async def _look_first(robot: Manipulator, name: str, on_phase: OnPhase, attempt: int) -> None:
    """Look at a cube that is not in sight, from where an error of its place does no harm."""
    cube, here = located(robot, name), robot.state.pose
    away = distance_between(pose_of(cube), here)
    if cube.is_visible and away <= _IN_VIEW[1]:
        return
    goals = poses_before(cube, _VIEW)
    if _IN_VIEW[0] <= away <= _IN_VIEW[1]:
        goals = [_turned_to(here, pose_of(cube)), *goals]
    on_phase("driving", attempt)
    try:
        await go_to(robot, _with_sight(robot, cube, goals))
    except RobotError as error:
        # Between other things it is looked at from nearer alone.
        if error.reason is not Reason.NO_PATH:
            raise
        return
    on_phase("looking", attempt)
    face = CubeFace(pose_of(cube), height_of(cube))
    await face_it(robot, face)
    if not await _sees(robot, name, is_rough=True):
        await search(robot, name, face)


def _with_sight(
    robot: Manipulator, cube: LocatedObject, goals: Sequence[Pose2D]
) -> Sequence[Pose2D]:
    """Return the poses, turned to a cube, from which no other one stands before it, if any."""

    def is_free(goal: Pose2D) -> bool:
        ahead = [
            goal.inverse().compose(pose_of(one))
            for one in robot.objects.values()
            if one.pose is not None and not one.is_carried and one.name != cube.name
        ]
        away = distance_between(goal, pose_of(cube))
        return not any(0.0 < one.x < away and abs(one.y) < CUBE_EDGE for one in ahead)

    return [goal for goal in goals if is_free(goal)] or goals


async def _look_beside(robot: Manipulator, name: str, on_phase: OnPhase, attempt: int) -> None:
    """Look at the cubes near one: it was just seen, they are where odometry has them since."""
    middle = pose_of(located(robot, name))
    for other in robot.objects.values():
        is_cube = other.kind is Kind.CUBE and other.name != name and not other.is_carried
        if not is_cube or other.pose is None or other.state is PoseState.UNKNOWN:
            continue
        if distance_between(pose_of(other), middle) <= _NEIGHBOUR:
            with passing_over(_NOT_LOOKED_AT):
                await _look_first(robot, other.name, on_phase, attempt)


def _starts(faces: Sequence[CubeFace], but: _Tried | None) -> list[_Tried]:
    """Return where docking may begin, not before what was tried.

    Where there is no other face it is the same one from the other distance.
    """
    starts = [(face, away) for face in faces for away in _DISTANCES]
    if but is None:
        return starts
    tried, before = but
    others = [one for one in starts if turn_between(one[0], tried) > math.pi / 4]
    other = max(_DISTANCES, key=lambda away: abs(away - before))
    return others or [one for one in starts if one[1] == other]


async def face_it(robot: Manipulator, face: CubeFace) -> None:
    """Bring a face into the middle of the image."""
    await _turn_to(robot, face)
    await robot.move_head(head_towards(robot, face))


def head_towards(robot: Manipulator, face: CubeFace) -> float:
    """Return the head's angle with which a face ahead is in the middle of the image."""
    away = distance_between(face.pose, robot.state.pose) - _CAMERA_X
    angle = math.atan2(face.height - _CAMERA_HEIGHT, away) + CAMERA_TILT
    return max(MIN_HEAD_ANGLE, min(MAX_HEAD_ANGLE, angle))


async def _turn_to(robot: Manipulator, face: CubeFace) -> None:
    await robot.turn_to(_turned_to(robot.state.pose, face.pose).yaw)


def _turned_to(here: Pose2D, there: Pose2D) -> Pose2D:
    return Pose2D(here.x, here.y, math.atan2(there.y - here.y, there.x - here.x))


def _is_before(here: Pose2D, face: CubeFace) -> bool:
    """Whether docking may begin from a pose (spec 16 §3.1)."""
    off = face.pose.inverse().compose(here)
    return _NEAREST <= -off.x <= _FARTHEST and abs(off.y) <= -off.x * math.sin(_ASKEW)


async def see(robot: Manipulator, name: str, is_rough: bool = False) -> LocatedObject:
    """Look at an object until its place is known as well as can be, or, ``is_rough``, from here.

    Raises ``RobotError``.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + _LOOK_TIME
    has_moved = False
    while True:
        check_vision(robot, name)
        if _is_seen(robot, name, is_rough):
            has_moved = await _moves(robot, name)
            if not has_moved:
                return located(robot, name)
        if loop.time() >= end:
            if has_moved:
                raise _held(name)
            await check_let_go(robot, name)
            raise RobotError(Reason.NOT_SEEN, f"{name} is not seen where it should be")
        await asyncio.sleep(_POLL)


async def _sees(robot: Manipulator, name: str, is_rough: bool = False) -> bool:
    """Return whether an object is seen as ``see`` does. Raises ``RobotError`` for anything else."""
    try:
        await see(robot, name, is_rough)
    except RobotError as error:
        if error.reason is not Reason.NOT_SEEN:
            raise
        return False
    return True


async def _moves(robot: Manipulator, name: str) -> bool:
    """Return whether images of a robot that stands show an object at different places."""
    before = pose_of(located(robot, name))

    def has_moved() -> bool:
        return distance_between(before, pose_of(located(robot, name))) > _MOVED

    return await wait_until(has_moved, _STEADY)


async def check_let_go(robot: Manipulator, name: str) -> None:
    """Wait until a cube lies still. Raises ``RobotError`` for one that goes on moving."""

    def is_still() -> bool:
        return (thing := robot.objects.get(name)) is None or not thing.is_moving

    if not await wait_until(is_still, _STOPS_WITHIN):
        raise _held(name)


def _held(name: str) -> RobotError:
    text = f"{name} moves although the robot stands: does somebody hold it?"
    return RobotError(Reason.OBSTRUCTED, text)


def _is_seen(robot: Manipulator, name: str, is_rough: bool) -> bool:
    thing = robot.objects.get(name)
    if thing is None or not thing.is_visible:
        return False
    return thing.state is PoseState.KNOWN or (is_rough and thing.state is PoseState.DIRTY)


async def search(robot: Manipulator, name: str, face: CubeFace) -> None:
    """Look for a cube from farther back, and around there. Raises ``RobotError``."""
    check_vision(robot, name)
    if not robot.state.is_carrying:
        await robot.move_lift(MIN_LIFT_HEIGHT)
    try:
        await go_to(robot, [robot.state.pose.compose(Pose2D(-_STEP_BACK))])
    except RobotError as error:
        if error.reason not in (Reason.NO_PATH, Reason.BLOCKED):
            raise
    await face_it(robot, face)
    start = robot.state.pose.yaw
    for turn in _SEARCH_TURNS:
        if turn:
            await robot.turn_to(start + turn)
        if await _sees(robot, name, is_rough=True):
            return
    raise RobotError(Reason.NOT_SEEN, f"{name} is no longer where it was, nor near there")
