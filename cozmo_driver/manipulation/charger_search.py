"""Looking for the charger (spec 16 §4)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from ..perception import LocatedObject, PoseState
from ..robot import Pose2D, passing_over
from .charger_memory import MARKER, ChargerMemory
from .manipulator import Manipulator, check_ready
from .object_approach import check_vision
from .obstacle_avoidance import UNREACHABLE, distance_between, go_to, pose_of, wait_until

SIGHTINGS = 1.2
"""s of sightings from a standing robot that its pose becomes a mean of."""
_ELSEWHERE, _TURNED = 0.15, 0.35
"""A charger that is seen so far from where it is remembered, m, or so much turned, was moved, or
was seen wrongly before."""

_THIRD = 2 * math.pi / 3
_PLACES = [(away, (i + off) * _THIRD) for away, off in ((0.25, 0.0), (0.35, 0.5)) for i in range(3)]
"""Where to look from next: m and rad from the first place, or beside that."""
_TURNS = (0.0, math.pi / 4, -math.pi / 4)
_LOOKS_AROUND, _LOOK_TIME = 8, 0.95
"""The images overlap by more than the marker is wide: it is whole in one of them."""
_OUTWARDS = (0, 1, 2, -1, -2)
"""The steps to look in at another place, of those to look around."""
_SEEN_WITHIN, _UNCONFIRMED = 1.5, 0.8
"""s to look where it should be, and more where one image showed it."""
_FAR, _NEAR, _NEARER = 0.34, 0.28, 0.15
"""m from the marker from which it may look like its mirror image, m to where that is told better,
and m to get nearer where not every image shows it."""


def is_known(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Return whether the charger's place is known, as seen or remembered."""
    remembered = memory.pose(check_ready(robot))
    thing = robot.objects.get("charger")
    if thing is None or thing.pose is None or thing.state is PoseState.UNKNOWN:
        return remembered is not None
    seen = pose_of(thing)
    is_elsewhere = (
        remembered is None
        or distance_between(seen, remembered) > _ELSEWHERE
        or abs(math.remainder(seen.yaw - remembered.yaw, 2 * math.pi)) > _TURNED
    )
    if thing.is_visible or is_elsewhere:
        memory.on_seen(robot.state, seen)
    return True


async def search(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Look around here, then outwards from places near; return whether the charger is seen."""
    await robot.move_head(0.0)
    start = robot.state.pose
    if await _look_around(robot, memory, range(_LOOKS_AROUND)):
        return True
    for away, turn in _PLACES:
        spots = [start.compose(Pose2D(yaw=turn + off)).compose(Pose2D(away)) for off in _TURNS]
        with passing_over(UNREACHABLE):
            await go_to(robot, spots)
        # What is behind it was nearer at the first place.
        if await _look_around(robot, memory, _OUTWARDS):
            return True
    return False


async def _look_around(robot: Manipulator, memory: ChargerMemory, steps: Sequence[int]) -> bool:
    """Look in directions some steps from where it was seen; return whether it is seen and known.

    Raises ``RobotError``, also without vision.
    """
    ahead = heading = _bearing(robot)
    for step in steps:
        check_vision(robot, "the charger")
        before, last = robot.objects.get("charger"), heading
        heading = ahead + step * 2 * math.pi / _LOOKS_AROUND
        await robot.turn_to(heading)
        if _is_unconfirmed(robot, before):
            # In an image from before the turn.
            await robot.turn_to(last)
            if await _is_found(robot, memory, is_there=True):
                return True
            await robot.turn_to(heading)
        if await _is_found(robot, memory):
            return True
    check_vision(robot, "the charger")
    return False


def _bearing(robot: Manipulator) -> float:
    """Return the direction of the charger as it was seen last, else the robot's own."""
    here, thing = robot.state.pose, robot.objects.get("charger")
    if thing is None or thing.pose is None:
        return here.yaw
    there = pose_of(thing).compose(MARKER)
    return math.atan2(there.y - here.y, there.x - here.x)


async def _is_found(robot: Manipulator, memory: ChargerMemory, *, is_there: bool = False) -> bool:
    """Look ahead, from nearer where that says more; return whether the charger is known.

    ``is_there``: whether an image has shown it there already.
    """
    before = robot.objects.get("charger")
    is_seen = await is_seen_within(robot, _LOOK_TIME)
    nearer = _too_far(robot) if is_seen else _NEARER * (is_there or _is_unconfirmed(robot, before))
    if nearer:
        here = robot.state.pose
        goal = Pose2D(here.x, here.y, _bearing(robot)).compose(Pose2D(nearer))
        with passing_over(UNREACHABLE):
            await go_to(robot, [goal])
        is_seen = await is_seen_within(robot)
    if not is_seen:
        return False
    await asyncio.sleep(SIGHTINGS)
    return is_known(robot, memory)


def _too_far(robot: Manipulator) -> float:
    """Return the m to get nearer to the charger, which is seen, before its turn is believed."""
    pose = robot.objects["charger"].pose
    if pose is None:
        return _NEARER
    away = distance_between(robot.state.pose, pose_of(robot.objects["charger"]).compose(MARKER))
    return away - _NEAR if away > _FAR else 0.0


async def is_seen_within(robot: Manipulator, timeout: float = _SEEN_WITHIN) -> bool:
    """Return whether the charger is in sight now, or comes into it within a time, s.

    From afar not every image shows it: where one did, but its place is not known, wait longer.
    """
    before = robot.objects.get("charger")

    def is_seen() -> bool:
        now = robot.objects.get("charger")
        if now is None or now.state is PoseState.UNKNOWN:
            return False
        return now.is_visible or _is_unconfirmed(robot, before)

    if await wait_until(is_seen, timeout):
        return True
    return _is_unconfirmed(robot, before) and await wait_until(is_seen, _UNCONFIRMED)


def _is_unconfirmed(robot: Manipulator, before: LocatedObject | None) -> bool:
    """Whether an image showed the charger since it was seen ``before``."""
    now = robot.objects.get("charger")
    return before is not None and now is not None and now.last_seen > before.last_seen
