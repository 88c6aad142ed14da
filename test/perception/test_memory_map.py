"""The map of what the robot drove on, met and saw, and how it fades (spec 15 §7)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.perception.world.frames import pose
from cozmo_driver.perception.world.memory_map import (
    FREE,
    OCCUPIED,
    SEEN_EDGE,
    UNKNOWN,
    Grid,
    MemoryMap,
)
from cozmo_driver.perception.world.objects import Kind, LocatedObject, PoseState

from .scene import CHARGER, CUBE


def at(grid: Grid, x: float, y: float) -> int:
    """Return a cell's value, that of unknown ground beyond the grid."""
    column, row = (
        math.floor((v - low) / grid.resolution + 1e-6)
        for v, low in zip((x, y), grid.origin, strict=True)
    )
    height, width = grid.cells.shape
    return int(grid.cells[row, column]) if 0 <= row < height and 0 <= column < width else UNKNOWN


def thing(model, place, **changes: object) -> LocatedObject:
    values = {
        "name": model.name,
        "kind": model.kind,
        "state": PoseState.KNOWN,
        "pose": place,
        "size": model.size,
        "slot": None,
        "last_seen": 0.0,
        "is_visible": True,
        "is_carried": False,
        "on_top_of": None,
    }
    return LocatedObject(**values | changes)


def test_where_the_robot_drove_is_free_and_the_rest_unknown() -> None:
    known = MemoryMap()
    for step in range(21):
        known.on_robot(pose(0.01 * step, 0.0), 0.1 * step)
    grid = known.grid(2.1)
    assert at(grid, 0.0, 0.0) == at(grid, 0.2, 0.02) == at(grid, -0.03, -0.025) == FREE
    assert at(grid, 0.0, 0.05) == at(grid, 0.27, 0.0) == UNKNOWN
    assert at(known.grid(2.1 + 601), 0.1, 0.0) == UNKNOWN


def test_a_cliff_stays_whatever_the_camera_sees_and_however_the_robot_turns_there() -> None:
    known = MemoryMap()
    known.on_cliff(pose(0.1, 0.0))
    seen = np.array([[0.3, 0.0]])
    known.on_ground(np.zeros(2), seen, np.array([False]), 1.0)
    # It overshot by what treads need to stop from 0.2 m/s, and turned about.
    for step in range(64):
        known.on_robot(pose(0.113, 0.0, 0.0, 0.1 * step), 2.0 + step)
    # Backwards it comes as near again.
    for step in range(20):
        known.on_robot(pose(0.037 + 0.004 * step, 0.0, 0.0, math.pi), 100.0 + step)
    # It went around the end of the edge.
    for step in range(40):
        known.on_robot(pose(0.05 + 0.004 * step, 0.065), 200.0 + step)
    grid = known.grid(1e6)
    assert [at(grid, 0.125, y) for y in (-0.025, 0.0, 0.025)] == [OCCUPIED] * 3
    assert at(grid, 0.125, 0.05) == UNKNOWN
    known.clear()
    assert np.all(known.grid(1e6).cells == UNKNOWN)


@pytest.mark.parametrize("way", [0.0, 0.6, 3.0])
def test_what_the_robot_drove_across_is_no_cliff(way: float) -> None:
    """As a dark tile with ``stop_on_cliff`` off, or an edge after odometry drifted."""
    known = MemoryMap()
    known.on_cliff(pose(0.1, 0.0))
    known.on_cliff(pose(0.0, 0.0, 0.0, way + 0.8))
    # 0.2 m/s, a state each 30 ms.
    for step in range(20):
        distance = 0.006 * step - 0.06
        x, y = 0.125 + distance * math.cos(way), distance * math.sin(way)
        known.on_robot(pose(x, y, 0.0, way), 0.03 * step)
    grid = known.grid(1.0)
    assert [at(grid, 0.125, y) for y in (-0.025, 0.0, 0.025)] == [FREE] * 3
    assert (grid.cells == OCCUPIED).any()


def look(known: MemoryMap, ends: list, are_edges: list[bool], *stamps: float) -> None:
    for stamp in stamps:
        known.on_ground(np.zeros(2), np.array(ends), np.array(are_edges), stamp)


def test_edges_are_marked_taken_back_and_fade() -> None:
    known = MemoryMap()
    ends = [[0.2, 0.0], [0.2, 0.1], [math.nan, 0.0]]
    look(known, ends, [True, False, True], -0.4, -0.2, 0.0)
    grid = known.grid(59.0)
    assert at(grid, 0.2, 0.0) == SEEN_EDGE
    assert at(grid, 0.1, 0.0) == at(grid, 0.2, 0.1) == at(grid, 0.1, 0.05) == FREE
    assert np.all(known.grid(61.0).cells == UNKNOWN)
    look(known, [[0.3, 0.0]], [False], 10.0, 10.2, 10.4, 10.6)
    assert at(known.grid(11.0), 0.2, 0.0) == FREE
    # What faded does not count any more.
    look(known, [[0.3, 0.0]], [True], 80.0, 80.2, 80.4)
    assert at(known.grid(81.0), 0.3, 0.0) == SEEN_EDGE
    # Something stands now where the robot once drove.
    known.on_robot(pose(0.3, 0.0), 82.0)
    look(known, [[0.3, 0.0]], [True], *np.arange(83.0, 85.0, 0.2))
    assert at(known.grid(85.0), 0.3, 0.0) == SEEN_EDGE


def test_an_edge_is_what_most_pictures_show() -> None:
    known = MemoryMap()
    joint, clear, wall = [0.2, 0.0], [0.3, 0.0], [0.2, 0.1]
    look(known, [clear, wall], [False, True], 0.0, 0.2, 0.4, 0.6)
    look(known, [joint, wall], [True, True], 0.8)
    # One image does not see the wall.
    look(known, [joint, [0.3, 0.15]], [True, False], 1.0)
    grid = known.grid(1.0)
    assert at(grid, 0.2, 0.0) == FREE
    assert at(grid, 0.2, 0.1) == SEEN_EDGE
    # Nor are two images enough where nothing was known.
    look(known, [[0.0, 0.2]], [True], 1.2, 1.4)
    assert at(known.grid(1.4), 0.0, 0.2) == UNKNOWN


def test_objects_are_drawn_where_they_are_and_leave_no_trace() -> None:
    known = MemoryMap()
    known.on_robot(pose(0.0, 0.0), 0.0)
    cube = thing(CUBE, pose(0.10, 0.05, 0.022, 0.6))
    grid = known.grid(1.0, [cube])
    assert at(grid, 0.10, 0.05) == at(grid, 0.115, 0.06) == OCCUPIED
    assert at(grid, 0.15, 0.05) == UNKNOWN
    assert at(known.grid(1.0), 0.10, 0.05) == UNKNOWN
    gone = thing(CUBE, None, state=PoseState.UNKNOWN)
    carried = thing(CUBE, pose(0.0, 0.0, 0.05), is_carried=True)
    assert not (known.grid(1.0, [gone, carried]).cells == OCCUPIED).any()


def test_of_the_charger_only_its_wall_is_in_the_way() -> None:
    known = MemoryMap()
    charger = thing(CHARGER, pose(0.2, 0.0), kind=Kind.CHARGER)
    grid = known.grid(0.0, [charger])
    assert at(grid, 0.291, 0.0) == at(grid, 0.291, 0.035) == OCCUPIED
    assert at(grid, 0.22, 0.0) == UNKNOWN


def test_the_map_grows_and_what_is_too_far_is_left_out() -> None:
    known = MemoryMap()
    known.on_robot(pose(0.0, 0.0), 0.0)
    known.on_robot(pose(-3.0, 4.0, 0.0, 1.0), 1.0)
    grid = known.grid(2.0)
    assert at(grid, 0.0, 0.0) == at(grid, -3.0, 4.0) == FREE
    known.on_robot(pose(500.0, 0.0), 3.0)
    assert known.grid(4.0).cells.shape == grid.cells.shape
    known.clear()
    assert np.all(known.grid(4.0).cells == UNKNOWN)


@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-math.pi, math.pi))
def test_the_robot_s_own_ground_is_free_wherever_it_is(x: float, y: float, yaw: float) -> None:
    known = MemoryMap()
    known.on_robot(pose(x, y, 0.0, yaw), 0.0)
    grid = known.grid(0.0)
    assert at(grid, x, y) == FREE
    area = (grid.cells == FREE).sum() * grid.resolution**2
    assert area == pytest.approx(0.0609 * 0.06, rel=0.45)
