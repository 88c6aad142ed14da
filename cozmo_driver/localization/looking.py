"""Looking around: until the pose is known, and to make a map. Coroutines on a ``Looker``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..link import with_timeout
from ..perception import Matrix
from ..robot import Reason, RobotError, passing_over
from .estimate import Estimate, Status
from .localizer import Localizer
from .tag_map import FARTHEST, TagMap

WANTED, WANTED_ANGLE = 0.02, 0.05
"""m and rad, standard deviations with which a pose counts as known, where nothing else is asked."""
SPOTS, STEP = 4, 0.3
"""Places to look from, and m from one to the next, for a map."""
MOST_SPOTS, LONGEST_STEP = 20, 1.0
_IMAGE_TIMEOUT = 10.0
"""s without an image of a robot that stands: the link outlives a stall of 5 s, after which the
images of 1 s are left out, and those of ``perception.world.pose_history.SETTLING``."""
_STEPS = 10
"""Looks in a full turn: the camera sees 60 degrees (spec 07 §2), each tag is in two of them."""
TURN_TOLERANCE = 0.05
"""rad; where exactly it looks does not matter."""
_ROUNDS = 3
_NEARER, _NEARER_TIMES = 0.06, 3
"""m by which it gets nearer to a tag that it sees, and how often."""
_IMAGES = 2
"""Images in each look: hypotheses need two, and the filter uses a view twice."""
_CONFIRMATIONS = 2
"""Looks that agree until a pose that was lost is believed: one small tag alone may look turned."""
_HEAD_LEVEL = 0.0
_DIRECTIONS = 12
_CLEAR, _BODY = 0.15, 0.09
"""m that stay between robot and tags: they hang on walls and furniture, which nothing else tells
of; and half the width of the strip that is looked at."""
_PUT_OFF = {Reason.CLIFF, Reason.BLOCKED, Reason.TIMEOUT}
"""Why a place cannot be reached although another one may be. Of a robot that is gone no images
come, which ends it."""


def worst_deviation(known: TagMap) -> float:
    """Return that of the place of the tag that is known worst, m; 0 for no tags."""
    return max((one.deviation[0] for one in known.tags.values()), default=0.0)


def describe(known: TagMap) -> str:
    """Return how many tags there are, and which is known worst: that to look at from nearer."""
    if not known.tags:
        return "no tag"
    worst = max(known.tags.values(), key=lambda one: one.deviation[0])
    count = "1 tag" if len(known.tags) == 1 else f"{len(known.tags)} tags"
    return f"{count}, the worst within {1000 * worst.deviation[0]:.0f} mm: {worst.name}"


class Looker(Protocol):
    """The robot as looking around needs it; all of it raises ``RobotError``."""

    @property
    def localizer(self) -> Localizer: ...

    async def turn(self, angle: float) -> None: ...

    async def drive(self, distance: float) -> None:
        """Drive straight by m, backwards if negative; edges stop it."""

    async def move_head(self, angle: float) -> None: ...

    async def look(self, images: int) -> None:
        """Wait until the localizer has been given so many more images of a robot that stands."""


class Images:
    """Images that the localizer was given, to wait for."""

    def __init__(self) -> None:
        self._has_come = asyncio.Event()

    def arrive(self) -> None:
        self._has_come.set()

    async def wait(self, count: int, text: str) -> None:
        """Wait for so many more. Raises ``RobotError`` with the text where none comes."""
        for _ in range(count):
            self._has_come.clear()
            try:
                await with_timeout(_IMAGE_TIMEOUT, self._has_come.wait())
            except TimeoutError:
                raise RobotError(Reason.TIMEOUT, text) from None


OnLook = Callable[[str, int], object]
"""Called with what is being done, and at which place, from 1."""


def is_good(known: Estimate, position: float = WANTED, yaw: float = WANTED_ANGLE) -> bool:
    """Whether a pose is known by landmarks, and as well as is wanted: m and rad."""
    spread, angle = known.deviations
    return known.status is Status.TRACKING and spread <= position and angle <= yaw


async def localize(
    robot: Looker,
    position: float = WANTED,
    yaw: float = WANTED_ANGLE,
    on_look: OnLook = lambda *_: None,
) -> Estimate:
    """Turn and look until the pose is known; return it. Raises ``RobotError`` (``NOT_SEEN``).

    It drives up to 18 cm, towards tags that it sees.
    """
    localizer = robot.localizer
    if not localizer.tag_map.tags:
        text = "there is no map: make one with cozmo map, or the action learn_map"
        raise RobotError(Reason.NOT_FOUND, text)
    if is_good(localizer.estimate, position, yaw):
        return localizer.estimate
    first = localizer.used
    confirmed = nearer = 0
    await robot.move_head(_HEAD_LEVEL)
    for step in range(1, _ROUNDS * _STEPS + 1):
        on_look("looking", step)
        told = await _look(robot)
        if told and confirmed < _CONFIRMATIONS and nearer < _NEARER_TIMES:
            # From one place small tags leave two poses open. Where a tag is seen the path is free.
            nearer += 1
            on_look("driving", step)
            with passing_over(_PUT_OFF):
                await robot.drive(_NEARER)
            told = await _look(robot)
        is_known = is_good(localizer.estimate, position, yaw)
        confirmed += bool(told) and is_known
        if confirmed >= _CONFIRMATIONS or (is_known and step % _STEPS == 0):
            return localizer.estimate
        if step == _STEPS and localizer.used == first:
            break
        on_look("turning", step)
        await _turn(robot, 2 * math.pi / _STEPS)
    if localizer.used == first:
        text = "no tag of the map is in sight from here: drive nearer to one, within 1 m"
    else:
        spread, angle = localizer.estimate.deviations
        text = "several poses fit to what is seen from here"
        if localizer.estimate.is_known:
            known = f"{spread * 1000:.0f} mm and {math.degrees(angle):.1f} degrees"
            text = f"from here the pose is known within {known} only"
        text += ": drive nearer to the tags, or put up more"
    raise RobotError(Reason.NOT_SEEN, text)


async def _look(robot: Looker) -> int:
    """Return how many sightings told something new."""
    used = robot.localizer.used
    await robot.look(_IMAGES)
    return robot.localizer.used - used


async def learn_map(
    robot: Looker, spots: int = SPOTS, step: float = STEP, on_look: OnLook = lambda *_: None
) -> None:
    """Look around at some places, so that the localizer, which maps, learns the tags there."""
    await robot.move_head(_HEAD_LEVEL)
    visited: list[Matrix] = []
    for spot in range(1, spots + 1):
        for _ in range(_STEPS):
            on_look("looking", spot)
            await robot.look(_IMAGES)
            on_look("turning", spot)
            await _turn(robot, 2 * math.pi / _STEPS)
        await robot.look(_IMAGES)
        visited.append(_here(robot)[:2])
        if spot < spots:
            on_look("driving", spot + 1)
            await _go_on(robot, visited, step)


def learnt(localizer: Localizer, origin: str) -> TagMap:
    """Return the map that was learnt, with a landmark at its origin; empty: the frame it has.

    It takes up to some seconds. Raises ``RobotError``.
    """
    doubts = "".join(f"; {one}" for one in localizer.reports)
    try:
        known = localizer.learnt_map(origin)
    except KeyError:
        text = f"{origin} was not placed; these were: {', '.join(localizer.tag_map.tags)}"
        raise RobotError(Reason.NOT_SEEN, text + doubts) from None
    if not known.tags:
        text = "no tag was placed: print some with cozmo vision print --tags 12 --size 60"
        raise RobotError(Reason.NOT_SEEN, text + doubts)
    # A filter that has diverged may have no numbers at all.
    if not all(np.abs(one.pose).max() <= FARTHEST for one in known.tags.values()):
        text = "where the tags are does not fit together; begin where several are in sight"
        raise RobotError(Reason.NOT_SEEN, text + doubts)
    return known


async def _turn(robot: Looker, angle: float) -> None:
    """Turn about so far; a robot that is stuck there, or slow, has looked nevertheless."""
    try:
        await robot.turn(angle)
    except RobotError as error:
        # Of a robot that is gone no images come, which ends it.
        if error.reason not in (Reason.BLOCKED, Reason.TIMEOUT):
            raise


async def _go_on(robot: Looker, visited: list[Matrix], step: float) -> None:
    """Drive to a new place, as far as edges and what is on the map allow."""
    for heading in _directions(robot.localizer.tag_map, _here(robot), visited, step):
        try:
            await _turn(robot, math.remainder(heading - float(_here(robot)[2]), 2 * math.pi))
            await robot.drive(step)
        except RobotError as error:
            if error.reason not in _PUT_OFF:
                raise
            # From an edge it turns away only after it has backed off.
            with passing_over(_PUT_OFF):
                await robot.drive(-step / 4)
            continue
        return


def _directions(known: TagMap, here: Matrix, visited: list[Matrix], step: float) -> list[float]:
    """Return headings in which no tag is in the way, those first that lead to new places."""
    places = [one.pose[:2, 3] for one in known.tags.values()]
    found = []
    for number in range(_DIRECTIONS):
        heading = float(here[2]) + 2 * math.pi * number / _DIRECTIONS
        ahead = np.array([math.cos(heading), math.sin(heading)])
        if any(_is_in_way(place - here[:2], ahead, step) for place in places):
            continue
        there = here[:2] + step * ahead
        newness = min(float(np.linalg.norm(there - one)) for one in visited)
        found.append((-round(newness, 3), number, heading))
    return [heading for *_, heading in sorted(found)]


def _is_in_way(place: Matrix, ahead: Matrix, step: float) -> bool:
    along = float(ahead @ place)
    across = float(ahead[0] * place[1] - ahead[1] * place[0])
    return 0.0 < along < step + _CLEAR and abs(across) < _BODY


def _here(robot: Looker) -> Matrix:
    known = robot.localizer.estimate
    if not known.is_known:
        text = "the robot no longer knows where it is: put it back, and begin anew"
        raise RobotError(Reason.NOT_SEEN, text)
    return np.array([known.x, known.y, known.yaw])
