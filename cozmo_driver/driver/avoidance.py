"""``go_to_pose`` around what is known to be in the way."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from nav_msgs.msg import OccupancyGrid

from cozmo_interfaces.msg import ObjectStates

from ..manipulation import RobotBody, go_to
from ..manipulation.ros_messages import located_object, map_boxes
from ..perception import LocatedObject
from ..planning import Box
from ..robot import (
    Claim,
    GoalProgress,
    Line,
    PathProgress,
    Pose2D,
    Reason,
    Robot,
    RobotError,
    Segment,
    Turn,
)
from ..ros.context import Context
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import LATCHED

_TOPICS = {"object_states": ObjectStates, "map_memory": OccupancyGrid}
_FIRST_MESSAGE_TIMEOUT = 1.0
_POLL = 0.02
_HEADINGS = 8
"""To choose from where the heading is ignored; that of the straight way is the first."""


class Surroundings:
    """What the eyes know; subscribes when a drive needs it first. Use in the loop."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._latest: dict[str, LatestMessage[Any]] = {}
        self._objects: dict[str, LocatedObject] = {}
        self._map: list[Box] = []
        self._reading: asyncio.Future[None] | None = None
        """The newest map, in a worker: the boxes of a large one take long."""
        self._arrived: set[str] = set()

    async def start(self) -> None:
        """Subscribe; the first time, wait for the first messages of whoever publishes."""
        if self._latest:
            return
        for topic, kind in _TOPICS.items():
            self._latest[topic] = LatestMessage(self._context.node, kind, topic, LATCHED)
        loop = asyncio.get_running_loop()
        end = loop.time() + _FIRST_MESSAGE_TIMEOUT
        while loop.time() < end:
            self._poll()
            if not any(self._is_published(one) for one in _TOPICS if one not in self._arrived):
                return
            await asyncio.sleep(_POLL)

    @property
    def objects(self) -> Mapping[str, LocatedObject]:
        self._poll()
        return self._objects if self._is_published("object_states") else {}

    @property
    def map(self) -> Sequence[Box]:
        self._poll()
        return self._map if self._is_published("map_memory") else ()

    def _is_published(self, topic: str) -> bool:
        return self._context.node.count_publishers(topic) > 0

    def _poll(self) -> None:
        if not self._latest:
            return
        if (states := self._latest["object_states"].take()) is not None:
            self._arrived.add("object_states")
            with self._understood("object_states"):
                self._objects = {one.name: located_object(one) for one in states.objects}
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(self._read_map())

    async def _read_map(self) -> None:
        if (grid := self._latest["map_memory"].take()) is None:
            return
        with self._understood("map_memory"):
            self._map = await asyncio.to_thread(map_boxes, grid, list(self._objects.values()))
        self._arrived.add("map_memory")

    @contextmanager
    def _understood(self, topic: str) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            self._context.log.warning(f"{topic} is not understood: {error}")


@dataclass(frozen=True, slots=True)
class Style:
    """How to drive: m/s, rad/s, and what counts as arrived, m and rad. Raises ``ValueError``."""

    speed: float
    turn_speed: float
    position_tolerance: float
    angle_tolerance: float

    def __post_init__(self) -> None:
        Line((0.0, 0.0), (1.0, 0.0), self.speed)
        Turn((0.0, 0.0), 1.0, self.turn_speed)

    def styled(self, segment: Segment) -> Segment:
        if isinstance(segment, Turn):
            return replace(segment, speed=self.turn_speed)
        speed = self.speed if segment.speed > 0 else max(segment.speed, -self.speed)
        return replace(segment, speed=speed)


class _Body(RobotBody):
    """The driver's robot with what the eyes know; all of its ways belong to one claim."""

    def __init__(
        self,
        robot: Robot,
        around: Surroundings,
        claims: ExitStack,
        style: Style,
        on_progress: Callable[[PathProgress], object],
    ) -> None:
        super().__init__(robot)
        self._around, self._claims, self._style = around, claims, style
        self._on_progress = on_progress
        self.claim = self._claim_wheels()

    def _claim_wheels(self) -> Claim:
        return self._claims.enter_context(self._robot.motion.claim_wheels("go_to_pose"))

    @property
    def objects(self) -> Mapping[str, LocatedObject]:
        return self._around.objects

    @property
    def obstacles(self) -> Sequence[Box]:
        return [*super().obstacles, *self._around.map]

    async def follow(self, segments: Sequence[Segment]) -> None:
        styled = [self._style.styled(segment) for segment in segments]
        try:
            await self._robot.paths.follow(styled, on_progress=self._on_progress, claim=self.claim)
        except (asyncio.CancelledError, RobotError):
            if self.claim.is_held:
                self.claim.halt()
            raise

    async def drive(self, distance: float, speed: float, is_cliff_ignored: bool = False) -> None:
        if not self.claim.is_held:
            # What the robot met has ended the claim, and others may have the wheels meanwhile.
            if self._robot.motion.wheels.claim_held is not None:
                raise RobotError(Reason.SUPERSEDED, "go_to_pose ended: something took the wheels")
            self.claim = self._claim_wheels()
        here = self._robot.localization.drive_center
        end = here.compose(Pose2D(distance))
        await self.follow([Line((here.x, here.y), (end.x, end.y), math.copysign(speed, distance))])


async def drive_around(
    robot: Robot,
    surroundings: Surroundings,
    goal: Pose2D,
    style: Style,
    *,
    is_heading_ignored: bool,
    on_progress: Callable[[GoalProgress], object],
) -> GoalProgress:
    """Drive to a pose of the drive center, m and rad in the odometry frame, around obstacles.

    Returns what is left to the goal. Raises ``RobotError``.
    """

    def progress() -> GoalProgress:
        at = robot.localization.drive_center
        angle = 0.0 if is_heading_ignored else math.remainder(goal.yaw - at.yaw, 2 * math.pi)
        return GoalProgress(math.hypot(goal.x - at.x, goal.y - at.y), angle, at)

    robot.motion.check_wheels()
    await surroundings.start()
    # One claim from the first plan to the last: who takes the wheels while it plans keeps them.
    with ExitStack() as claims:
        body = _Body(robot, surroundings, claims, style, lambda _: on_progress(progress()))
        await robot.paths.settle(body.claim)
        goals, angle_tolerance = [goal], style.angle_tolerance
        if is_heading_ignored:
            goals, angle_tolerance = _any_heading(robot.localization.drive_center, goal), math.pi
        await go_to(body, goals, tolerances=(style.position_tolerance, angle_tolerance))
        end = progress()
        on_progress(end)
        return end


def _any_heading(here: Pose2D, goal: Pose2D) -> list[Pose2D]:
    """Return a place with the heading of the straight way there, and with some others."""
    bearing = math.atan2(goal.y - here.y, goal.x - here.x)
    turns = (number * 2 * math.pi / _HEADINGS for number in range(_HEADINGS))
    return [Pose2D(goal.x, goal.y, math.remainder(bearing + t, 2 * math.pi)) for t in turns]
