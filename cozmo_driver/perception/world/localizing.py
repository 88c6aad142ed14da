"""Localising on cubes: where odom is in map, by cubes that stayed where they are (spec 15 §5).

odom never jumps: what wheels and gyro lost is in ``map_from_odom``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .frames import Matrix, angle_between, inverse, pose, yaw_of
from .objects import CUBE_EDGE, TAP_SETTLES, Kind, PoseState, TrackedObject
from .placing import Placement
from .pose_history import StampedState

RESTING_FLAT = math.radians(5.0)
"""What seems to be tilted by more is seen badly, or leans."""
_STOOD, _STOOD_ANGLE = 0.001, math.radians(1.0)
"""m; a robot that moved by less since a cube was seen did not move."""
_MOVED, _MOVED_ANGLE = 0.005, math.radians(8.0)
"""m; a cube that is seen elsewhere by more from the same place was moved."""
_ALIKE = 0.7
"""Cosine between two directions of what lies on the same side."""


@dataclass(slots=True)
class _Anchor:
    """A cube in map, and where it was last seen in odom since the robot stopped."""

    in_map: Matrix
    seen: Matrix
    seen_from: StampedState
    corrects: bool = False
    """Whether odom is corrected by these sightings; else the cube is placed in map by them."""


def correction(anchor_in_map: Matrix, seen_in_odom: Matrix) -> Matrix:
    """Return the pose of odom in map, flat, that puts what was seen where it is in map."""
    yaw = yaw_of(anchor_in_map) - yaw_of(seen_in_odom)
    turned = pose(0.0, 0.0, 0.0, yaw)
    shift = anchor_in_map[:2, 3] - (turned[:2, :2] @ seen_in_odom[:2, 3])
    return pose(float(shift[0]), float(shift[1]), 0.0, yaw)


class CubeLocalizer:
    """Remembers where cubes are in map, and corrects odom when they are seen again."""

    def __init__(self) -> None:
        self.map_from_odom: Matrix = np.eye(4)
        self._anchors: dict[str, _Anchor] = {}

    def on_cube(self, name: str, seen: Matrix, robot: StampedState, is_usable: bool) -> bool:
        """Update from a cube that was seen well, in odom; return whether odom was corrected.

        A robot that stood still since sees a cube elsewhere because the cube was moved; else more
        sightings make both, the cube or the correction, more exact.
        """
        anchor = self._anchors.get(name)
        if anchor is None:
            self._place(name, seen, robot)
            return False
        if not _stood_still(anchor.seen_from, robot):
            if not is_usable:
                self._place(name, seen, robot)
                return False
            anchor = _Anchor(anchor.in_map, seen, robot, corrects=True)
            self._anchors[name] = anchor
        elif _differ(anchor.seen, seen):
            self._place(name, seen, robot)
            return False
        else:
            anchor.seen = seen
        if anchor.corrects:
            self.map_from_odom = correction(anchor.in_map, anchor.seen)
        else:
            anchor.in_map = self.map_from_odom @ anchor.seen
        return anchor.corrects

    def _place(self, name: str, seen: Matrix, robot: StampedState) -> None:
        self._anchors[name] = _Anchor(self.map_from_odom @ seen, seen, robot)

    def forget(self, name: str) -> None:
        """Forget a cube that is no longer where it was."""
        self._anchors.pop(name, None)


def shift_of(before: Matrix, after: Matrix) -> Matrix:
    """Return what moves places in odom when ``map_from_odom`` changes: they stay in map."""
    return inverse(after) @ before


def has_stayed(thing: TrackedObject, seen: Placement, stamp: float) -> bool:
    """Whether a cube that is seen is still where it was: its radio would have told."""
    return (
        thing.state is PoseState.KNOWN
        and thing.pose is not None
        and thing.is_watched
        and stamp - thing.tapped_at >= TAP_SETTLES
        and thing.model.kind is Kind.CUBE
        and lies_alike(thing.pose, seen.pose)
    )


def lies_alike(before: Matrix, after: Matrix) -> bool:
    """Whether a cube lies on the same side, and as high, so that it was turned and shifted only."""
    is_level = abs(float(after[2, 3] - before[2, 3])) < CUBE_EDGE / 2
    return is_level and float(before[2, :3] @ after[2, :3]) > _ALIKE


def _stood_still(before: StampedState, now: StampedState) -> bool:
    distance, turn = now.motion_since(before)
    return before.origin == now.origin and distance <= _STOOD and abs(turn) <= _STOOD_ANGLE


def _differ(a: Matrix, b: Matrix) -> bool:
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3])) > _MOVED or angle_between(a, b) > _MOVED_ANGLE
