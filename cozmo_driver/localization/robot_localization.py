"""Localization for a program without ROS: beside ``RobotPerception``, the same robot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ..link import with_timeout
from ..perception import CUBE_NAMES, Detections, RobotPerception
from ..robot import CubeEvent, CubeEventType, Odometry, Reason, Robot, RobotError
from .localizer import Localizer
from .looking import TURN_TOLERANCE
from .objects import object_sightings
from .sightings import sightings_of

TAG_SIZE, TAG_FAMILY = 0.06, "4x4_50"
"""m, and family, of tags that are not on the map, as ``cozmo vision print --tags`` prints them:
its six cells are found from 1.2 m away, the eight of 36h11 from 0.8 m."""
_IMAGE_TIMEOUT = 5.0
"""s without an image of a robot that stands; Wi-Fi stalls for up to 2 s (spec 14)."""


class RobotLocalization:
    """Give it to ``localize`` and ``learn_map``, or drive and read ``localizer``.

    Within an ``async with`` block of perception: ``async with RobotPerception(robot) as seen,
    RobotLocalization(robot, seen, localizer):``.
    """

    def __init__(
        self,
        robot: Robot,
        perception: RobotPerception,
        localizer: Localizer,
        tag_size: float = TAG_SIZE,
        families: Iterable[str] = (TAG_FAMILY,),
    ) -> None:
        """``tag_size`` (m) and ``families`` are of tags that are not on the map."""
        self.localizer = localizer
        self._robot, self._perception = robot, perception
        self._tag_size, self._families = tag_size, frozenset(families)
        self._has_come = asyncio.Event()

    async def __aenter__(self) -> RobotLocalization:
        maps = self.localizer.settings.maps
        known = self.localizer.tag_map.families
        self._perception.core.look_for(known | self._families if maps else known)
        self._disconnects = [
            # After perception, which completes each state.
            self._robot.on_odometry.connect(self._on_odometry),
            self._perception.on_detections.connect(self._on_detections),
            self._robot.cubes.on_event.connect(self._on_cube_event),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for disconnect in self._disconnects:
            disconnect()

    def _on_odometry(self, _: Odometry) -> None:
        last = self._perception.world.history.last
        if last is not None:
            self.localizer.on_odometry(last)

    def _on_detections(self, seen: Detections) -> None:
        frame = seen.frame
        if frame.state is None or not frame.is_searched:
            return
        sizes = {one.name: one.size for one in self.localizer.tag_map.tags.values()}
        unmapped = self._tag_size if self.localizer.settings.maps else 0.0
        found = sightings_of(frame.markers, frame.camera, sizes, unmapped)
        found += object_sightings(
            frame.markers, frame.camera, self._perception.core.objects(frame.stamp)
        )
        self.localizer.on_sightings(frame.stamp, found)
        self._has_come.set()

    def _on_cube_event(self, event: CubeEvent) -> None:
        name = CUBE_NAMES.get(event.cube.kind)
        if event.type is CubeEventType.MOVED and name is not None:
            self.localizer.on_landmark_moved(name)

    # -- a ``Looker``

    async def turn(self, angle: float) -> None:
        await self._robot.turns.turn(angle, tolerance=TURN_TOLERANCE)

    async def drive(self, distance: float) -> None:
        await self._robot.maneuvers.drive_distance(distance)

    async def move_head(self, angle: float) -> None:
        await self._robot.joints.move_head(angle)

    async def look(self, images: int) -> None:
        for _ in range(images):
            self._has_come.clear()
            try:
                await with_timeout(_IMAGE_TIMEOUT, self._has_come.wait())
            except TimeoutError:
                text = "no pictures come in which anything can be placed: is the lens free?"
                raise RobotError(Reason.TIMEOUT, text) from None
