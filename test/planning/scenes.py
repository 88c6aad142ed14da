"""Tables of cubes, and whether a robot on them touches one, by the emulator's polygons."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from cozmo_driver.emulator.body import Pose2D as WorldPose
from cozmo_driver.emulator.world.polygons import Polygon, overlap, rectangle
from cozmo_driver.planning import ROBOT, Box, Footprint
from cozmo_driver.planning.obstacles import track
from cozmo_driver.robot import Pose2D, Segment

CUBE = 0.044


def cube(x: float, y: float, yaw: float = 0.0, name: str = "cube_1", **options: bool) -> Box:
    return Box(x, y, yaw, CUBE, CUBE, name, **options)


def table(seed: int, count: int = 10) -> tuple[Pose2D, Pose2D, list[Box]]:
    """Return a start, a goal 1 m away, and cubes between them that leave both free."""
    rng = random.Random(seed)
    start = Pose2D(0.0, 0.0, rng.uniform(-math.pi, math.pi))
    way = Pose2D(0.0, 0.0, rng.uniform(-math.pi, math.pi))
    end = way.compose(Pose2D(1.0))
    goal = Pose2D(end.x, end.y, rng.uniform(-math.pi, math.pi))
    boxes: list[Box] = []
    while len(boxes) < count:
        at = way.compose(Pose2D(rng.uniform(0.05, 0.95), rng.uniform(-0.2, 0.2)))
        if min(math.hypot(at.x, at.y), math.hypot(at.x - goal.x, at.y - goal.y)) > 0.12:
            boxes.append(cube(at.x, at.y, rng.uniform(-math.pi, math.pi), f"cube_{len(boxes)}"))
    return start, goal, boxes


def tight_corner() -> tuple[Pose2D, list[Box]]:
    """Return a goal that only a corner leads to from the origin, too narrow for any turn in it.

    All of the large room before it is searched.
    """
    corners = ((-0.25, -0.25, -0.25, 1.8), (-0.25, -0.25, 1.28, -0.25), (-0.25, 1.8, 1.0, 1.8))
    corners += ((1.0, 0.045, 1.0, 1.8), (1.0, -0.25, 1.0, -0.045))
    corners += ((1.0, 0.045, 1.2, 0.045), (1.0, -0.045, 1.29, -0.045))
    corners += ((1.2, 0.045, 1.2, 0.6), (1.29, -0.045, 1.29, 0.6))
    walls = [
        Box((x + u) / 2, (y + v) / 2, 0.0, max(u - x, 0.01), max(v - y, 0.01), f"wall_{number}")
        for number, (x, y, u, v) in enumerate(corners)
    ]
    return Pose2D(2.0, 1.8, 0.0), walls


def touched(
    segments: Sequence[Segment], start: Pose2D, boxes: Sequence[Box], size: Footprint = ROBOT
) -> list[str]:
    """Return the names of the boxes that the robot touches on its way."""
    shapes = {box.name: _shape(Pose2D(box.x, box.y, box.yaw), _half(box)) for box in boxes}
    poses = [Pose2D(*map(float, row)) for row in track(segments, start)]
    robots = [_shape(pose, size) for pose in poses]
    return [name for name, shape in shapes.items() if any(overlap(r, shape) for r in robots)]


def _half(box: Box) -> Footprint:
    return Footprint(box.length / 2, box.length / 2, box.width / 2)


def _shape(pose: Pose2D, size: Footprint) -> Polygon:
    place = WorldPose(pose.x * 1000, pose.y * 1000, pose.yaw)
    return rectangle(place, size.front * 1000, size.rear * 1000, size.half_width * 1000)
