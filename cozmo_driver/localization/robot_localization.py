"""Localization for a program without ROS: beside ``RobotPerception``, the same robot."""

from __future__ import annotations

from ..perception import Detections, RobotPerception
from ..robot import CubeEvent, Robot
from .landmark_feed import TAG_FAMILY, TAG_SIZE, LandmarkFeed
from .localizer import Localizer
from .looking import TURN_TOLERANCE, Images


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
        family: str = TAG_FAMILY,
    ) -> None:
        """``tag_size`` (m) and ``family`` are of tags that are not on the map."""
        self.localizer = localizer
        self._robot, self._perception = robot, perception
        self._feed = LandmarkFeed(localizer, perception.core, tag_size, family)
        self._images = Images()

    async def __aenter__(self) -> RobotLocalization:
        self._feed.look_for_tags()
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

    def _on_odometry(self, _: object) -> None:
        self._feed.measured = self._robot.calibration.measured
        self._feed.on_state()

    def _on_detections(self, seen: Detections) -> None:
        if self._feed.on_frame(seen.frame) is not None:
            self._images.arrive()

    def _on_cube_event(self, event: CubeEvent) -> None:
        self._feed.on_cube_event(event.cube.kind, event.type)

    # -- a ``Looker``

    async def turn(self, angle: float) -> None:
        await self._robot.turns.turn(angle, tolerance=TURN_TOLERANCE)

    async def drive(self, distance: float) -> None:
        await self._robot.maneuvers.drive_distance(distance)

    async def move_head(self, angle: float) -> None:
        await self._robot.joints.move_head(angle)

    async def look(self, images: int) -> None:
        text = "no pictures come in which anything can be placed: is the lens free?"
        await self._images.wait(images, text)
