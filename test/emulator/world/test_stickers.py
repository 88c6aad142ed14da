"""Stickers of the emulator are prints, not the templates that perception compares with."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.emulator.world import textures
from cozmo_driver.emulator.world.stickers import PrintErrors, coverage, sticker
from cozmo_driver.media.printed_markers import (
    CHARGER_CODE,
    CHARGER_MARKER_SIZE,
    CUBE_CODES,
    CUBE_MARKER_SIZE,
    draw_marker,
)


def likeness(code: int, errors: PrintErrors) -> float:
    """Correlation of a printed marker with the drawn one."""
    drawn = 255.0 - draw_marker(code, 200)
    width = CHARGER_MARKER_SIZE[0] if code == CHARGER_CODE else CUBE_MARKER_SIZE
    printed = coverage(code, drawn.shape, 1000.0 * width / 200, errors)
    return float(np.corrcoef(drawn.ravel(), printed.ravel())[0, 1])


@pytest.mark.parametrize("code", [CHARGER_CODE, *CUBE_CODES])
def test_a_marker_is_printed_as_it_is_drawn_but_for_the_errors_of_a_print(code: int) -> None:
    exact = likeness(code, PrintErrors())
    assert 0.99 < exact < 0.9999
    printed = [likeness(code, PrintErrors.drawn(np.random.default_rng(seed))) for seed in range(10)]
    assert min(printed) > 0.4
    assert np.median(printed) < 0.97


def test_rings_are_as_large_and_as_thick_as_measured_on_stickers() -> None:
    """24.5 to 25.1 mm, and 0.09 to 0.10 of that, give or take a print's errors."""
    pixel = 0.05
    sides, lines = [], []
    for seed in range(30):
        errors = PrintErrors.drawn(np.random.default_rng(seed))
        row = coverage(CUBE_CODES[0], (560, 560), pixel, errors)[280]
        ends = np.flatnonzero(row > 0.5)
        sides.append(np.ptp(ends) * pixel)
        lines.append(np.argmin(row[ends[0] :] > 0.5) * pixel / sides[-1])
    assert 24.4 < min(sides) < max(sides) < 25.6
    assert 0.08 < min(lines) < max(lines) < 0.11
    assert np.ptp(lines) > 0.01


def test_ink_is_dark_on_light_paper_and_grows_with_the_spread() -> None:
    shape, pixel = (160, 160), 0.16
    plain, thick = (
        sticker(CUBE_CODES[3], shape, pixel, PrintErrors(spread=spread)) for spread in (0.0, 0.12)
    )
    assert (plain.min(), plain.max()) == (17, 150)
    assert np.mean(thick < 80) > 1.05 * np.mean(plain < 80)


def test_every_world_has_its_own_prints_and_the_same_ones_again() -> None:
    sides = {
        (seed, errors): textures.cube_side(2, "front", seed, errors)[0]
        for seed, errors in ((0, 1.0), (1, 1.0), (0, 0.0), (1, 0.0))
    }
    assert np.array_equal(sides[0, 0.0], sides[1, 0.0])
    assert not np.array_equal(sides[0, 1.0], sides[1, 1.0])
    textures.cube_side.cache_clear()
    assert np.array_equal(textures.cube_side(2, "front", 1, 1.0)[0], sides[1, 1.0])
