"""Gray pictures in black and white, and in every second row (spec 04 §3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.media.display_codec import (
    DISPLAY_HEIGHT,
    DISPLAY_WIDTH,
    PAIRS,
    dither,
    field,
    interlace,
)

from ..protocol.strategies import REPEATABLE


@REPEATABLE
@given(st.integers(0, 1 << 32), st.sampled_from([PAIRS, DISPLAY_HEIGHT]))
def test_black_and_white_stays_as_it_is(seed: int, height: int) -> None:
    picture = np.random.default_rng(seed).integers(0, 2, (height, DISPLAY_WIDTH)).astype(np.uint8)
    dithered = dither(picture * 255)
    assert dithered.dtype == np.uint8
    assert (dithered == picture).all()


@pytest.mark.parametrize("gray", [0, 10, 64, 100, 128, 200, 250, 255])
@pytest.mark.parametrize("height", [PAIRS, DISPLAY_HEIGHT])
def test_as_large_a_part_is_lit_as_the_picture_is_bright(gray: int, height: int) -> None:
    dithered = dither(np.full((height, DISPLAY_WIDTH), gray, np.uint8))
    assert set(np.unique(dithered)) <= {0, 1}
    assert dithered.mean() == pytest.approx(gray / 255, abs=0.02)


@pytest.mark.parametrize(("parity", "lit"), [(0, 1), (1, 0)])
def test_parity_0_lights_the_odd_rows_and_1_the_even_ones(parity: int, lit: int) -> None:
    rows = np.random.default_rng(4).integers(0, 2, (PAIRS, DISPLAY_WIDTH)).astype(np.uint8)
    picture = interlace(rows, parity)
    assert (picture[lit::2] == rows).all()
    assert not picture[1 - lit :: 2].any()


@pytest.mark.parametrize("parity", [0, 1])
def test_of_64_rows_those_of_the_parity_are_kept_and_of_32_all(parity: int) -> None:
    tall = (
        np.arange(DISPLAY_HEIGHT * DISPLAY_WIDTH)
        .astype(np.uint8)
        .reshape(DISPLAY_HEIGHT, DISPLAY_WIDTH)
    )
    kept = interlace(field(tall, parity), parity)
    assert (kept == np.where(np.arange(DISPLAY_HEIGHT)[:, None] % 2 == 1 - parity, tall, 0)).all()
    assert (field(tall[:PAIRS], parity) == tall[:PAIRS]).all()
