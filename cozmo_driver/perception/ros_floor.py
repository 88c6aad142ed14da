"""Where the floor ahead ends, and the map of what the robot drove on, met and saw: topics."""

from __future__ import annotations

from array import array

import numpy as np
from geometry_msgs.msg import Point, Pose
from nav_msgs.msg import MapMetaData, OccupancyGrid
from sensor_msgs.msg import LaserScan, PointCloud2
from std_msgs.msg import Header

from ..ros.context import NodeContext
from ..ros.geometry import header, point_cloud
from ..ros.pacing import Throttle
from ..ros.topics import LATCHED, SENSOR
from .detection.ground import SCAN_ANGLE, SCAN_STEP, GroundEdges, GroundScan
from .perception import Perception
from .ros_parts import NodeImage
from .ros_robot_states import RobotStates
from .world.memory_map import Grid

MAP_PERIOD = 1.0
_HEIGHT = 0.01
"""z of the points, m: costmaps mark what is above the ground."""


class GroundPart:
    """``scan`` and ``obstacles``; what is seen of the ground goes to the map, too."""

    mode = "ground"

    def __init__(self, context: NodeContext, perception: Perception, ground_map: GroundMap) -> None:
        self._perception, self._map = perception, ground_map
        self._scan = context.node.create_publisher(LaserScan, "scan", SENSOR)
        self._obstacles = context.node.create_publisher(PointCloud2, "obstacles", SENSOR)

    def is_needed(self) -> bool:
        return self._map.is_needed() or self._has_listeners()

    def _has_listeners(self) -> bool:
        return any(one.get_subscription_count() for one in (self._scan, self._obstacles))

    def on_image(self, image: NodeImage) -> None:
        is_mapped = self._map.is_needed()
        found = self._perception.find_floor(image.frame, self._has_listeners(), is_mapped)
        if found is None:
            return
        edges, scan = found
        head = header(image.header.stamp, image.base_frame)
        if self._scan.get_subscription_count():
            self._scan.publish(scan_message(scan, head))
        if self._obstacles.get_subscription_count():
            self._obstacles.publish(obstacles_message(edges, head))


class GroundMap:
    """``map_memory``, while somebody listens; what was driven on is remembered before, too."""

    def __init__(self, context: NodeContext, perception: Perception) -> None:
        self._perception = perception
        self._publisher = context.node.create_publisher(OccupancyGrid, "map_memory", LATCHED)
        self._due = Throttle(MAP_PERIOD)
        self._published: Grid | None = None

    def is_needed(self) -> bool:
        return bool(self._publisher.get_subscription_count())

    def publish(self, robot: RobotStates) -> None:
        """Publish what has changed, once in a while."""
        now = self._perception.now
        if not self.is_needed() or not self._due.is_due(now):
            return
        grid = self._perception.floor.grid(now, self._perception.objects(now))
        if self._published is not None and grid.is_same_as(self._published):
            return
        self._published = grid
        self._publisher.publish(grid_message(grid, header(robot.stamp, robot.odom_frame)))


def scan_message(scan: GroundScan, head: Header) -> LaserScan:
    return LaserScan(
        header=head,
        angle_min=-SCAN_ANGLE,
        angle_max=SCAN_ANGLE,
        angle_increment=SCAN_STEP,
        range_min=scan.range_min,
        range_max=scan.range_max,
        ranges=array("f", scan.ranges.tobytes()),
    )


def obstacles_message(edges: GroundEdges, head: Header) -> PointCloud2:
    points = edges.points[np.isfinite(edges.rows)]
    placed = np.column_stack((points, np.full(len(points), _HEIGHT))).astype(np.float32)
    return point_cloud(array("f", placed.tobytes()), "xyz", head)


def grid_message(grid: Grid, head: Header) -> OccupancyGrid:
    height, width = grid.cells.shape
    x, y = grid.origin
    info = MapMetaData(
        map_load_time=head.stamp,
        resolution=grid.resolution,
        width=width,
        height=height,
        origin=Pose(position=Point(x=x, y=y)),
    )
    return OccupancyGrid(header=head, info=info, data=array("b", grid.cells.tobytes()))
