"""What stands on what, and where the robot stands in something (spec 15 §3.2)."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from .frames import ORIGIN_X, Matrix, moved
from .objects import TrackedObject
from .pose_history import StampedState

ON_TOP = 0.015
"""m between an upper object's bottom and a lower one's top."""
_ROBOT = np.array([[0.0321, 0.030], [0.0321, -0.030], [-0.0559, -0.030], [-0.0559, 0.030]])
_ROBOT_HEIGHT = 0.0677


def is_on_top(upper: TrackedObject, lower: TrackedObject) -> bool:
    """Whether one object stands on another; both must have poses."""
    gap = upper.heights()[0] - lower.heights()[1]
    return abs(gap) <= ON_TOP and footprints_overlap(
        upper.footprint(), lower.footprint(), _axes(upper), _axes(lower)
    )


def robot_overlaps(thing: TrackedObject, robot: StampedState) -> bool:
    """Whether the robot stands where an object should be."""
    assert thing.pose is not None
    if thing.heights()[0] > _ROBOT_HEIGHT:
        return False
    base = robot.base
    local = _ROBOT + np.array([ORIGIN_X, 0.0])
    return footprints_overlap(moved(base, local), thing.footprint(), base[:2, :2].T, _axes(thing))


def footprints_overlap(a: Matrix, b: Matrix, a_axes: Matrix, b_axes: Matrix) -> bool:
    """Whether the shadows of two boxes overlap: points (n, 2), directions of their edges (m, 2)."""
    for edge in (*a_axes, *b_axes):
        length = math.hypot(*edge)
        if length < 1e-6:
            continue
        normal = np.array([-edge[1], edge[0]]) / length
        along_a, along_b = a @ normal, b @ normal
        if along_a.max() <= along_b.min() or along_b.max() <= along_a.min():
            return False
    return True


def stacked_on(lower: TrackedObject, things: Collection[TrackedObject]) -> list[TrackedObject]:
    """Return what stands on an object, also indirectly."""
    tower = [lower]
    for base in tower:
        tower += [
            t for t in things if t not in tower and _can_touch(t, base) and is_on_top(t, base)
        ]
    return tower[1:]


def base_of(upper: TrackedObject, things: Collection[TrackedObject]) -> TrackedObject | None:
    """Return what an object stands on, None for the floor."""
    return next(
        (t for t in things if t is not upper and _can_touch(upper, t) and is_on_top(upper, t)), None
    )


def rests(thing: TrackedObject, things: Collection[TrackedObject]) -> bool:
    """Whether an object lies on the floor or on another one; it must have a pose."""
    return thing.heights()[0] <= ON_TOP or base_of(thing, things) is not None


def _can_touch(a: TrackedObject, b: TrackedObject) -> bool:
    is_on_lift = a.is_carried or b.is_carried
    return not is_on_lift and a.is_located(b.origin) and b.is_located(a.origin)


def _axes(thing: TrackedObject) -> Matrix:
    assert thing.pose is not None
    axes: Matrix = thing.pose[:2, :3].T
    return axes
