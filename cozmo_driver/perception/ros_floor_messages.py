"""Where the floor ends: scans, points and maps."""

from __future__ import annotations

from array import array

import numpy as np
from geometry_msgs.msg import Point, Pose
from nav_msgs.msg import MapMetaData, OccupancyGrid
from sensor_msgs.msg import LaserScan, PointCloud2
from std_msgs.msg import Header

from ..ros.geometry import point_cloud
from .detection.ground import SCAN_ANGLE, SCAN_STEP, GroundEdges, GroundScan
from .world.memory_map import Grid

_HEIGHT = 0.01
"""z of the points, m: costmaps mark what is above the ground."""


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
