"""The display's run-length code: what the robot shows for any bytes (spec 04 §2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.media import display_codec
from cozmo_driver.media.display_codec import HEIGHT, RAW_SIZE, WIDTH, Picture


def box(left: int, right: int, top: int, bottom: int) -> Picture:
    picture = np.zeros((HEIGHT, WIDTH), np.uint8)
    picture[top : bottom + 1, left : right + 1] = 1
    return picture


def pixels(*places: tuple[int, int]) -> Picture:
    picture = np.zeros((HEIGHT, WIDTH), np.uint8)
    for x, y in places:
        picture[y, x] = 1
    return picture


UPPER_ROWS = np.tile(np.array([[1], [0]], np.uint8), (HEIGHT // 2, WIDTH))

EXAMPLES = [
    ("3F 3F", pixels()),
    ("FF 7F 7E", box(0, 127, 0, 63)),
    ("FD 7F 7E", UPPER_ROWS),
    ("13 9C BF 52 3F 17", box(20, 39, 16, 47)),
    ("81 3F 3E", pixels((0, 0))),
    ("3F 3E F8 82", pixels((127, 63))),
    ("04 90 81 E4 90 82 3F 38", pixels((5, 10), (6, 11))),
]


def by_the_state_machine(data: bytes) -> Picture:
    """The decoder of the specification, step by step."""
    picture = np.zeros((HEIGHT, WIDTH + 64), np.uint8)
    c, i = 0, 0
    while i < len(data) and c < WIDTH:
        byte = data[i]
        if byte < 0x40:
            c += byte + 1
            i += 1
        elif byte < 0x80:
            for _ in range((byte & 0x3F) + 1):
                if c > 0 and c < WIDTH:
                    picture[:, c] = picture[:, c - 1]
                c += 1
            i += 1
        else:
            row = 0
            while True:
                for _ in range(((data[i] >> 2) & 31) + 1):
                    if row < HEIGHT:
                        picture[row, c] = data[i] & 1
                        picture[row + 1, c] = data[i] >> 1 & 1
                    row += 2
                i += 1
                if row >= HEIGHT or i >= len(data) or not data[i] & 0x80:
                    break
            c += 1
    return picture[:, :WIDTH]


@pytest.mark.parametrize(("code", "picture"), EXAMPLES)
def test_the_examples_of_the_specification(code: str, picture: Picture) -> None:
    assert (display_codec.decode(bytes.fromhex(code)) == picture).all()


@given(st.binary(max_size=1500).filter(lambda data: len(data) != RAW_SIZE))
def test_any_bytes_are_a_picture_as_the_robot_draws_it(data: bytes) -> None:
    picture = display_codec.decode(data)
    assert picture.shape == (HEIGHT, WIDTH)
    assert picture.dtype == np.uint8
    assert (picture == by_the_state_machine(data)).all()


RUNS = st.lists(
    st.sampled_from([*range(0x00, 0x40, 7), *range(0x40, 0x80, 7), *range(0x80, 0x100)])
)


@given(RUNS.map(bytes))
def test_pictures_of_many_runs_are_drawn_the_same(data: bytes) -> None:
    assert (display_codec.decode(data) == by_the_state_machine(data)).all()


@given(st.binary(min_size=RAW_SIZE, max_size=RAW_SIZE))
def test_a_payload_of_1024_bytes_is_not_coded(data: bytes) -> None:
    picture = display_codec.decode(data)
    for x in (0, 1, 64, 127):
        column = int.from_bytes(data[8 * x : 8 * x + 8], "little")
        assert picture[:, x].tolist() == [column >> y & 1 for y in range(HEIGHT)]


@given(st.integers(0, 1 << 32), st.floats(0.0, 1.0), st.integers(0, 3))
def test_what_pycozmo_encodes_looks_as_it_should(seed: int, lit: float, smoothing: int) -> None:
    encoder = pytest.importorskip("pycozmo.image_encoder")
    image = pytest.importorskip("PIL.Image")
    rows = (np.random.default_rng(seed).random((32, 128)) < lit).astype(np.uint8)
    # Runs of equal columns and rows, as faces have them.
    rows = np.repeat(np.repeat(rows, 1 << smoothing, axis=0), 1 << smoothing, axis=1)[:32, :128]
    picture = image.fromarray(np.ascontiguousarray(rows) * 255).convert("1")
    shown = display_codec.decode(bytes(encoder.ImageEncoder(picture).encode()))
    assert ((shown[0::2] | shown[1::2]) == rows).all()
