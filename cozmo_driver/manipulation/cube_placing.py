"""Putting down the cube on the lift: here, at a pose, beside or on another one (spec 16 §3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from ..perception import CUBE_EDGE, Kind, LocatedObject, carried_place
from ..planning import Footprint, NoPath, first_hit, track
from ..robot import (
    MIN_LIFT_HEIGHT,
    DockAction,
    Pose2D,
    Reason,
    Refused,
    RobotError,
    lift_angle,
    scaled_step,
)
from .cube_choice import check_cube, faces_of
from .cube_docking import dock, face_it, from_sides, see
from .manipulator import CubeFace, Manipulator, ManipulatorState, OnPhase, check_ready
from .object_approach import check_vision, located, poses_before_box
from .obstacle_avoidance import (
    abort_on_safety_loss,
    box_of,
    distance_between,
    go_to,
    obstacles_of,
    plan_as_driven,
    pose_of,
    wait_until,
)

LANDING = float(carried_place(lift_angle(MIN_LIFT_HEIGHT))[0])
"""Where the middle of a cube is set down, ahead of the drive center, m."""
_HALF = CUBE_EDGE / 2
_LANDED = Footprint(LANDING + _HALF, -(LANDING - _HALF), _HALF)
_GAP = 0.012
"""Between cubes that stand beside each other, m."""
HIGHEST_BASE = 0.037
"""Height of the middle of a cube on which another one can be put, m."""
_TOLERANCES = 0.003, math.radians(1.5)
_PLANS = 4
"""At most to a goal where turns that are reported wrong lead to the goal."""
_STEP_BACK, _BACK_SPEED = -0.030, 0.060
_LOOK_TIME = 2.5


@abort_on_safety_loss
async def place_here(robot: Manipulator, on_phase: OnPhase = lambda *_: None) -> Pose2D:
    """Put the cube on the floor before the robot; return where it is. Raises ``RobotError``."""
    here = check_carrying(robot)
    hit = first_hit((), here.pose, obstacles_of(robot), _LANDED, padding=0.0)
    if hit is not None:
        raise Refused(Reason.OBSTRUCTED, f"{hit.name} is where the cube would be put down")
    return await _put_down(robot, on_phase)


@abort_on_safety_loss
async def place_at(
    robot: Manipulator, pose: Pose2D, on_phase: OnPhase = lambda *_: None, turn_scale: float = 1.0
) -> Pose2D:
    """Put the cube on the floor with its middle at a pose, in any of its four directions.

    ``turn_scale`` is what the robot turns for each rad that it reports: as far as that differs from
    1, the pose is right as seen from where the robot begins. Returns where it is. Raises
    ``RobotError``, ``ValueError``.
    """
    if not all(map(math.isfinite, (pose.x, pose.y, pose.yaw))):
        raise ValueError(f"the place is finite, not {pose}")
    return await _place_at_one_of(robot, _turns(pose), on_phase, turn_scale)


@abort_on_safety_loss
async def place_beside(
    robot: Manipulator, name: str, on_phase: OnPhase = lambda *_: None
) -> Pose2D:
    """Put the cube on the floor between the robot and an object, beside any of its sides.

    Returns where it is. Raises ``RobotError``.
    """
    check_carrying(robot)
    # Towards the object: alongside, the robot would come too near to it.
    spots = poses_before_box(box_of(located(robot, name)), _GAP + _HALF)
    return await _place_at_one_of(robot, spots, on_phase)


@abort_on_safety_loss
async def place_on(
    robot: Manipulator, name: str, on_phase: OnPhase = lambda *_: None
) -> tuple[Pose2D, int]:
    """Put the cube on another one; return where it is, and the attempts. Raises ``RobotError``."""
    check_carrying(robot)
    check_cube(robot, name, HIGHEST_BASE)
    carried = _carried(robot)
    docked: list[CubeFace] = []

    async def put(face: CubeFace, attempt: int) -> None:
        await dock(robot, name, HIGHEST_BASE, face, DockAction.PLACE_HIGH, on_phase, attempt)
        docked.append(face)

    # The lift does not reach into it: any side will do.
    attempts = await from_sides(robot, name, put, on_phase, faces=partial(faces_of, is_any=True))
    on_phase("checking", attempts)
    await robot.move_lift(MIN_LIFT_HEIGHT)
    face = docked[-1]
    await face_it(robot, CubeFace(face.pose, face.height + CUBE_EDGE))
    top = await _seen(robot, carried, lambda cube: cube.on_top_of == name)
    if top.on_top_of != name:
        raise RobotError(Reason.MISSED, f"{top.name} does not stand on {name}")
    return pose_of(top), attempts


def check_carrying(robot: Manipulator) -> ManipulatorState:
    """Return the state of a robot that carries a cube. Raises ``Refused``."""
    now = check_ready(robot)
    if not now.is_carrying:
        raise Refused(Reason.NOT_ALLOWED, "the robot carries nothing that it could put down")
    return now


def _carried(robot: Manipulator) -> str | None:
    """Return the cube on the lift; None where nobody has seen which one it is."""
    return next((one.name for one in robot.objects.values() if one.is_carried), None)


def _turns(pose: Pose2D) -> list[Pose2D]:
    return [pose.compose(Pose2D(yaw=quarter * math.pi / 2)) for quarter in range(4)]


async def _place_at_one_of(
    robot: Manipulator, spots: Sequence[Pose2D], on_phase: OnPhase, turn_scale: float = 1.0
) -> Pose2D:
    """Put the cube down at the pose that is reached soonest, in its direction."""
    check_carrying(robot)
    on_phase("driving", 1)
    goals = _free(robot, [spot.compose(Pose2D(-LANDING)) for spot in spots])
    if turn_scale != 1.0:
        goals = await _as_reported(robot, goals, turn_scale)
    await go_to(robot, goals, tolerances=_TOLERANCES)
    return await _put_down(robot, on_phase)


def _free(robot: Manipulator, goals: Sequence[Pose2D]) -> list[Pose2D]:
    """Return the poses before which nothing is where the cube would be. Raises ``RobotError``."""
    boxes, hit = obstacles_of(robot), None
    free = []
    for goal in goals:
        there = first_hit((), goal, boxes, _LANDED, padding=0.0)
        hit = hit or there
        if there is None:
            free.append(goal)
    if hit is not None and not free:
        text = f"{hit.name} is where the cube would be put down"
        raise RobotError(Reason.NO_PATH, text)
    return free


async def _as_reported(robot: Manipulator, goals: list[Pose2D], turn_scale: float) -> list[Pose2D]:
    """Return where the odometry will have the goal that is reached soonest, from the turns there.

    To there the robot may turn otherwise than to the goal itself: so that path is looked at, too.
    Raises ``RobotError``.
    """
    start, goal, aims = robot.state.pose, goals[0], goals
    best, nearest = goals, math.inf
    for number in range(_PLANS):
        try:
            found = await plan_as_driven(robot, aims)
        except NoPath:
            break
        if number == 0:
            goal = goals[found.goal]
        true = reported = start
        for pose in track(found.segments, start):
            there = Pose2D(*map(float, pose))
            moved = reported.inverse().compose(there)
            true, reported = true.compose(scaled_step(moved, 1.0, turn_scale)), there
        off = true.inverse().compose(goal)
        if math.hypot(off.x, off.y) < nearest:
            best, nearest = aims, math.hypot(off.x, off.y)
        if nearest < _TOLERANCES[0]:
            break
        aims = [reported.compose(off)]
    return best


async def _put_down(robot: Manipulator, on_phase: OnPhase) -> Pose2D:
    """Put the cube down and look at it; return where it is. Raises ``RobotError``."""
    carried = _carried(robot)
    on_phase("docking", 1)
    spot = robot.state.pose.compose(Pose2D(LANDING))
    await robot.place_on_ground()
    on_phase("checking", 1)
    await face_it(robot, CubeFace(spot.compose(Pose2D(-_HALF)), _HALF))
    return pose_of(
        await _seen(robot, carried, lambda cube: distance_between(pose_of(cube), spot) < CUBE_EDGE)
    )


async def _seen(
    robot: Manipulator, carried: str | None, is_there: Callable[[LocatedObject], bool]
) -> LocatedObject:
    """Return the cube that was put down as it is seen.

    Where nobody saw which one was on the lift it is the one that ``is_there``. Raises
    ``RobotError``.
    """
    for step in (0.0, _STEP_BACK):
        if step:
            await robot.drive(step, _BACK_SPEED)
        try:
            return await see(robot, carried or await _found(robot, is_there))
        except RobotError as error:
            if error.reason is not Reason.NOT_SEEN or not robot.has_vision:
                raise
    what = carried or "the cube"
    text = f"{what} is not seen where it was put down: is it still on the lift?"
    raise RobotError(Reason.MISSED, text)


async def _found(robot: Manipulator, is_there: Callable[[LocatedObject], bool]) -> str:
    """Return the cube in sight that is somewhere. Raises ``RobotError``."""

    def seen() -> list[str]:
        check_vision(robot, "the cube that was put down")
        return [
            thing.name
            for thing in robot.objects.values()
            if thing.kind is Kind.CUBE and thing.is_visible and not thing.is_carried
            if thing.pose is not None and is_there(thing)
        ]

    if await wait_until(seen, _LOOK_TIME):
        return seen()[0]
    raise RobotError(Reason.NOT_SEEN, "no cube is seen where one was put down")
