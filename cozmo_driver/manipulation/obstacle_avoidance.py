"""Driving around known obstacles, also where they change meanwhile."""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from ..link import end
from ..perception import CHARGER_SIZE, Kind, LocatedObject, yaw_of
from ..planning import CARRYING, ROBOT, Box, Footprint, NoPath, Plan, first_hit, plan, remaining
from ..robot import Line, Pose2D, Reason, Refused, RobotError, Segment
from .manipulator import SILENCE, Manipulator, ManipulatorState, check_ready

_CHECK_PERIOD = 0.2
_MOST_PLANS, _WARY_PLANS = 6, 3
_STOPPING_TIME, _POLL = 1.0, 0.03
_MET = (Reason.CLIFF, Reason.BLOCKED)
UNREACHABLE = (Reason.NO_PATH, *_MET)
"""Why a place cannot be reached although another one may be."""
_LEAST_BACK_OFF, _BACK_OFF, _BACK_OFF_SPEED = 0.005, 0.070, 0.060
"""From what the robot met, m and m/s: after 60 mm it may drive forward again (spec 10 §3)."""
_STRAIGHT = math.radians(5.0)
_REST = 0.5
"""s until what stopped the robot no longer counts, and is known everywhere."""
_NEAR = 0.150
"""From the drive center, m: a soft obstacle that is new counts nearer than this. From afar the
camera takes much of a floor's pattern for an edge."""
_ARRIVED, _ARRIVED_ANGLE = 0.012, math.radians(6.0)
_POINT = 0.012
"""Edge of the square that stands for a point of a hazard, m."""

_OnManipulator = TypeVar("_OnManipulator", bound=Callable[..., Coroutine[Any, Any, Any]])


def pose_of(thing: LocatedObject) -> Pose2D:
    """Return where an object is on the floor; it must have a pose."""
    assert thing.pose is not None
    return Pose2D(float(thing.pose[0, 3]), float(thing.pose[1, 3]), yaw_of(thing.pose))


def height_of(thing: LocatedObject) -> float:
    """Return the height of an object's middle, m; it must have a pose."""
    assert thing.pose is not None
    return float(thing.pose[2, 3])


def distance_between(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def box_of(thing: LocatedObject) -> Box:
    """Return the outline of an object as seen from above; it must have a pose."""
    place = pose_of(thing)
    if thing.kind is Kind.CHARGER:
        return charger_box(place)
    assert thing.pose is not None
    c, s = math.cos(place.yaw), math.sin(place.yaw)
    # Parts of its three axes along the outline's length and width: it may lie on any side.
    axes = np.array([[c, s], [-s, c]]) @ thing.pose[:2, :3]
    length, width = map(float, np.abs(axes) @ thing.size)
    return Box(place.x, place.y, place.yaw, length, width, thing.name)


def charger_box(charger: Pose2D) -> Box:
    """Return the outline of a charger whose lip is at a pose, x inwards."""
    length, width, _ = CHARGER_SIZE
    middle = charger.compose(Pose2D(length / 2))
    return Box(middle.x, middle.y, middle.yaw, length, width, "charger")


def point_box(x: float, y: float, name: str) -> Box:
    """Return the outline of a point of a hazard, m."""
    return Box(x, y, 0.0, _POINT, _POINT, name)


def obstacles_of(robot: Manipulator, but: Collection[str] = ()) -> list[Box]:
    """Return everything in the way but what has some names and what is carried."""
    things = [
        box_of(thing)
        for thing in robot.objects.values()
        if thing.pose is not None and not thing.is_carried and thing.name not in but
    ]
    return [*things, *(one for one in robot.obstacles if one.name not in but)]


async def go_to(
    robot: Manipulator,
    goals: Sequence[Pose2D],
    more: Sequence[Box] = (),
    but: Collection[str] = (),
    tolerances: tuple[float, float] = (_ARRIVED, _ARRIVED_ANGLE),
    styled: Callable[[Segment], Segment] = lambda segment: segment,
) -> int:
    """Drive to the goal that is reached soonest, around obstacles; return its number.

    ``more`` are obstacles besides those of ``obstacles_of(robot, but)``, ``tolerances`` what counts
    as arrived, m and rad, ``styled`` sets the speed of what was planned. Where it meets an edge or
    an unmapped obstacle it backs off and plans anew. What is soft is driven over where there is no
    other path, and once it was in the way three times: on a floor with a pattern it is everywhere.
    Raises ``RobotError``: NOT_SEEN where odom was set meanwhile, which moves goals and obstacles.
    """
    origin = robot.state.origin

    def obstacles(is_wary: bool, within: float = math.inf) -> list[Box]:
        boxes, here = [*obstacles_of(robot, but), *more], robot.state.pose
        return [
            replace(box, is_soft=False) if is_wary and _away(box, here) <= within else box
            for box in boxes
        ]

    is_wary = True
    for number in range(_MOST_PLANS):
        is_wary = is_wary and number < _WARY_PLANS
        boxes = obstacles(is_wary)
        try:
            found = await plan_to(robot, goals, boxes)
        except NoPath as error:
            if not is_wary or boxes == obstacles(False):
                raise RobotError(Reason.NO_PATH, str(error)) from None
            is_wary = False
            continue
        _check_origin(robot, origin)
        if not found.segments:
            return found.goal
        found = replace(found, segments=tuple(map(styled, found.segments)))
        try:
            is_interrupted = await _follow(
                robot, found, boxes, functools.partial(obstacles, is_wary, _NEAR), origin
            )
        except RobotError as error:
            if error.reason not in _MET or number + 1 == _MOST_PLANS:
                raise
            continue
        _check_origin(robot, origin)
        if not is_interrupted and is_at(robot.state.pose, goals[found.goal], *tolerances):
            return found.goal
    raise RobotError(
        Reason.BLOCKED, "the robot does not get where it should: is it held or slipping?"
    )


def _check_origin(robot: Manipulator, origin: int) -> None:
    """Raises ``RobotError`` where poses in odom from before are others now."""
    if robot.state.origin != origin:
        text = "odom was set to another pose, or lost: the goal is no longer where it was"
        raise RobotError(Reason.NOT_SEEN, text)


def is_at(
    pose: Pose2D, goal: Pose2D, within: float = _ARRIVED, within_angle: float = _ARRIVED_ANGLE
) -> bool:
    off = goal.inverse().compose(pose)
    return math.hypot(off.x, off.y) <= within and abs(off.yaw) <= within_angle


def _away(box: Box, here: Pose2D) -> float:
    """Return how far a box is, or less."""
    return math.hypot(box.x - here.x, box.y - here.y) - math.hypot(box.length, box.width) / 2


async def plan_to(robot: Manipulator, goals: Sequence[Pose2D], boxes: Sequence[Box]) -> Plan:
    """Plan in a thread: the states go on meanwhile. Raises ``RobotError``, ``NoPath``."""
    now, is_awaited = check_ready(robot), True
    work = functools.partial(
        plan, now.pose, goals, boxes, _footprint(now), is_wanted=lambda: is_awaited
    )
    try:
        return await asyncio.get_running_loop().run_in_executor(None, work)
    finally:
        is_awaited = False


async def plan_as_driven(robot: Manipulator, goals: Sequence[Pose2D]) -> Plan:
    """Plan as ``go_to`` does at first. Raises ``RobotError``, ``NoPath``."""
    boxes = obstacles_of(robot)
    try:
        return await plan_to(robot, goals, [replace(box, is_soft=False) for box in boxes])
    except NoPath:
        return await plan_to(robot, goals, boxes)


def _footprint(now: ManipulatorState) -> Footprint:
    return CARRYING if now.is_carrying else ROBOT


async def _follow(
    robot: Manipulator,
    found: Plan,
    boxes: Sequence[Box],
    obstacles: Callable[[], Sequence[Box]],
    origin: int,
) -> bool:
    """Follow a path among boxes; return whether it was left because something has come into it.

    Backs off from what the robot meets. Raises ``RobotError``.
    """
    straight = start = robot.state.pose
    known = frozenset(boxes)
    rest = remaining(found.segments, start, _footprint(robot.state))

    def is_free() -> bool:
        nonlocal straight
        _check_origin(robot, origin)
        here = robot.state.pose
        if abs(math.remainder(here.yaw - straight.yaw, 2 * math.pi)) > _STRAIGHT:
            straight = here
        return rest(here, [box for box in obstacles() if box not in known]) is None

    try:
        if await run_while(robot.follow(found.segments), is_free, _CHECK_PERIOD):
            return False
    except RobotError as error:
        if error.reason in _MET:
            await _back_off(robot, straight, error)
        raise
    # The next path begins where the robot has come to rest.
    await wait_until(lambda: not robot.state.is_moving, _STOPPING_TIME)
    return True


async def _back_off(robot: Manipulator, straight: Pose2D, met: RobotError) -> None:
    """Drive away from what the robot met, straight back to where it drove straight since.

    Nothing feels an edge there. Raises ``RobotError``, ``met`` without room.
    """
    await asyncio.sleep(_REST)
    here = robot.state.pose
    driven = straight.inverse().compose(here).x
    if abs(driven) < _LEAST_BACK_OFF:
        return
    distance = -math.copysign(min(abs(driven), _BACK_OFF), driven)
    end = here.compose(Pose2D(distance))
    line = Line((here.x, here.y), (end.x, end.y), math.copysign(_BACK_OFF_SPEED, distance))
    footprint = _footprint(robot.state)
    around = [box for box in obstacles_of(robot) if not first_hit((), here, [box], footprint, 0.0)]
    if first_hit([line], here, around, footprint, 0.0):
        raise met
    await robot.drive(distance, _BACK_OFF_SPEED)


async def wait_until(condition: Callable[[], object], timeout: float) -> bool:
    """Return whether a condition holds within a time, s."""
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    while not condition():
        if loop.time() >= end:
            return False
        await asyncio.sleep(_POLL)
    return True


async def run_while(
    work: Awaitable[Any], is_wanted: Callable[[], bool], period: float = _CHECK_PERIOD
) -> bool:
    """Await ``work`` as long as it is wanted; return whether it ended by itself."""
    task = asyncio.ensure_future(work)
    try:
        while True:
            await asyncio.wait([task], timeout=period)
            if task.done():
                await task
                return True
            if not is_wanted():
                return False
    finally:
        if not task.done():
            await end(task)


def abort_on_safety_loss(work: _OnManipulator) -> _OnManipulator:
    """Let what is done with a robot fail as soon as its robot is lifted, stopped or gone.

    Whoever looks or waits would notice that much later.
    """

    @functools.wraps(work)
    async def do(robot: Manipulator, *args: Any, **kwargs: Any) -> Any:
        task = asyncio.ensure_future(work(robot, *args, **kwargs))
        await run_while(task, lambda: _can_go_on(robot))
        return task.result()

    return cast("_OnManipulator", do)


def _can_go_on(robot: Manipulator) -> bool:
    """Return True. Raises ``RobotError``."""
    try:
        check_ready(robot)
    except Refused as error:
        if error.reason is not Reason.NOT_CONNECTED:
            raise
        text = f"no state came from the robot for {SILENCE:g} s"
        raise RobotError(Reason.LINK_LOST, text) from None
    return True
