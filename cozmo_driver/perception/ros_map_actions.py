"""``localize`` and ``learn_map``: looking around through the driver's actions."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cozmo_interfaces.action import LearnMap, Localize

from ..link import with_timeout
from ..localization import (
    LONGEST_STEP,
    MAPS,
    MOST_SPOTS,
    SPOTS,
    STEP,
    TURN_TOLERANCE,
    WANTED,
    WANTED_ANGLE,
    Images,
    Localizer,
    TagMap,
    describe,
    landmark_name,
    learn_map,
    learnt,
    localize,
    save_map,
    worst_deviation,
)
from ..robot import Reason, RobotError, data_directory
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from ..ros.geometry import or_default
from ..ros.task_moves import TaskMoves
from ..whole_files import make_writable
from .detection.tags import TagError
from .ros_localization import STATUSES, LocalizationPart

_LOCALIZE_TIMEOUT, _LEARN_TIMEOUT = 60.0, 300.0
_SPEED, _TURN_SPEED = 0.08, 1.0
"""m/s and rad/s."""
_WATCHED = 0.2
"""s between two looks at what is learnt while somebody else drives."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")


class GraphLooker:
    """A ``Looker`` over the driver's actions and the node's images. In the loop."""

    def __init__(self, context: NodeContext, part: LocalizationPart) -> None:
        self._part = part
        names = ("turn_in_place", "drive_distance", "move_head")
        self._moves = TaskMoves(context, names, lambda: part.wheels_owner)
        self.begin = self._moves.begin
        self._images = Images()
        part.on_image_taken = self._images.arrive

    @property
    def localizer(self) -> Localizer:
        return self._part.localizer

    async def turn(self, angle: float) -> None:
        fields = {"angular_speed": _TURN_SPEED, "angle_tolerance": TURN_TOLERANCE}
        await self._moves.do("turn_in_place", angle=float(angle), is_hold_ignored=True, **fields)

    async def drive(self, distance: float) -> None:
        fields = {"distance": float(distance), "speed": _SPEED}
        await self._moves.do("drive_distance", is_hold_ignored=True, **fields)

    async def move_head(self, angle: float) -> None:
        await self._moves.do("move_head", angle=float(angle))

    async def look(self, images: int) -> None:
        text = "no pictures come that can be placed: is the camera on, and the mode markers?"
        await self._images.wait(images, text)


class MapActions:
    """One goal at a time, of either."""

    def __init__(self, context: NodeContext, part: LocalizationPart) -> None:
        self._part, self._looker = part, GraphLooker(context, part)
        self._current: Goal | None = None
        self._turn = asyncio.Lock()
        ActionBridge(context, Localize, "localize", self._localize, self._add_pose)
        ActionBridge(context, LearnMap, "learn_map", self._learn)

    @asynccontextmanager
    async def _preempting(self, goal: Goal) -> AsyncIterator[None]:
        """Preempt the older goal; go on once it has given its map back."""
        older, self._current = self._current, goal
        if older is not None:
            older.end(Reason.SUPERSEDED, "a newer goal of localize or learn_map took over")
        async with self._turn:
            self._looker.begin()
            yield

    def _add_pose(self, result: Localize.Result) -> None:
        result.pose = self._part.pose_message(self._part.localizer.estimate)

    async def _localize(self, goal: Goal) -> str:
        request = goal.request
        position = or_default("position_deviation", request.position_deviation, WANTED)
        yaw = or_default("yaw_deviation", request.yaw_deviation, WANTED_ANGLE)
        timeout = or_default("timeout", request.timeout, _LOCALIZE_TIMEOUT)

        def report(*_: object) -> None:
            known = self._part.localizer.estimate
            spread, angle = known.deviations
            goal.publish(
                Localize.Feedback(
                    status=STATUSES[known.status], position_deviation=spread, yaw_deviation=angle
                )
            )

        async with self._preempting(goal):
            looking = localize(self._looker, position, yaw, report)
            known = await _within(timeout, looking, "the pose was not known well")
        spread, angle = known.deviations
        return (
            f"the robot is at {known.x:.3f}, {known.y:.3f} m within {spread * 1000:.0f} mm "
            f"and {math.degrees(angle):.1f} degrees"
        )

    # -- learning

    async def _learn(self, goal: Goal) -> str:
        request = goal.request
        spots, step = int(request.spots) or SPOTS, or_default("step", request.step, STEP)
        timeout = or_default("timeout", request.timeout, _LEARN_TIMEOUT)
        if spots > MOST_SPOTS or step > LONGEST_STEP:
            raise ValueError(f"at most {MOST_SPOTS} spots, and {LONGEST_STEP:g} m from each other")
        file, origin = map_file(request.name), _origin_of(request.origin)
        self._check_start(goal)
        with _as_refusal(file):
            make_writable(file.parent)
        async with self._preempting(goal):
            # The pose may have been one on the map that the older goal did not finish.
            self._check_start(goal)
            looking = self._look_around(goal, spots, step, timeout)
            known, doubts = await self._learn_map(goal, looking, file, origin)
        goal.result.file, goal.result.tags = str(file), len(known.tags)
        goal.result.worst_deviation = worst_deviation(known)
        return "; ".join((f"{file}: {describe(known)}", *doubts))

    def _check_start(self, goal: Goal) -> None:
        if goal.request.is_extended and not self._part.localizer.estimate.is_known:
            text = "a map is extended from a known pose: call localize first"
            raise RobotError(Reason.NOT_SEEN, text)

    async def _learn_map(
        self, goal: Goal, looking: Awaitable[None], file: Path, origin: str
    ) -> tuple[TagMap, list[str]]:
        """Return the map that is used and kept in the file then, and what was doubted meanwhile.

        Else the one before is used.
        """
        part, is_extended = self._part, goal.request.is_extended
        before = part.localizer.tag_map, part.file, part.localizer.settings
        known, doubts, is_kept = before[0], list[str](), False
        if not is_extended:
            part.use_map(TagMap(), None, replace(before[2], starts_at_origin=True))
        part.learn()
        try:
            await looking
            origin = "" if is_extended else origin
            known = await asyncio.to_thread(learnt, part.localizer, origin)
            with _as_refusal(file):
                save_map(file, known)
            doubts, is_kept = [str(one) for one in part.localizer.reports], True
        finally:
            # What was begun and not finished is no map to drive by.
            used = (known, file, before[2]) if is_kept else before
            part.use_map(*used, is_same_frame=is_extended)
        return known, doubts

    async def _look_around(self, goal: Goal, spots: int, step: float, timeout: float) -> None:
        localizer = self._part.localizer

        def report(phase: str, spot: int) -> None:
            known = localizer.tag_map
            goal.result.tags = len(known.tags)
            goal.publish(
                LearnMap.Feedback(
                    phase=phase,
                    spot=spot,
                    tags=len(known.tags),
                    worst_deviation=worst_deviation(known),
                )
            )

        if not goal.request.is_driven_by_hand:
            looking = learn_map(self._looker, spots, step, report)
            await _within(timeout, looking, "the robot had not looked from every place")
            return
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while loop.time() < end:
            report("watching", 0)
            await asyncio.sleep(_WATCHED)


def map_file(name: str) -> Path:
    """Return where a map of this name is kept. Raises ``ValueError``: no other folder is."""
    if not _NAME.fullmatch(name or "tags"):
        raise ValueError(f"the name is of letters, digits, - and _, not {name[:40]!r}")
    return data_directory() / MAPS / f"{name or 'tags'}.yaml"


@contextmanager
def _as_refusal(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        text = f"{file} cannot be written: {error.strerror}"
        raise RobotError(Reason.NOT_ALLOWED, text) from None


def _origin_of(text: str) -> str:
    try:
        return landmark_name(text) if text else ""
    except TagError as error:
        raise ValueError(f"origin: {error}") from None


async def _within(timeout: float, work: Awaitable[Any], what: str) -> Any:
    try:
        return await with_timeout(timeout, work)
    except TimeoutError:
        raise RobotError(Reason.TIMEOUT, f"{what} after {timeout:g} s") from None
