"""Rectangles on the floor, and how far the robot stays away from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..robot import Line, Pose2D, Segment, Turn

Floats = npt.NDArray[np.floating[Any]]

HARD = 0.003
"""Nearer than this to an obstacle the robot is not planned, m."""
SOFT = 0.013
"""Nearer than this a path costs more (spec 16 §5: 6 mm around obstacles, 7 mm around the robot)."""
_STEP = 0.005
_AHEAD = 60
"""Poses of a path among which the robot's is looked for."""
TREAD = 0.024
"""From the drive center to a tread, m: turns take as long as the outer one (spec 16 §5)."""
_ANGLE_STEP = math.radians(4.0)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in the way, ``length`` along ``yaw``. Raises ``ValueError`` for none."""

    x: float
    y: float
    yaw: float
    length: float
    width: float
    name: str = ""
    """For people."""
    is_soft: bool = False
    """It is driven over where everything else takes longer."""

    def __post_init__(self) -> None:
        values = (self.x, self.y, self.yaw, self.length, self.width)
        if not all(map(math.isfinite, values)) or min(self.length, self.width) < 0.0:
            raise ValueError(f"an obstacle has a finite place and size, not {values}")


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle about the drive center: ahead of it, behind, and to either side."""

    front: float
    rear: float
    half_width: float

    @property
    def middle(self) -> float:
        return (self.front - self.rear) / 2

    @property
    def half_length(self) -> float:
        return (self.front + self.rear) / 2

    @property
    def reach(self) -> float:
        return math.hypot(max(self.front, self.rear), self.half_width)

    def grown(self, by: float) -> Footprint:
        return Footprint(self.front + by, self.rear + by, self.half_width + by)


ROBOT = Footprint(0.0521, 0.0359, 0.030)
"""With its lift down (spec 13 §2)."""
CARRYING = Footprint(0.075, 0.0359, 0.030)
"""With a cube on its raised lift (spec 16 §3.4)."""


def box_distances(
    x: Floats | float, y: Floats | float, yaw: Floats | float, boxes: Floats, footprint: Footprint
) -> Floats:
    """Return at most the distance from the robot to boxes, negative where they overlap.

    Poses and boxes (``columns``) are broadcast: (n, 1) poses and m boxes give (n, m).
    """
    bx, by, angle, half_l, half_w = boxes
    cos, sin = np.cos(yaw), np.sin(yaw)
    dx, dy = bx - x - footprint.middle * cos, by - y - footprint.middle * sin
    c, s = np.abs(np.cos(yaw - angle)), np.abs(np.sin(yaw - angle))
    box_cos, box_sin = np.cos(angle), np.sin(angle)
    front, side = footprint.half_length, footprint.half_width
    # Separating axes: the robot's two and the box's two.
    distance = np.abs(dx * cos + dy * sin) - (front + half_l * c + half_w * s)
    for other in (
        np.abs(dy * cos - dx * sin) - (side + half_l * s + half_w * c),
        np.abs(dx * box_cos + dy * box_sin) - (half_l + front * c + side * s),
        np.abs(dy * box_cos - dx * box_sin) - (half_w + front * s + side * c),
    ):
        np.maximum(distance, other, out=distance)
    return distance  # type: ignore[no-any-return]


def clearance(poses: Floats, boxes: Floats, footprint: Footprint) -> Floats:
    """Return how far each pose, (n, 3), is from the nearest box (``columns``), (n,)."""
    if not boxes.size:
        return np.full(len(poses), math.inf)
    x, y, yaw = (poses[:, i : i + 1] for i in range(3))
    nearest: Floats = box_distances(x, y, yaw, boxes, footprint).min(axis=1)
    return nearest


def track(segments: Iterable[Segment], start: Pose2D) -> Floats:
    """Return poses along segments, (n, 3), near enough to each other that nothing is between."""
    rows, yaw = [np.array([[start.x, start.y, start.yaw]])], start.yaw
    for segment in segments:
        rows.append(along(segment, yaw))
        yaw = segment.end_heading
    return np.concatenate(rows)


def first_hit(
    segments: Iterable[Segment],
    start: Pose2D,
    boxes: Sequence[Box],
    footprint: Footprint = ROBOT,
    padding: float = HARD / 3,
) -> Box | None:
    """Return the first obstacle on the path from ``start`` along segments, None if it is free."""
    return _first_hit(track(segments, start), boxes, footprint, padding)


def _first_hit(
    poses: Floats, boxes: Sequence[Box], footprint: Footprint, padding: float
) -> Box | None:
    hard = [box for box in boxes if not box.is_soft]
    if not hard:
        return None
    x, y, yaw = (poses[:, i : i + 1] for i in range(3))
    hits = np.argwhere(box_distances(x, y, yaw, columns(hard), footprint) < padding)
    return hard[int(hits[0, 1])] if len(hits) else None


def remaining(
    segments: Iterable[Segment], start: Pose2D, footprint: Footprint = ROBOT
) -> Callable[[Pose2D, Sequence[Box]], Box | None]:
    """Return what tells the first obstacle on the rest of a path, by where the robot is on it."""
    poses = track(segments, start)
    behind = 0

    def first(here: Pose2D, boxes: Sequence[Box]) -> Box | None:
        nonlocal behind
        ahead = poses[behind : behind + _AHEAD]
        away = np.hypot(ahead[:, 0] - here.x, ahead[:, 1] - here.y)
        away += TREAD * np.abs(np.remainder(ahead[:, 2] - here.yaw + np.pi, 2 * np.pi) - np.pi)
        behind += int(away.argmin())
        return _first_hit(poses[behind:], boxes, footprint, HARD / 3)

    return first


def boxes_of_grid(
    occupied: npt.NDArray[np.bool_],
    origin: tuple[float, float],
    resolution: float,
    is_soft: bool = False,
) -> list[Box]:
    """Return rectangles that cover the occupied cells, rows upwards from ``origin``."""
    left = occupied.copy()
    boxes = []
    for row, column in np.argwhere(occupied):
        if not left[row, column]:
            continue
        width = _run(left[row, column:])
        height = _run(left[row:, column : column + width].all(axis=1))
        left[row : row + height, column : column + width] = False
        boxes.append(
            Box(
                origin[0] + (column + width / 2) * resolution,
                origin[1] + (row + height / 2) * resolution,
                0.0,
                width * resolution,
                height * resolution,
                "a place on the map",
                is_soft,
            )
        )
    return boxes


def _run(cells: npt.NDArray[np.bool_]) -> int:
    return len(cells) if cells.all() else int(cells.argmin())


def columns(boxes: Sequence[Box]) -> Floats:
    """Return the boxes as an array, (5, m): place, yaw, half of length and width."""
    rows = [(box.x, box.y, box.yaw, box.length / 2, box.width / 2) for box in boxes]
    array: Floats = np.array(rows, np.float64).reshape(-1, 5).T
    return array


def along(segment: Segment, yaw: float) -> Floats:
    """Return poses along a segment that the robot begins with a heading, (n, 3)."""
    if isinstance(segment, Turn):
        sweep = math.remainder(segment.target_angle - yaw, 2 * math.pi)
        poses = np.empty((math.ceil(abs(sweep) / _ANGLE_STEP) + 1, 3))
        poses[:, :2] = segment.center
        poses[:, 2] = np.linspace(yaw, yaw + sweep, len(poses))
        return poses
    if isinstance(segment, Line):
        share = _shares(segment.length, 0.0)
        (x0, y0), (x1, y1) = segment.start, segment.end
        heading = np.full_like(share, segment.start_heading)
        return np.column_stack((x0 + share * (x1 - x0), y0 + share * (y1 - y0), heading))
    share = _shares(segment.length, segment.sweep_angle)
    angle = segment.start_angle + share * segment.sweep_angle
    return np.column_stack(
        (
            segment.center[0] + segment.radius * np.cos(angle),
            segment.center[1] + segment.radius * np.sin(angle),
            segment.start_heading + share * segment.sweep_angle,
        )
    )


def _shares(length: float, angle: float) -> Floats:
    steps = max(length / _STEP, abs(angle) / _ANGLE_STEP)
    return np.linspace(0.0, 1.0, math.ceil(steps) + 1)
