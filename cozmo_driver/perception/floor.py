"""Where the floor ahead ends, and the map of what the robot drove on, met and saw."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from ..media import IMAGE_HEIGHT, IMAGE_WIDTH
from .detection.camera import Camera
from .detection.ground import GroundEdges, GroundScan, ground_edges, ground_scan
from .world.camera_tracker import SURE
from .world.frames import moved
from .world.memory_map import Grid, MemoryMap
from .world.objects import LocatedObject
from .world.pose_history import StampedState
from .world.visibility import own_outlines

_THINNED = 4
"""Columns of an image for each that is drawn into the map."""
EDGES_PERIOD = 0.2
"""s between two images that are."""
_MOVED, _TURNED = 0.004, 0.1
_RESTED = 60.0
"""m, rad and s after which the ground under the robot is marked again."""


class FloorMap:
    """Remembers the ground, in odom as it is since the robot was carried for the last time."""

    def __init__(self) -> None:
        self._memory = MemoryMap()
        self._last: StampedState | None = None
        self._marked: StampedState | None = None
        self._drawn_at = -math.inf

    def on_robot(self, state: StampedState) -> None:
        """Mark the ground under the robot, and the edge it stands at."""
        last, self._last = self._last, state
        if last is not None and (last.origin != state.origin or state.stamp < last.stamp):
            # It was carried, or a recording begins again.
            self._memory.clear()
            self._marked = None
        if not state.is_on_treads:
            return
        if state.is_at_cliff and not (last is not None and last.is_at_cliff):
            self._memory.on_cliff(state.base)
        if _is_elsewhere(state, self._marked):
            self._marked = state
            self._memory.on_robot(state.base, state.stamp)

    def is_due(self, stamp: float) -> bool:
        """Whether to draw what an image shows of the ground: a few times a second."""
        if 0.0 <= stamp - self._drawn_at < EDGES_PERIOD:
            return False
        self._drawn_at = stamp
        return True

    def on_edges(self, edges: GroundEdges, state: StampedState) -> None:
        """Draw an image's edges."""
        parts = (edges.starts, edges.clear, edges.points)
        starts, clear, points = (moved(state.base, one[::_THINNED]) for one in parts)
        is_edge = np.repeat((False, True), len(points))
        starts, ends = np.concatenate((starts, points)), np.concatenate((clear, points))
        self._memory.on_ground(starts, ends, is_edge, state.stamp)

    def grid(self, now: float, objects: Sequence[LocatedObject] = ()) -> Grid:
        """Return the map, with objects where they stand."""
        return self._memory.grid(now, objects)


def find_floor(
    gray: npt.NDArray[np.uint8], camera: Camera, state: StampedState
) -> tuple[GroundEdges, GroundScan] | None:
    """Return where the floor ends in an image taken in a state; None where it is out of sight."""
    camera = camera.scaled_to(IMAGE_WIDTH, IMAGE_HEIGHT)
    if gray.shape != (IMAGE_HEIGHT, IMAGE_WIDTH):
        size = IMAGE_WIDTH, IMAGE_HEIGHT
        gray = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    doubt = state.pitch_deviation
    own = own_outlines(state.head, state.lift, camera, state.is_carrying, state.mount, doubt)
    edges = ground_edges(gray, camera, state.view, own, doubt=SURE * doubt)
    scan = ground_scan(edges)
    return None if scan is None else (edges, scan)


def _is_elsewhere(state: StampedState, marked: StampedState | None) -> bool:
    if marked is None:
        return True
    distance, turn = state.motion_since(marked)
    return distance >= _MOVED or abs(turn) >= _TURNED or state.stamp - marked.stamp >= _RESTED
