"""Where the robot is on the map of landmarks: ``map_frame`` -> odom, ``pose``, and how well.

A part of the vision node, because its images are; the logic is the room ``localization``.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped

from cozmo_interfaces.msg import CubeEvent, LocalizationState, RobotInfo

from ..localization import (
    MAPS,
    Estimate,
    LandmarkFeed,
    Localizer,
    MapError,
    Settings,
    Status,
    TagMap,
    load_map,
)
from ..robot import data_directory
from ..ros.context import NodeContext
from ..ros.diagnostics import OK, WARN, Health
from ..ros.errors import StartError
from ..ros.file_urls import FileUrlError, path_of
from ..ros.geometry import constants, header, plane_pose, seconds
from ..ros.topics import COMMAND, EVENT, LATCHED
from .perception import Perception
from .ros_cubes import EVENTS
from .ros_landmarks import LandmarkMarkers
from .ros_messages import pose_of_matrix
from .ros_parts import NodeImage
from .ros_robot_states import RobotStates
from .world.frames import Matrix

_log = logging.getLogger(__name__)

STATUSES = constants(Status, LocalizationState)
_PERIOD = 1.0
"""s after which the state is published again although its status is the same."""
_PLANE = np.ix_((0, 1, 5), (0, 1, 5))
"""x, y and yaw of the covariance of a pose."""


class LocalizationPart:
    """Gives the localizer states and images, and publishes what it knows. In the loop."""

    mode = "markers"

    def __init__(self, context: NodeContext, perception: Perception) -> None:
        """Read the map. Raises ``StartError``."""
        parameters = context.parameters
        self._perception = perception
        self.file: Path | None = map_path(parameters["tag_map"])
        known = first_map(parameters["tag_map"])
        self.map_frame: str = parameters["map_frame"]
        self.localizer = Localizer(known, Settings(maps=parameters["map_new_tags"]))
        size, family = parameters["tag_size"], parameters["tag_family"]
        self._feed = LandmarkFeed(self.localizer, perception, size, family)
        self.on_image_taken: Callable[[], object] = lambda: None
        """Called after each image that shows where things are."""
        self.wheels_owner: int | None = None
        """As the newest ``status`` has it."""
        self._last_sighting = Time()
        self._stamp = self._stamp_of_pose = Time()
        self._published_at = -math.inf
        self._state = LocalizationState()
        self._images, self._spent = 0, 0.0
        node = context.node
        self._poses = node.create_publisher(PoseWithCovarianceStamped, "pose", LATCHED)
        self._states = node.create_publisher(LocalizationState, "localization_state", LATCHED)
        self._drawn = LandmarkMarkers(node, self.map_frame)
        context.listen(PoseWithCovarianceStamped, "initialpose", self._on_initial_pose, COMMAND)
        context.listen(CubeEvent, "cube_events", self._on_cube_event, EVENT)
        context.listen(RobotInfo, "robot_info", self._on_info, LATCHED)
        self._feed.look_for_tags()

    # -- the map

    def use_map(
        self, known: TagMap, file: Path | None, settings: Settings, is_same_frame: bool = False
    ) -> None:
        """Know another map from now on; ``file`` is where it is kept."""
        self.localizer.settings = settings
        self.localizer.set_map(known, is_same_frame)
        self.file = file
        self._feed.look_for_tags()

    def learn(self) -> None:
        """Place tags that are not on the map from now on, and remember all that is seen."""
        self.localizer.learn()
        self._feed.look_for_tags()

    @property
    def map_from_odom(self) -> Matrix | None:
        """None while it is not known: who would drive by it must not."""
        return self.localizer.map_from_odom if self.localizer.estimate.is_known else None

    # -- inputs

    def on_robot(self, robot: RobotStates) -> None:
        """Take the newest state, as perception completed it."""
        begun = time.perf_counter()
        self._feed.on_state()
        self._spent += time.perf_counter() - begun
        self._stamp, self.wheels_owner = robot.stamp, robot.wheels_owner

    def is_needed(self) -> bool:
        return True

    def on_image(self, image: NodeImage) -> None:
        begun = time.perf_counter()
        used = self._feed.on_frame(image.frame)
        if used is None:
            return
        if used:
            self._last_sighting = image.header.stamp
        self._images += 1
        self._spent += time.perf_counter() - begun
        self.on_image_taken()

    def _on_cube_event(self, message: CubeEvent) -> None:
        if (event := EVENTS.get(message.type)) is not None:
            self._feed.on_cube_event(int(message.cube_id), event)

    def _on_info(self, message: RobotInfo) -> None:
        scales = {"turn_scale": message.turn_scale, "distance_scale": message.distance_scale}
        self._feed.measured = [name for name, scale in scales.items() if not math.isnan(scale)]

    def _on_initial_pose(self, message: PoseWithCovarianceStamped) -> None:
        frame = message.header.frame_id.removeprefix("/")
        if frame != self.map_frame:
            raise ValueError(
                f"it is in the frame '{frame}', not in {self.map_frame}: "
                f"set the fixed frame of RViz to {self.map_frame}"
            )
        place = plane_pose(message.pose.pose)
        now, stamp = self._perception.now, seconds(message.header.stamp)
        if math.isnan(now):
            raise ValueError("no state of the robot has come: is the driver running?")
        covariance = np.array(message.pose.covariance).reshape(6, 6)[_PLANE]
        # Who points at a map is a little ahead of the robot's last state.
        at = now if stamp == 0.0 else min(stamp, now)
        self.localizer.set_pose(at, (place.x, place.y, place.yaw), covariance)
        _log.info("the robot is said to be at %.2f, %.2f m", place.x, place.y)

    # -- outputs

    def publish(self, stamp: Time) -> None:
        """Publish the pose once for each state, and what else has changed."""
        known, state = self.localizer.estimate, self._state
        if known.is_known and self._poses.get_subscription_count() and stamp != self._stamp_of_pose:
            self._stamp_of_pose = stamp
            self._poses.publish(self.pose_message(known))
        status, doubts = STATUSES[known.status], [str(one) for one in self.localizer.reports]
        is_news = (status, doubts) != (state.status, list(state.doubts))
        if is_news or not 0.0 <= known.stamp - self._published_at < _PERIOD:
            self._published_at = known.stamp
            self._publish_state(known, doubts)

    def _publish_state(self, known: Estimate, doubts: list[str]) -> None:
        tag_map = self.localizer.tag_map
        position, yaw = known.deviations
        self._state = LocalizationState(
            header=header(self._stamp, self.map_frame),
            status=STATUSES[known.status],
            position_deviation=position,
            yaw_deviation=yaw,
            last_sighting=self._last_sighting,
            map=str(self.file or ""),
            landmarks=len(tag_map.tags),
            doubts=doubts,
        )
        self._states.publish(self._state)
        self._drawn.publish(tag_map, {one.name for one in self.localizer.reports})

    def pose_message(self, known: Estimate) -> PoseWithCovarianceStamped:
        message = PoseWithCovarianceStamped(header=header(self._stamp, self.map_frame))
        if known.covariance is not None:
            message.pose.pose = pose_of_matrix(known.matrix)
            covariance = np.zeros((6, 6))
            covariance[_PLANE] = known.covariance
            message.pose.covariance = covariance.ravel()
        return message

    def health(self) -> Health:
        """Return what ``/diagnostics`` says."""
        localizer, known = self.localizer, self.localizer.estimate
        position, yaw = known.deviations
        age = known.stamp - seconds(self._last_sighting)
        values = {
            "status": known.status.name,
            "map": str(self.file or "none"),
            "landmarks": len(localizer.tag_map.tags),
            "deviation [mm]": 1000.0 * position,
            "deviation [deg]": math.degrees(yaw),
            "since the last sighting [s]": age if self._last_sighting != Time() else math.inf,
            "sightings used": localizer.used,
            **{f"rejected: {why.value}": n for why, n in localizer.rejected.items() if n},
            "work per image [ms]": 1000.0 * self._spent / max(self._images, 1),
        }
        if not localizer.tag_map.tags:
            text = "there is no map: make one with cozmo map, or the action learn_map"
            return Health(WARN, text, values)
        if doubts := "; ".join(str(one) for one in localizer.reports):
            return Health(WARN, doubts, values)
        if not known.is_known:
            text = "where the robot is is not known: let it see tags, or call localize"
            return Health(WARN, text, values)
        text = f"{known.x:.3f}, {known.y:.3f} m within {1000.0 * position:.0f} mm"
        return Health(OK, text, values)


def map_path(url: str) -> Path:
    """Return where the map is kept, for no URL the user's own. Raises ``StartError``."""
    try:
        return path_of(url) if url else data_directory() / MAPS / "tags.yaml"
    except FileUrlError as error:
        raise StartError(f"tag_map is no file: {error}") from error


def first_map(url: str) -> TagMap:
    """Return the map that is used from the start; for no URL it may be missing.

    Raises ``StartError``.
    """
    path = map_path(url)
    try:
        return load_map(path)
    except MapError as error:
        raise StartError(f"the tag map cannot be used: {error}") from error
    except OSError as error:
        if not url and isinstance(error, FileNotFoundError):
            return TagMap()
        raise StartError(
            f"the tag map {path} cannot be read ({error.strerror}): make one with cozmo map, "
            "and name it in tag_map"
        ) from error
