"""A map of tags as an occupancy grid: where the world of these tags lets a robot drive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.cli.map_grid import corners_of, room_of
from cozmo_driver.emulator import find_world, load_layout, occupancy_map
from cozmo_driver.emulator.world.occupancy import FREE, OccupancyMap
from cozmo_driver.localization import TagMap, load_map

ROOT = Path(__file__).parents[2]
TAGS = load_map(ROOT / "config" / "maps" / "landmarks_tags.yaml")


def is_free(grid: OccupancyMap, x: float, y: float) -> bool:
    row = len(grid.cells) - 1 - int((y - grid.origin[1]) / grid.resolution)
    return bool(grid.cells[row, int((x - grid.origin[0]) / grid.resolution)] == FREE)


def free_in_both(corners: list[tuple[float, float]]) -> tuple[float, float]:
    """Shares of what the map lets free that really is, and of what really is that it does."""
    grid = occupancy_map(room_of(TAGS, corners))
    true = occupancy_map(load_layout(find_world("landmarks")))
    places = [(x, y) for x in np.arange(-1.45, 1.46, 0.02) for y in np.arange(-0.95, 0.96, 0.02)]
    said = np.array([is_free(grid, *place) for place in places])
    is_true = np.array([is_free(true, *place) for place in places])
    both = float((said & is_true).sum())
    return both / said.sum(), both / is_true.sum()


def test_a_room_of_tags_is_free_where_it_really_is() -> None:
    right, whole = free_in_both([(-1.5, -1.0), (1.5, -1.0), (1.5, 1.0), (-1.5, 1.0)])
    assert right > 0.995
    assert whole > 0.99


def test_without_corners_the_tags_on_the_walls_are_the_room() -> None:
    right, whole = free_in_both([])
    assert right > 0.995
    # The corners of the room have no tags.
    assert 0.80 < whole < 0.95


def test_what_stands_in_a_room_is_in_the_way_also_where_its_outline_is_closed() -> None:
    outline = ["-2,-2", "2,-2", "2,2", "-2,2"]
    room = room_of(TAGS, corners_of([*outline, outline[0]]))
    assert room.solids
    assert room == room_of(TAGS, corners_of(outline))


def test_tags_that_enclose_nothing_are_no_room() -> None:
    wall = [one for one in TAGS.tags.values() if one.name in ("4x4_50:0", "4x4_50:1")]
    with pytest.raises(ValueError, match="enclose no room"):
        room_of(TagMap.of(wall))
    with pytest.raises(ValueError, match="enclose no room"):
        room_of(TagMap())
