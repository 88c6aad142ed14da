"""Driving to before an object, with the front to it."""

from __future__ import annotations

import asyncio
import math

from ..perception import Kind, LocatedObject, PoseState, learning_advice
from ..planning import Box
from ..robot import Pose2D, Reason, Refused, RobotError
from .manipulator import Manipulator, OnPhase, check_ready
from .obstacle_avoidance import (
    abort_on_safety_loss,
    box_of,
    distance_between,
    go_to,
    is_at,
    pose_of,
    wait_until,
)

DISTANCE = 0.100
NEAREST, FARTHEST = 0.066, 1.000
"""m from the drive center to the object's nearest side."""
ATTEMPTS = 3
_LOOK_TIME = 1.5
_SETTLES = 0.5
"""s in which images of a resting robot correct where a cube is."""
_NEAR = 0.150
"""m from which it is seen how a side is turned. From farther it looks nearly like its mirror image,
which is turned as much to the other side; of a charger more images tell."""
_AWAY, _ASIDE, _TURNED = 0.020, math.radians(6.0), math.radians(15.0)
"""m and rad that a robot which is farther may seem to be too near or too far, to look past the
object, and to be beside what its side faces."""
_FRONT = math.radians(-10.0)
"""Of the head: a cube on the floor is in the middle of the image."""


@abort_on_safety_loss
async def go_to_object(
    robot: Manipulator,
    name: str,
    distance: float = DISTANCE,
    on_phase: OnPhase = lambda *_: None,
) -> int:
    """Drive to ``distance`` before the side of an object that is reached soonest; face it.

    With vision it is looked at from there, and driven to again where it was moved meanwhile.
    Returns the attempts. Raises ``RobotError``, ``ValueError``.
    """
    if not NEAREST <= distance <= FARTHEST:
        raise ValueError(
            f"the distance is from {NEAREST:g} to {FARTHEST:g} m, or 0 for {DISTANCE:g}, "
            f"not {distance}"
        )
    for attempt in range(1, ATTEMPTS + 1):
        check_ready(robot)
        on_phase("driving", attempt)
        await go_to(robot, poses_before(located(robot, name), distance))
        on_phase("looking", attempt)
        await robot.move_head(_FRONT)
        await wait_for_look(robot, name)
        # Its place is from images of the drive until others show it.
        await asyncio.sleep(_SETTLES)
        if _is_before(robot.state.pose, located(robot, name), distance):
            return attempt
    raise RobotError(Reason.MISSED, f"{name} is moved whenever the robot gets there")


def _is_before(here: Pose2D, thing: LocatedObject, distance: float) -> bool:
    """Whether a robot stands before a side of an object, as far as images from there can tell."""
    goals = poses_before(thing, distance)
    if distance <= _NEAR or thing.kind is Kind.CHARGER:
        return any(is_at(here, goal) for goal in goals)
    there = pose_of(thing)
    away = distance_between(here, there)
    bearing = math.atan2(there.y - here.y, there.x - here.x)
    return abs(math.remainder(bearing - here.yaw, math.tau)) <= _ASIDE and any(
        abs(away - distance_between(goal, there)) <= _AWAY
        and abs(math.remainder(goal.yaw - here.yaw, math.tau)) <= _TURNED
        for goal in goals
    )


def poses_before(thing: LocatedObject, distance: float) -> list[Pose2D]:
    """Return where the robot faces each side of an object, or a charger's entrance."""
    if thing.kind is Kind.CHARGER:
        return [pose_of(thing).compose(Pose2D(-distance))]
    return poses_before_box(box_of(thing), distance)


def poses_before_box(box: Box, distance: float) -> list[Pose2D]:
    """Return poses so many m before each side of a box, turned to it."""
    middle = Pose2D(box.x, box.y, box.yaw)
    halves = (box.length / 2, box.width / 2)
    return [
        middle.compose(Pose2D(yaw=side * math.pi / 2)).compose(
            Pose2D(-(halves[side % 2] + distance))
        )
        for side in range(4)
    ]


def located(robot: Manipulator, name: str) -> LocatedObject:
    """Return an object whose place is known. Raises ``Refused``."""
    check_vision(robot, name)
    thing = robot.objects.get(name)
    if thing is None:
        known = ", ".join(robot.objects) or "none yet"
        raise Refused(Reason.NOT_FOUND, f"there is no object {name!r}; there are: {known}")
    if thing.is_carried:
        raise Refused(Reason.OBSTRUCTED, f"{name} is on the lift")
    if thing.pose is None or thing.state is PoseState.UNKNOWN:
        text = f"the place of {name} is not known: bring it before the camera"
        raise Refused(Reason.NOT_SEEN, text + learning_advice(name))
    return thing


def check_vision(robot: Manipulator, name: str) -> None:
    """Raises ``Refused`` where nobody looks, or no longer."""
    if not robot.has_vision:
        raise Refused(Reason.NOT_SEEN, f"nobody looks for {name}: start the vision node")


async def wait_for_look(robot: Manipulator, name: str) -> None:
    """Wait until an object is seen, or should have been. Raises ``Refused`` without vision."""

    def is_seen() -> bool:
        check_vision(robot, name)
        return (thing := robot.objects.get(name)) is not None and thing.is_visible

    await wait_until(is_seen, _LOOK_TIME)
