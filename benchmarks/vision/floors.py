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
from cozmo_driver.vision.camera import Camera
from cozmo_driver.vision.ground import FARTHEST, GroundEdges
from cozmo_driver.world_model.frames import camera_pose
from cozmo_driver.world_model.visibility import Lens, own_outlines

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

WORLDS = ("table", "room", "maze")
LENS = Camera(294.716, 294.899, 143.163, 117.454)
"""Of the emulator."""
_HEADS, _LIFT = (-0.3, 0.0), math.asin((32.0 - 45.0) / 66.0)
"""rad."""
_AWAY, _ASIDE = (90.0, 330.0), 0.4
"""mm and rad: how the robot is put before the things of a world."""
_SAME = 0.002
"""Share by which the depth of a pixel differs from the floor's where something else is seen: less
than from one row to the next."""
_OFF = 0.010
"""m by which an edge may be off, and a clear floor may reach beyond what ends it, or two rows."""
_NEAR, _FAR = 0.10, 0.25
"""m: edges that are judged; nearer ones are at the picture's rim, of farther ones a row is 5 mm."""
_INVENTED = 0.35
"""m; farther away an edge that is seen may be a true one just out of reach."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A robot before something in a world, and what it sees without noise."""

    picture: Gray
    head: float
    pose: Floats
    """Of the optical frame."""
    hidden: list[Floats]
    """Outlines of the lift."""
    rows: Floats
    """Of the first pixel from below that is not floor, less a half; NaN where there is none."""


def places(name: str, count: int, seed: int, has_pattern: bool = False) -> Iterator[Place]:
    """Yield places in a world, by default without patterns on its floors."""
    random = np.random.default_rng(seed)
    layout = replace(load_layout(find_world(name)), charger=None)
    world = World(layout if has_pattern else _plain(layout), ideal=True)
    robot = Firmware(EmulatorOptions(ideal=True), 0.0, world)
    renderer = Renderer(world)
    for where in _positions(world, count, random):
        head = float(random.uniform(*_HEADS))
        robot.joints.head.angle, robot.joints.lift.angle = head, _LIFT
        robot.body.carry_to(where)
        pose = camera_pose(np.eye(4), head)
        own = own_outlines(head, _LIFT, Lens(LENS.fx, LENS.fy, LENS.cx, LENS.cy))
        picture = robot.camera.preview()
        assert picture is not None
        yield Place(picture, head, pose, own, _true_rows(world, renderer, robot, pose))


@dataclass(slots=True)
class Verdicts:
    """Of the columns of many pictures."""

    ended: int = 0
    """Columns whose floor ends within reach."""
    too_far: int = 0
    """Of them: clear beyond its end."""
    near: int = 0
    """Columns whose floor ends 100 to 250 mm ahead, not behind the lift."""
    found: int = 0
    """Of them: an edge seen there."""
    unknown: int = 0
    """Of them: neither an edge nor clear."""
    open: int = 0
    """Columns whose floor does not end within reach."""
    clear: int = 0
    """Of them: seen to be clear."""
    invented: int = 0
    """Of them: with an edge."""

    def add(self, place: Place, edges: GroundEdges) -> None:
        """Judge what was found in a picture of a place."""
        columns = np.arange(len(place.rows))
        ends = _ranges(place.rows, place.pose)
        two_rows = _ranges(place.rows - 2.0, place.pose) - ends
        starts, clear, seen = (
            np.hypot(*one.T) for one in (edges.starts, edges.clear, edges.points)
        )
        inner = (columns > 0) & (columns < columns[-1])
        is_ended = np.isfinite(place.rows) & inner
        beyond = np.fmax(ends, starts) + np.maximum(_OFF, np.nan_to_num(two_rows))
        self.ended += int(is_ended.sum())
        self.too_far += int((is_ended & (clear > beyond)).sum())
        is_near = is_ended & (ends >= _NEAR) & (ends <= _FAR) & (starts <= ends)
        self.near += int(is_near.sum())
        self.found += int((is_near & (np.abs(seen - ends) <= _OFF)).sum())
        self.unknown += int((is_near & np.isnan(clear)).sum())
        is_open = inner & ~is_ended & np.isfinite(edges.starts[:, 0])
        self.open += int(is_open.sum())
        self.clear += int((is_open & np.isnan(seen) & np.isfinite(clear)).sum())
        self.invented += int((is_open & (seen < _INVENTED)).sum())

    def __str__(self) -> str:
        """Return the row of a table."""
        shares = (
            (self.too_far, self.ended),
            (self.found, self.near),
            (self.unknown, self.near),
            (self.clear, self.open),
            (self.invented, self.open),
        )
        return " | ".join(f"{100.0 * part / max(whole, 1):.1f}" for part, whole in shares)


def _ranges(rows: Floats, pose: Floats) -> Floats:
    """Return how far away the floor is in a row of each column; NaN where there is none."""
    columns = np.arange(len(rows))
    points = LENS.on_ground(np.column_stack((columns, np.nan_to_num(rows, nan=1e4))), pose)
    return np.where(np.isnan(rows), np.nan, np.hypot(*points.T))


def _positions(world: World, count: int, random: np.random.Generator) -> Iterator[Pose2D]:
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


def _plain(layout: Layout) -> Layout:
    """Return a world whose floors are of one gray."""
    gray = layout.floors[0].gray
    floors = (replace(floor, pattern=Pattern.PLAIN, gray=gray) for floor in layout.floors)
    return replace(layout, floors=tuple(floors))


def _true_rows(world: World, renderer: Renderer, robot: Firmware, pose: Floats) -> Floats:
    """Return ``Place.rows``. The robot's own lift is not in the way."""
    stance = replace(robot.stance(), lift=math.radians(45.0))
    frame = renderer.draw([stance], world.occupants[0])
    height, width = frame.nearness.shape
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
    rays = np.column_stack((LENS.directions(grid), np.ones(len(grid)))) @ pose[:3, :3].T
    floor = np.maximum(-rays[:, 2], 0.0).reshape(height, width) / (1e3 * pose[2, 3])
    ahead = LENS.on_ground(grid, pose)[:, 0].reshape(height, width)
    other = (np.abs(frame.nearness - floor) > _SAME * floor) & (ahead <= FARTHEST)
    first = height - 1 - other[::-1].argmax(axis=0)
    return np.where(other.any(axis=0), first + 0.5, np.nan)
