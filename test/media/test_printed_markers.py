from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cozmo_driver.media.printed_markers import (
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    CUBE_CODES,
    RING,
    SIDES,
    Gray,
    code_of,
    cube_and_side,
    draw_marker,
)


def test_the_codes_of_the_sides_are_the_real_ones() -> None:
    assert [code_of(1, side) for side in SIDES] == [4, 5, 6, 7, 8, 9]
    assert [code_of(cube, "front") for cube in (1, 2, 3)] == [6, 12, 18]
    assert [cube_and_side(code) for code in (4, 9, 21)] == [(1, "back"), (1, "top"), (3, "top")]


@pytest.mark.parametrize("wrong", [(0, "front"), (4, "front"), (1, "inside")])
def test_what_is_no_side_has_no_code(wrong: tuple[int, str]) -> None:
    with pytest.raises(ValueError, match="they are"):
        code_of(*wrong)


@pytest.mark.parametrize("code", [0, 3, 22, -1])
def test_a_code_without_a_marker_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match="no side of a cube"):
        draw_marker(code, 50)


def test_no_marker_looks_like_another_one_or_like_itself_turned() -> None:
    def drawing(code: int, turns: int) -> np.ndarray:
        marker = np.rot90(draw_marker(code, 32), turns)[7:25, 7:25].astype(float)
        return (marker - marker.mean()) / marker.std() / 18

    turned = [(code, turns, drawing(code, turns)) for code in CUBE_CODES for turns in range(4)]
    alike = [(float((a * b).sum()), c, s, d, t) for (c, s, a), (d, t, b) in combinations(turned, 2)]
    assert max(alike)[0] < 0.5


@pytest.mark.parametrize("width", [25, 100, 512])
def test_a_marker_is_a_ring_of_the_real_thickness_around_white(width: int) -> None:
    marker: Gray = draw_marker(code_of(2, "left"), width)
    assert marker.shape == (width, width)
    middle = marker[width // 2] < 128
    assert abs(int(np.argmin(middle)) - RING * width) <= 1.0
    gap = marker[int(0.13 * width) : int(0.2 * width), width // 2]
    assert gap.min() > 200
    assert marker[0, 0] > 200


def test_the_charger_has_two_light_cells_in_a_flatter_ring() -> None:
    marker = draw_marker(CHARGER_CODE, 251)
    assert marker.shape == (186, 251)
    assert CHARGER_MARKER_SIZE[0] / CHARGER_MARKER_SIZE[1] == pytest.approx(1.35, abs=0.03)
    middle = marker[93] > 128
    assert np.count_nonzero(np.diff(middle.astype(int)) == 1) == 4
