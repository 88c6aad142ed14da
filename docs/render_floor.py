"""``python -m docs.render_floor [FILE]``: where two floors end, and the map of one."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.emulator.world.layout import Pattern
from cozmo_driver.media import mini_jpeg
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.ground import GroundEdges, ground_edges
from cozmo_driver.perception.world.frames import camera_pose, pose
from cozmo_driver.perception.world.memory_map import FREE, OCCUPIED, SEEN_EDGE, UNKNOWN, MemoryMap
from cozmo_driver.perception.world.visibility import own_outlines

IMAGE = Path(__file__).parent / "images" / "vision_floor.png"
_CAMERA = Camera(294.716, 294.899, 143.163, 117.454)
"""Of the emulator."""
_HEAD, _LIFT = -0.15, -0.198
_COLORS = 64
_EDGE = (255, 70, 40)
_GRAYS = {UNKNOWN: 128, FREE: 235, SEEN_EDGE: 70, OCCUPIED: 20}
_AROUND = 0.42
"""m of the map to each side."""

Picture = npt.NDArray[np.uint8]


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_floor", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=IMAGE, help=f"default: {IMAGE}")
    plain, wood = (_robot(pattern) for pattern in (Pattern.PLAIN, Pattern.WOOD))
    panels = [_drawn(*_look(robot, 0.0)) for robot in (plain, wood)]
    sheet = np.hstack([*panels, _map(plain, panels[0].shape[0])])
    image = Image.fromarray(sheet).quantize(_COLORS)
    image.save(parser.parse_args().file, optimize=True)


def _robot(pattern: Pattern) -> Firmware:
    layout = load_layout(find_world("table"))
    floors = tuple(replace(floor, pattern=pattern) for floor in layout.floors)
    world = World(replace(layout, floors=floors, charger=None))
    robot = Firmware(EmulatorOptions(variation=Variation()), 0.0, world)
    robot.joints.head.angle, robot.joints.lift.angle = _HEAD, _LIFT
    return robot


def _look(robot: Firmware, yaw: float) -> tuple[Picture, GroundEdges]:
    robot.body.carry_to(Pose2D(0.0, 0.0, yaw))
    picture = mini_jpeg.picture(mini_jpeg.to_jpeg(robot.camera.take_picture()))
    own = own_outlines(_HEAD, _LIFT, _CAMERA)
    return picture, ground_edges(picture, _CAMERA, camera_pose(np.eye(4), _HEAD), own)


def _drawn(picture: Picture, edges: GroundEdges) -> Picture:
    """Return a picture twice its size, with a dot where the floor ends in each column."""
    drawn = np.stack([picture.repeat(2, 0).repeat(2, 1)] * 3, axis=-1)
    for column in np.flatnonzero(np.isfinite(edges.rows)):
        row = round(2 * edges.rows[column])
        drawn[row - 1 : row + 3, 2 * column : 2 * column + 2] = _EDGE
    return drawn


def _map(robot: Firmware, size: int) -> Picture:
    """Return what is known after a turn on the spot, x upwards."""
    known = MemoryMap()
    for yaw in np.arange(-math.pi, math.pi, 0.1):
        _, edges = _look(robot, yaw)
        base = pose(-0.02 * math.cos(yaw), -0.02 * math.sin(yaw), 0.0, yaw)
        starts, ends = (one @ base[:2, :2].T + base[:2, 3] for one in (edges.starts, edges.clear))
        known.on_robot(base, 0.0)
        known.on_ground(starts, ends, np.isfinite(edges.rows), 0.0)
    grid = known.grid(0.0)
    at = np.arange(-_AROUND, _AROUND, grid.resolution)
    column, row = (np.floor((at - low) / grid.resolution).astype(int) for low in grid.origin)
    cells = grid.cells[np.ix_(row, column)].T[::-1, ::-1]
    gray = np.vectorize(_GRAYS.get)(cells).astype(np.uint8)
    image = Image.fromarray(gray).resize((size, size), Image.Resampling.NEAREST)
    return np.asarray(image.convert("RGB"))


if __name__ == "__main__":
    main()
