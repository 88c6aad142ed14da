"""Looking for an object, and staying before one that is carried about."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from ..perception import Kind, LocatedObject, PoseState, learning_advice
from ..robot import MAX_HEAD_ANGLE, Reason, Refused, RobotError
from .cube_docking import face_it, head_towards
from .manipulator import CubeFace, Manipulator, OnPhase, check_ready
from .object_approach import check_vision
from .obstacle_avoidance import (
    abort_on_safety_loss,
    distance_between,
    height_of,
    pose_of,
    wait_until,
)

_HEADS = (math.radians(-10.0), math.radians(10.0))
"""Of the head in each round: what lies near, and what is far or stands on something."""
_HEADINGS, _LOOK_TIME = 8, 0.95
"""As of the search for the charger: images overlap, and each is taken at rest."""
_FIRST_LOOK_TIME = 2.5
"""s: perception takes nothing from the first 1.5 s of a camera that was switched on."""
_SETTLES = 0.4
"""s in which images of the resting robot correct where something is."""
_DISTANCE, _SLACK = 0.150, 0.030
"""From the drive center to the middle of what is followed, m: nearer the lift hides it."""
_STEP, _SPEED = 0.150, 0.080
_ASIDE, _ABOVE = math.radians(8.0), math.radians(6.0)
"""From the middle of the image: at that distance a marker is whole up to 15 degrees above it."""
_HIGHER = math.radians(20.0)
"""For the head, where what was just followed is out of sight: the images overlap."""
_POLL, _LOST = 0.05, 1.5


@abort_on_safety_loss
async def find_object(
    robot: Manipulator, name: str = "", on_phase: OnPhase = lambda *_: None
) -> tuple[str, int]:
    """Turn about, with the head low and then raised, until an object is in sight; any cube without
    a name.

    Returns its name and the rounds. Raises ``RobotError``: NOT_SEEN after two rounds.
    """
    check_ready(robot)
    _check_name(robot, name)
    start = _bearing(robot, name)
    for attempt, angle in enumerate(_HEADS, 1):
        on_phase("looking", attempt)
        if found := _in_sight(robot, name):
            return found, attempt
        await robot.move_head(angle)
        for step in range(_HEADINGS):
            await robot.turn_to(start + step * 2 * math.pi / _HEADINGS)
            is_first = attempt == 1 and step == 0
            look_time = _FIRST_LOOK_TIME if is_first else _LOOK_TIME
            if await wait_until(lambda: _in_sight(robot, name) is not None, look_time):
                # Where it was moved to only the next images tell.
                await asyncio.sleep(_SETTLES)
                if found := _in_sight(robot, name):
                    return found, attempt
    text = f"{name or 'a cube'} is nowhere around the robot{learning_advice(name)}"
    raise RobotError(Reason.NOT_SEEN, text)


@abort_on_safety_loss
async def follow_object(
    robot: Manipulator,
    name: str = "",
    duration: float = 0.0,
    on_phase: OnPhase = lambda *_: None,
) -> tuple[str, int]:
    """Face an object and keep 0.15 m from it wherever it goes, for s; 0 is until cancelled.

    What is out of sight is looked for. Returns its name and how often that was. Raises
    ``RobotError``, ``ValueError``.
    """
    if not (math.isfinite(duration) and duration >= 0.0):
        raise ValueError(f"the duration is 0 or more s, not {duration}")
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + (duration or math.inf)
    searches, head = 1, None
    name, _ = await find_object(robot, name, on_phase)
    on_phase("following", searches)
    while loop.time() < ends_at:
        if await wait_until(lambda: _in_sight(robot, name) is not None, _LOST):
            head = await _keep_before(robot, robot.objects[name], head)
            await asyncio.sleep(_POLL)
        elif head is not None:
            # Most likely it was lifted.
            await robot.move_head(min(head + _HIGHER, MAX_HEAD_ANGLE))
            head = None
        else:
            searches += 1
            await find_object(robot, name, on_phase)
            on_phase("following", searches)
            head = None
    return name, searches


async def _keep_before(robot: Manipulator, thing: LocatedObject, head: float | None) -> float:
    """Make one move that brings an object nearer to the middle of the image, or to its distance.

    ``head`` is the angle that the head was moved to, if any; returns that.
    """
    here, there = robot.state.pose, pose_of(thing)
    face = CubeFace(there, height_of(thing))
    aside = math.remainder(math.atan2(there.y - here.y, there.x - here.x) - here.yaw, math.tau)
    gap, angle = distance_between(here, there) - _DISTANCE, head_towards(robot, face)
    if head is None or abs(aside) > _ASIDE or abs(angle - head) > _ABOVE:
        await face_it(robot, face)
        return angle
    if abs(gap) > _SLACK:
        await robot.drive(max(-_STEP, min(_STEP, gap)), _SPEED)
    return head


def _check_name(robot: Manipulator, name: str) -> None:
    """Raises ``Refused`` for what nobody looks for."""
    check_vision(robot, name or "cubes")
    if name and name not in robot.objects:
        known = ", ".join(robot.objects) or "none yet"
        raise Refused(Reason.NOT_FOUND, f"there is no object {name!r}; there are: {known}")


def _in_sight(robot: Manipulator, name: str) -> str | None:
    """Return the name of what is looked for where an image shows it and its place is known.

    Raises ``Refused`` without vision.
    """
    check_vision(robot, name or "cubes")
    found = (one for one in _wanted(robot, name) if one.is_visible and not one.is_carried)
    return next((one.name for one in found), None)


def _bearing(robot: Manipulator, name: str) -> float:
    """Return the direction of the nearest that is known, else the robot's own."""
    here = robot.state.pose
    places = [pose_of(one) for one in _wanted(robot, name)]
    there = min(places, key=lambda place: distance_between(place, here), default=None)
    return here.yaw if there is None else math.atan2(there.y - here.y, there.x - here.x)


def _wanted(robot: Manipulator, name: str) -> Sequence[LocatedObject]:
    """Return what is looked for of what has a place."""
    return [
        one
        for one in robot.objects.values()
        if (one.name == name if name else one.kind is Kind.CUBE)
        and one.pose is not None
        and one.state is not PoseState.UNKNOWN
    ]
