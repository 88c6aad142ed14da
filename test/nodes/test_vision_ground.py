"""Where the floor ends before the robot, and the map of it: ``cozmo_vision`` beside the driver."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import LaserScan, PointCloud2

from cozmo_driver.emulator import Pose2D, running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_interfaces.action import DriveDistance, MoveHead
from cozmo_interfaces.msg import ObjectState, ObjectStates, RobotStatus
from cozmo_interfaces.srv import SetVisionModes

from ..waiting import wait_until
from .goals import Action
from .graph import LATCHED, Graph, running_driver, running_graph, running_node

EDGE = 0.25
"""x of the table's edge; the robot starts at 0."""
BASE = -0.02
"""x of ``base_footprint`` then."""
SEEN_EDGE, OCCUPIED = 80, 100
BESIDE = -0.09
"""y that is farther from the cube's shadow than the robot is wide: nearer nothing is said."""
SHADOW = 0.025
"""m before a cube that its shadow may end the floor."""
OFF = 0.02
"""m by which the edge may be off: the cube, seen from one place, tells the camera's pitch to
0.006 rad, which is 10 mm there."""
CUBE = (0.19, 0.05)
TABLE = {
    "name": "table",
    "floor": [{"rectangle": [-1.0, -1.0, EDGE, 1.0], "pattern": "plain", "gray": 170}],
    "cubes": [{"number": 1, "x": CUBE[0], "y": CUBE[1], "yaw": 10}],
}


@dataclass(frozen=True)
class Scene:
    emulator: RunningEmulator
    graph: Graph

    def do(self, kind: type, name: str, **goal: float) -> str:
        return Action(self.graph, kind, name).do(**goal)[0]


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    world = World(layout_of(TABLE, ""))
    prefix = {"frame_prefix": "one/"}
    with (
        running_emulator(calibration_time=0.0, world=world) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, **prefix),
        running_node("vision_node", graph.namespace, settling_time=0.5, **prefix),
    ):
        graph.connected()
        head = Action(graph, MoveHead, "move_head")
        wait_until(lambda: head.do(angle=-0.15)[0] == "succeeded", "the head does not move")
        yield Scene(emulator, graph)


def points_of(scan: LaserScan) -> np.ndarray:
    """Return the places of what a scan met, (n, 2)."""
    ranges = np.array(scan.ranges)
    bearings = scan.angle_min + scan.angle_increment * np.arange(len(ranges))
    met = np.isfinite(ranges)
    return np.column_stack((np.cos(bearings), np.sin(bearings)))[met] * ranges[met, None]


@pytest.mark.covers("scan", "obstacles")
def test_scan_and_obstacles_meet_the_edge_of_the_table_and_the_cube(scene: Scene) -> None:
    message = scene.graph.listen(LaserScan, "scan").wait_for(
        lambda m: len(points_of(m)) > 15 and m.range_max > 0.3
    )
    assert message.header.frame_id == "one/base_footprint"
    assert 0.05 < message.range_min < 0.12
    # The cube tells how the camera is mounted: before that less is looked at.
    assert message.range_max <= 0.4
    points = points_of(message)
    right = points[points[:, 1] < BESIDE]
    assert np.abs(np.median(right[:, 0]) - (EDGE - BASE)) < OFF
    ahead = points[np.abs(points[:, 1] - CUBE[1]) < 0.01, 0].min() + BASE
    assert -SHADOW - 0.01 < ahead - (CUBE[0] - 0.022) < 0.01
    cloud = scene.graph.listen(PointCloud2, "obstacles").wait_for(lambda m: m.width > 80)
    assert cloud.header.frame_id == "one/base_footprint"
    assert [field.name for field in cloud.fields] == ["x", "y", "z"]
    x, y, z = np.frombuffer(bytes(cloud.data), np.float32).reshape(-1, 3).T
    assert np.abs(np.median(x[y < BESIDE]) - (EDGE - BASE)) < OFF
    assert (z > 0.0).all()


def cell(grid: OccupancyGrid, x: float, y: float) -> int:
    info = grid.info
    column, row = (
        math.floor((value - low) / info.resolution)
        for value, low in ((x, info.origin.position.x), (y, info.origin.position.y))
    )
    return int(grid.data[row * info.width + column])


@pytest.mark.covers("map_memory")
def test_the_map_has_what_was_seen_driven_on_and_met(scene: Scene) -> None:
    # The places of the map are those of odom, which begins where the robot does.
    start = scene.graph.listen(Odometry, "odom").wait_for(lambda _: True).pose.pose.position.x
    edge = start + EDGE - BASE
    maps = scene.graph.listen(OccupancyGrid, "map_memory", LATCHED)

    def at_edge(grid: OccupancyGrid, y: float) -> int:
        return max(cell(grid, edge + step, y) for step in (-OFF, -0.01, 0.0, 0.01, OFF))

    def is_clear_up_to_edge(grid: OccupancyGrid) -> bool:
        return at_edge(grid, BESIDE) == SEEN_EDGE and cell(grid, start + 0.2, 0.7 * BESIDE) == 0

    grid = maps.wait_for_latest(is_clear_up_to_edge)
    assert grid.header.frame_id == "one/odom"
    assert grid.info.resolution == pytest.approx(0.01)
    assert cell(grid, start, 0.0) == 0
    assert cell(grid, start, 0.2) == cell(grid, edge + 0.1, 0.0) == -1
    scene.graph.listen(ObjectStates, "object_states", LATCHED).wait_for(
        lambda m: any(one.state != ObjectState.UNKNOWN for one in m.objects)
    )
    maps.wait_for_latest(lambda m: cell(m, start + CUBE[0] - BASE, CUBE[1]) == OCCUPIED)
    assert scene.do(DriveDistance, "drive_distance", distance=0.4, speed=0.08) == "aborted"
    # The cliff sensor is 25 mm ahead of base_footprint.
    maps.wait_for_latest(
        lambda m: cell(m, start + EDGE - 0.02, 0.0) == 0 and at_edge(m, -0.02) == OCCUPIED
    )


def test_a_robot_that_was_carried_knows_only_the_edge_that_it_meets_then(scene: Scene) -> None:
    maps = scene.graph.listen(OccupancyGrid, "map_memory", LATCHED)
    maps.wait_for(lambda m: OCCUPIED in m.data)
    # What the camera sees is no edge for now.
    blind = SetVisionModes.Request(disable=["ground", "markers"])
    assert scene.graph.call(SetVisionModes, "set_vision_modes", blind).success
    statuses = scene.graph.listen(RobotStatus, "status")
    scene.emulator.call(lambda f: f.ground.pick_up())
    statuses.wait_for_latest(lambda m: m.off_treads_state == RobotStatus.IN_AIR)
    scene.emulator.call(lambda f: f.ground.put_down(Pose2D(100.0, -50.0)))
    statuses.wait_for_latest(lambda m: m.off_treads_state == RobotStatus.ON_TREADS)
    maps.wait_for_latest(lambda m: OCCUPIED not in m.data)
    assert scene.do(DriveDistance, "drive_distance", distance=0.3, speed=0.06) == "aborted"
    grid = maps.wait_for_latest(lambda m: OCCUPIED in m.data)
    # As wide as the robot.
    assert 5 <= list(grid.data).count(OCCUPIED) <= 14
