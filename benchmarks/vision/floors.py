"""Where the floor ahead ends: what is seen of it in the emulator's worlds, and the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import Layout, World, find_world, load_layout
from cozmo_driver.emulator.world.layout import Pattern, robot_shape
from cozmo_driver.emulator.world.renderer import Renderer
from cozmo_driver.media import mini_jpeg
from cozmo_driver.vision.camera import Camera
from cozmo_driver.vision.ground import FARTHEST, NEAREST, ground_edges
from cozmo_driver.vision.markers import CUBE, MarkerDetector
from cozmo_driver.world_model.frames import camera_pose
from cozmo_driver.world_model.visibility import Lens, own_outlines

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

WORLDS = ("table", "room", "maze")
VISIBLE = 30.0
"""Gray levels between the floor and what ends it."""
_HEAD, _LIFT = -0.2, math.asin((32.0 - 45.0) / 66.0)
_LENS = Camera(294.716, 294.899, 143.163, 117.454)
"""Of the emulator."""
_OWN = own_outlines(_HEAD, _LIFT, Lens(_LENS.fx, _LENS.fy, _LENS.cx, _LENS.cy))
_AWAY, _ASIDE = (150.0, 330.0), 0.4
"""mm and rad: how the robot is put before the things of a world."""
_INVENTED = 0.35
"""m; farther away an edge that is seen may be a true one just out of reach."""
_SAME = 0.002
"""Share by which the depth of a pixel differs from the floor's where something else is seen: less
than from one row to the next."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Of the columns in which the floor ends 100 to 250 mm from ``base_footprint``; m."""

    true: Floats
    seen: Floats
    """NaN where no edge was seen."""
    contrast: Floats
    """Gray levels at the true edge."""
    is_unknown: Bools
    """Where neither an edge was seen nor the floor up to the true one."""
    is_invented: Bools
    """Of the columns that are clear to 0.40 m: whether an edge was seen nearer than 0.35 m."""

    def share(self, visible: float = 0.0) -> float:
        """Return how many of the columns with so much contrast are right within 10 mm."""
        chosen = self.contrast >= visible
        return float(np.mean(np.abs(self.seen - self.true)[chosen] <= 0.01))


def edges_of(name: str, count: int, seed: int, has_pattern: bool = False) -> Edges:
    """Return what is seen of a world from so many places, by default without floor patterns.

    A pattern's edges come first: they are no less edges than those of things.
    """
    random = np.random.default_rng(seed)
    layout = replace(load_layout(find_world(name)), charger=None)
    world = World(layout if has_pattern else _plain(layout))
    robot, renderer = Firmware(EmulatorOptions(), 0.0, world), Renderer(world)
    robot.joints.head.angle, robot.joints.lift.angle = _HEAD, _LIFT
    pose, columns = camera_pose(np.eye(4), _HEAD), np.arange(mini_jpeg.WIDTH)
    detector = MarkerDetector()
    found = []
    for place in _places(world, count, random):
        robot.body.carry_to(place)
        clear = robot.camera.preview()
        assert clear is not None
        rows = _true_rows(world, renderer, robot, pose)
        points = _LENS.on_ground(np.column_stack((columns, np.nan_to_num(rows))), pose)
        ranges = np.where(np.isnan(rows), np.nan, np.hypot(*points.T))
        taken = mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture()))
        markers = [one.corners for one in detector.detect(taken) if one.family == CUBE]
        edges = ground_edges(taken, _LENS, pose, _OWN, markers)
        is_looked_at = np.isfinite(edges.starts[:, 0]) & (columns > 0) & (columns < columns[-1])
        # What ends the floor behind the lift is out of sight.
        is_in_sight = is_looked_at & (ranges >= np.hypot(*edges.starts.T))
        inner = (ranges >= 0.10) & (ranges <= 0.25) & is_in_sight
        seen = np.hypot(*edges.points.T)
        is_unknown = np.isnan(seen) & ~(np.hypot(*edges.clear.T) >= ranges)
        invented = seen[np.isnan(ranges) & is_looked_at] < _INVENTED
        contrast = _contrast(clear, rows)
        found.append((*(one[inner] for one in (ranges, seen, contrast, is_unknown)), invented))
    return Edges(*map(np.concatenate, zip(*found, strict=True)))


def _places(world: World, count: int, random: np.random.Generator) -> Iterator[Pose2D]:
    """Return free places before walls, boxes, cubes and the floor's own edges."""
    corners = np.array(world.layout.floors[0].corners)
    targets = [point for solid in world.layout.solids for point in solid.shape.corners]
    targets += [(cube.pose.x, cube.pose.y) for cube in world.cubes.values()]
    targets += [tuple(corner) for corner in corners]
    while count:
        x, y = targets[random.integers(len(targets))] + random.normal(0.0, 30.0, 2)
        way, away = random.uniform(-math.pi, math.pi), random.uniform(*_AWAY)
        heading = way + math.pi + random.uniform(-_ASIDE, _ASIDE)
        place = Pose2D(x + away * math.cos(way), y + away * math.sin(way), heading)
        shape = robot_shape(place)
        is_on_floor = all(world.layout.floor_at(*corner) for corner in shape.corners)
        if is_on_floor and not world.hindrance(shape):
            count -= 1
            yield place


def _contrast(picture: Gray, rows: Floats) -> Floats:
    """Return the gray levels between three rows below an edge and three above."""
    columns, row = np.arange(len(rows)), np.nan_to_num(rows, nan=100.0).astype(int)
    below, above = (
        sum(picture[np.clip(row + step, 0, len(picture) - 1), columns].astype(float) for step in at)
        for at in ((2, 3, 4), (-1, -2, -3))
    )
    return np.abs(below - above) / 3


def _plain(layout: Layout) -> Layout:
    """Return a world whose floors are of one gray."""
    gray = layout.floors[0].gray
    floors = (replace(floor, pattern=Pattern.PLAIN, gray=gray) for floor in layout.floors)
    return replace(layout, floors=tuple(floors))


def _true_rows(world: World, renderer: Renderer, robot: Firmware, pose: Floats) -> Floats:
    """Return the row of the first pixel from below that is not floor, between it and the one below.

    NaN where there is none in reach. The robot's own lift is not in the way.
    """
    stance = replace(robot.stance(), lift=math.radians(45.0))
    frame = renderer.draw([stance], world.occupants[0])
    height, width = frame.nearness.shape
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
    rays = np.column_stack((_LENS.directions(grid), np.ones(len(grid)))) @ pose[:3, :3].T
    floor = np.maximum(-rays[:, 2], 0.0).reshape(height, width) / (1e3 * pose[2, 3])
    ahead = _LENS.on_ground(grid, pose)[:, 0].reshape(height, width)
    other = np.abs(frame.nearness - floor) > _SAME * floor
    other &= (ahead >= NEAREST) & (ahead <= FARTHEST)
    from_below = other[::-1]
    first = height - 1 - from_below.argmax(axis=0)
    return np.where(other.any(axis=0), first + 0.5, np.nan)
