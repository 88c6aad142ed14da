"""What the emulated panel makes of codes, and the driver's codes on it (spec 04 §2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.emulator.display import draw
from cozmo_driver.media import display_codec

from ..protocol.strategies import REPEATABLE

PICTURES = {
    "3F 3F": lambda x, y: False,
    "FF 7F 7E": lambda x, y: True,
    "FD 7F 7E": lambda x, y: y % 2 == 0,
    "13 9C BF 52 3F 17": lambda x, y: 20 <= x <= 39 and 16 <= y <= 47,
    "81 3F 3E": lambda x, y: (x, y) == (0, 0),
    "3F 3E F8 82": lambda x, y: (x, y) == (127, 63),
    "04 90 81 E4 90 82 3F 38": lambda x, y: (x, y) in {(5, 10), (6, 11)},
    # Of the rules beside the examples: dark columns repeated at the start, a column that is
    # ended by what follows it, missing columns, too many rows, too many columns.
    "7F 81 40 00": lambda x, y: x in (64, 65) and y == 0,
    "82": lambda x, y: (x, y) == (0, 1),
    "": lambda x, y: False,
    "81 FF 00 81": lambda x, y: (x == 0 and y not in (1,)) or (x, y) == (2, 0),
    "3F 3F FF 7F": lambda x, y: False,
}


@pytest.mark.parametrize("code", PICTURES)
def test_the_examples_of_the_specification_and_its_rules(code: str) -> None:
    lit = PICTURES[code]
    expected = [[int(lit(x, y)) for x in range(128)] for y in range(64)]
    assert draw(bytes.fromhex(code)).tolist() == expected


@REPEATABLE
@given(st.binary(max_size=1100))
def test_any_bytes_are_drawn_as_the_driver_expects_it(code: bytes) -> None:
    assert (draw(code) == display_codec.decode(code)).all()


@REPEATABLE
@given(st.integers(0, 1 << 32), st.floats(0.0, 1.0), st.integers(0, 4))
def test_what_the_driver_encodes_is_drawn_pixel_by_pixel(seed: int, lit: float, size: int) -> None:
    small = np.random.default_rng(seed).random((64 >> size, 128 >> size)) < lit
    picture = np.kron(small, np.ones((1 << size, 1 << size))).astype(np.uint8)
    assert (draw(display_codec.encode(picture)) == picture).all()
