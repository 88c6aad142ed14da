"""How far the floor ahead is clear: what is seen of it in the emulator's worlds, and the truth."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import Layout, World, find_world, load_layout
from cozmo_driver.emulator.world.layout import Pattern
from cozmo_driver.emulator.world.renderer import Renderer
from cozmo_driver.robot import camera_pose
from cozmo_driver.vision.camera import Camera
from cozmo_driver.vision.ground import FARTHEST, NEAREST, ground_edges

Floats = npt.NDArray[np.float64]
Gray = npt.NDArray[np.uint8]

WORLDS = ("table", "room", "maze")
HEAD = -0.2
_LENS = Camera(294.716, 294.899, 143.163, 117.454)
"""Of the emulator."""
_REACH = 180.0
"""mm from the start at which the robot is put down."""
_VISIBLE = 40.0
"""Gray levels."""
_SAME = 0.02
"""Share by which the depth of a pixel differs from the floor's where something else is seen."""


def errors(name: str, count: int, seed: int) -> tuple[Floats, Floats]:
    """Return of the columns with a visible edge from 100 to 250 mm: its range, and what was seen.

    m; NaN where no edge was seen.
    """
    random = np.random.default_rng(seed)
    world = World(_plain(load_layout(find_world(name))))
    robot = Firmware(EmulatorOptions(), 0.0, world)
    renderer = Renderer(world)
    start, pose = robot.body.world_pose, camera_pose(HEAD)
    true, seen = [], []
    for _ in range(count):
        x, y = random.uniform(-_REACH, _REACH, 2)
        heading = random.uniform(-math.pi, math.pi)
        robot.body.carry_to(Pose2D(start.x + x, start.y + y, heading))
        robot.joints.head.angle = HEAD
        picture = robot.camera.preview()
        assert picture is not None
        rows = _true_rows(world, renderer, robot, pose)
        columns = np.arange(len(rows))
        points = _LENS.on_ground(np.column_stack((columns, np.nan_to_num(rows))), pose)
        ranges = np.where(np.isnan(rows), np.nan, np.hypot(*points.T))
        edges = ground_edges(picture, _LENS, pose)
        inner = (ranges >= 0.10) & (ranges <= 0.25) & (columns > 0) & (columns < columns[-1])
        inner &= _contrast(picture, rows) >= _VISIBLE
        true.append(ranges[inner])
        seen.append(np.hypot(*edges.points.T)[inner])
    return np.concatenate(true), np.concatenate(seen)


def _contrast(picture: Gray, rows: Floats) -> Floats:
    """Return the gray levels between three rows below an edge and three above."""
    columns, row = np.arange(len(rows)), np.nan_to_num(rows, nan=100.0).astype(int)
    below, above = (
        sum(picture[np.clip(row + step, 0, len(picture) - 1), columns].astype(float) for step in at)
        for at in ((2, 3, 4), (-1, -2, -3))
    )
    return np.abs(below - above) / 3


def _plain(layout: Layout) -> Layout:
    """Return a world whose floors have no pattern: its edges would be those of the floor, too."""
    return replace(layout, floors=tuple(replace(f, pattern=Pattern.PLAIN) for f in layout.floors))


def _true_rows(world: World, renderer: Renderer, robot: Firmware, pose: Floats) -> Floats:
    """Return the row of the first pixel from below that is not floor, between it and the one below.

    NaN where there is none in reach.
    """
    frame = renderer.draw([robot.stance_in(0.0)], world.occupants[0])
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
