"""Where the floor ahead ends, and the map of what the robot drove on, met and saw."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import LaserScan, PointCloud2

from ..media import IMAGE_HEIGHT, IMAGE_WIDTH
from ..ros.context import NodeContext
from ..ros.geometry import header
from ..ros.pacing import Throttle
from ..ros.topics import LATCHED, SENSOR
from .detection.camera import Camera
from .detection.ground import GroundEdges, ground_edges, ground_scan
from .observations import lens_of
from .ros_floor_messages import grid_message, obstacles_message, scan_message
from .ros_part import Picture
from .ros_robot_states import RobotStates
from .world.camera_tracker import SURE
from .world.memory_map import Grid, MemoryMap
from .world.pose_history import RobotMoment
from .world.visibility import own_outlines
from .world.world_model import WorldModel

_Floats = npt.NDArray[np.float64]
MAP_PERIOD = 1.0
_THINNED = 4
"""Columns of a picture for each that is drawn into the map."""
EDGES_PERIOD = 0.2
"""s between two pictures that are."""
_MOVED, _TURNED = 0.004, 0.1
_RESTED = 60.0
"""m, rad and s after which the ground under the robot is marked again."""


class GroundPart:
    """``scan`` and ``obstacles``; what is seen of the ground goes to the map, too."""

    mode = "ground"

    def __init__(self, context: NodeContext, ground_map: GroundMap) -> None:
        self._map = ground_map
        self._scan = context.node.create_publisher(LaserScan, "scan", SENSOR)
        self._obstacles = context.node.create_publisher(PointCloud2, "obstacles", SENSOR)

    def is_needed(self) -> bool:
        return self._map.is_needed() or self._has_listeners()

    def _has_listeners(self) -> bool:
        return any(one.get_subscription_count() for one in (self._scan, self._obstacles))

    def on_picture(self, picture: Picture) -> None:
        moment = picture.moment
        if moment is None or not moment.is_on_treads:
            return
        is_mapped = self._map.is_due(moment.stamp)
        if not is_mapped and not self._has_listeners():
            return
        edges = edges_of(picture.gray, picture.camera, moment, picture.is_carrying)
        scan = ground_scan(edges)
        if scan is None:
            return
        head = header(picture.header.stamp, picture.base_frame)
        if self._scan.get_subscription_count():
            self._scan.publish(scan_message(scan, head))
        if self._obstacles.get_subscription_count():
            self._obstacles.publish(obstacles_message(edges, head))
        if is_mapped:
            self._map.on_edges(edges, moment)


class GroundMap:
    """``map_memory``, while somebody listens; what was driven on is remembered before, too."""

    def __init__(self, context: NodeContext, world: WorldModel) -> None:
        self._world = world
        self._memory = MemoryMap()
        self._publisher = context.node.create_publisher(OccupancyGrid, "map_memory", LATCHED)
        self._due, self._edges_due = Throttle(MAP_PERIOD), Throttle(EDGES_PERIOD)
        self._last: RobotMoment | None = None
        self._marked: RobotMoment | None = None
        self._published: Grid | None = None

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def is_due(self, stamp: float) -> bool:
        """Whether what a picture shows of the ground is wanted: a few times a second."""
        return self.is_needed() and self._edges_due.is_due(stamp)

    def on_edges(self, edges: GroundEdges, moment: RobotMoment) -> None:
        mark(self._memory, edges, moment)

    def on_robot(self, moment: RobotMoment, robot: RobotStates) -> None:
        """Mark the ground under the robot, and the edge it stands at."""
        last, self._last = self._last, moment
        if last is not None and (last.origin != moment.origin or moment.stamp < last.stamp):
            # It was carried, or a recording begins again.
            self._memory.clear()
            self._marked = None
        if moment.is_on_treads:
            if moment.is_at_cliff and not (last is not None and last.is_at_cliff):
                self._memory.on_cliff(moment.base, moment.stamp)
            if _is_elsewhere(moment, self._marked):
                self._marked = moment
                self._memory.on_robot(moment.base, moment.stamp)
        if self.is_needed() and self._due.is_due(moment.stamp):
            self._publish(moment.stamp, robot)

    def _publish(self, now: float, robot: RobotStates) -> None:
        grid = self._memory.grid(now, self._world.objects(now))
        if self._published is not None and grid.is_same_as(self._published):
            return
        self._published = grid
        self._publisher.publish(grid_message(grid, header(robot.stamp, robot.odom_frame)))


def edges_of(
    gray: npt.NDArray[np.uint8],
    camera: Camera,
    moment: RobotMoment,
    is_carrying: bool,
) -> GroundEdges:
    """Return where the floor ends in a picture that was taken at a moment."""
    camera = camera.scaled_to(IMAGE_WIDTH, IMAGE_HEIGHT)
    if gray.shape != (IMAGE_HEIGHT, IMAGE_WIDTH):
        gray = cv2.resize(gray, (IMAGE_WIDTH, IMAGE_HEIGHT), interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
    own = own_outlines(
        moment.head,
        moment.lift,
        lens_of(camera),
        is_carrying,
        moment.mount,
        moment.pitch_deviation,
    )
    return ground_edges(gray, camera, moment.view, own, doubt=SURE * moment.pitch_deviation)


def mark(memory: MemoryMap, edges: GroundEdges, moment: RobotMoment) -> None:
    """Draw a picture's edges into a map."""
    parts = (edges.starts, edges.clear, edges.points)
    starts, clear, points = (_placed(one[::_THINNED], moment) for one in parts)
    is_edge = np.repeat((False, True), len(points))
    starts, ends = np.concatenate((starts, points)), np.concatenate((clear, points))
    memory.on_ground(starts, ends, is_edge, moment.stamp)


def _placed(points: _Floats, moment: RobotMoment) -> _Floats:
    base = moment.base
    placed: _Floats = points @ base[:2, :2].T + base[:2, 3]
    return placed


def _is_elsewhere(moment: RobotMoment, marked: RobotMoment | None) -> bool:
    if marked is None:
        return True
    turn = math.remainder(moment.yaw - marked.yaw, 2.0 * math.pi)
    way = math.hypot(moment.x - marked.x, moment.y - marked.y)
    return way >= _MOVED or abs(turn) >= _TURNED or moment.stamp - marked.stamp >= _RESTED
