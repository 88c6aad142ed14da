"""The display's run-length code: what the robot shows for any bytes, and the shortest bytes for
any picture (spec 04 §2); gray pictures in black and white, and in every second row (§3).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.media import display_codec
from cozmo_driver.media.display_codec import (
    DISPLAY_HEIGHT,
    DISPLAY_WIDTH,
    PAIRS,
    RAW_SIZE,
    DisplayImage,
    dither,
    field,
    interlace,
)

from ..protocol.strategies import REPEATABLE


def box(left: int, right: int, top: int, bottom: int) -> DisplayImage:
    picture = np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH), np.uint8)
    picture[top : bottom + 1, left : right + 1] = 1
    return picture


def pixels(*places: tuple[int, int]) -> DisplayImage:
    picture = np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH), np.uint8)
    for x, y in places:
        picture[y, x] = 1
    return picture


UPPER_ROWS = np.tile(np.array([[1], [0]], np.uint8), (DISPLAY_HEIGHT // 2, DISPLAY_WIDTH))

EXAMPLES = [
    ("3F 3F", pixels()),
    ("FF 7F 7E", box(0, 127, 0, 63)),
    ("FD 7F 7E", UPPER_ROWS),
    ("13 9C BF 52 3F 17", box(20, 39, 16, 47)),
    ("81 3F 3E", pixels((0, 0))),
    ("3F 3E F8 82", pixels((127, 63))),
    ("04 90 81 E4 90 82 3F 38", pixels((5, 10), (6, 11))),
]


def by_the_state_machine(data: bytes) -> DisplayImage:
    """The decoder of the specification, step by step."""
    picture = np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH + 64), np.uint8)
    c, i = 0, 0
    while i < len(data) and c < DISPLAY_WIDTH:
        byte = data[i]
        if byte < 0x40:
            c += byte + 1
            i += 1
        elif byte < 0x80:
            for _ in range((byte & 0x3F) + 1):
                if c > 0 and c < DISPLAY_WIDTH:
                    picture[:, c] = picture[:, c - 1]
                c += 1
            i += 1
        else:
            row = 0
            while True:
                for _ in range(((data[i] >> 2) & 31) + 1):
                    if row < DISPLAY_HEIGHT:
                        picture[row, c] = data[i] & 1
                        picture[row + 1, c] = data[i] >> 1 & 1
                    row += 2
                i += 1
                if row >= DISPLAY_HEIGHT or i >= len(data) or not data[i] & 0x80:
                    break
            c += 1
    return picture[:, :DISPLAY_WIDTH]


@pytest.mark.parametrize(("code", "picture"), EXAMPLES)
def test_the_examples_of_the_specification(code: str, picture: DisplayImage) -> None:
    assert (display_codec.decode(bytes.fromhex(code)) == picture).all()


@REPEATABLE
@given(st.binary(max_size=1500).filter(lambda data: len(data) != RAW_SIZE))
def test_any_bytes_are_a_picture_as_the_robot_draws_it(data: bytes) -> None:
    picture = display_codec.decode(data)
    assert picture.shape == (DISPLAY_HEIGHT, DISPLAY_WIDTH)
    assert picture.dtype == np.uint8
    assert (picture == by_the_state_machine(data)).all()


@REPEATABLE
@given(st.binary(min_size=RAW_SIZE, max_size=RAW_SIZE))
def test_a_payload_of_1024_bytes_is_not_coded(data: bytes) -> None:
    picture = display_codec.decode(data)
    for x in (0, 1, 64, 127):
        column = int.from_bytes(data[8 * x : 8 * x + 8], "little")
        assert picture[:, x].tolist() == [column >> y & 1 for y in range(DISPLAY_HEIGHT)]


@REPEATABLE
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


def is_complete(code: bytes) -> bool:
    """Tell whether a code ends exactly with the last of 128 columns."""
    if len(code) == RAW_SIZE:
        return True
    columns = row = 0
    for byte in code:
        if byte < 0x80:
            columns, row = columns + (row > 0) + (byte & 0x3F) + 1, 0
            continue
        row += 2 * ((byte >> 2 & 31) + 1)
        if row >= DISPLAY_HEIGHT:
            if row > DISPLAY_HEIGHT:
                return False
            columns, row = columns + 1, 0
    return (columns, row) == (DISPLAY_WIDTH, 0)


# -- encoding

EMPTY, FULL = 0, (1 << DISPLAY_HEIGHT) - 1
WORDS = st.one_of(
    st.integers(0, FULL),
    st.sampled_from([EMPTY, FULL, 1, 1 << 63, 3 << 62, 0x5555555555555555, 0xFFFF << 16]),
)


def picture_of(columns: Sequence[int]) -> DisplayImage:
    """Return the picture of 64-bit columns, bit 0 at the top."""
    packed = np.array(columns, "<u8").view(np.uint8).reshape(DISPLAY_WIDTH, -1)
    return np.ascontiguousarray(np.unpackbits(packed, axis=1, bitorder="little").T)


@st.composite
def column_lists(draw: st.DrawFn) -> list[int]:
    """Return 128 columns of few kinds, in runs, as faces have them, or of many kinds."""
    kinds = [EMPTY, *draw(st.lists(WORDS, min_size=1, max_size=6))]
    runs = st.tuples(st.sampled_from(kinds), st.sampled_from([1, 1, 2, 3, 20, 63, 64, 65, 66]))
    columns: list[int] = []
    for kind, count in draw(st.lists(runs, min_size=1, max_size=40)):
        columns += [kind] * count
    return (columns + [draw(st.sampled_from(kinds))] * DISPLAY_WIDTH)[:DISPLAY_WIDTH]


@functools.cache
def runs_of(column: int) -> int:
    """Return in how many runs of equal row pairs a column falls."""
    pairs = [column >> 2 * pair & 3 for pair in range(DISPLAY_HEIGHT // 2)]
    return 1 + sum(a != b for a, b in itertools.pairwise(pairs))


def shortest(columns: Sequence[int]) -> int:
    """Return the length of the shortest complete code, of all the ways that the code allows.

    ``ended[c]`` is the least number of bytes that tell the columns before ``c``, ``open_[c]`` the
    same where the next byte has to be one that skips or repeats: the last run was left out.
    """
    infinite = 1 << 30
    ended, open_ = [infinite] * (DISPLAY_WIDTH + 1), [infinite] * (DISPLAY_WIDTH + 1)
    ended[0] = 0
    for c, column in enumerate(columns):
        before = columns[c - 1] if c else EMPTY
        step = 1 + min(ended[c], open_[c])
        for wanted in (EMPTY, before):
            for end in range(c + 1, min(c + 64, DISPLAY_WIDTH) + 1):
                if columns[end - 1] != wanted:
                    break
                ended[end] = min(ended[end], step)
        ended[c + 1] = min(ended[c + 1], ended[c] + runs_of(column))
        if column and not column >> 62:
            open_[c + 1] = min(open_[c + 1], ended[c] + runs_of(column) - 1)
    return ended[DISPLAY_WIDTH]


@pytest.mark.parametrize(("code", "picture"), EXAMPLES)
def test_the_examples_are_encoded_as_in_the_specification(code: str, picture: DisplayImage) -> None:
    assert display_codec.encode(picture) == bytes.fromhex(code)


@REPEATABLE
@given(column_lists())
def test_a_picture_comes_back_from_the_shortest_complete_code(columns: list[int]) -> None:
    picture = picture_of(columns)
    code = display_codec.encode(picture)
    assert is_complete(code)
    assert (display_codec.decode(code) == picture).all()
    assert (by_the_state_machine(code) == picture).all() or len(code) == RAW_SIZE
    assert len(code) == min(shortest(columns), RAW_SIZE)


@REPEATABLE
@given(st.integers(0, 1 << 32), st.floats(0.0, 1.0))
def test_noise_comes_back_and_is_never_longer_than_raw(seed: int, lit: float) -> None:
    picture = (np.random.default_rng(seed).random((DISPLAY_HEIGHT, DISPLAY_WIDTH)) < lit).astype(
        np.uint8
    )
    code = display_codec.encode(picture)
    assert len(code) <= RAW_SIZE
    assert is_complete(code)
    assert (display_codec.decode(code) == picture).all()


def many_runs(runs_in_last: int) -> DisplayImage:
    """Return a picture of 31 columns of 32 runs, one of some runs, and 96 dark ones."""
    columns = [0x1111_1111_1111_1111 << 2 * (x % 2) for x in range(31)]
    last = sum(1 << 2 * pair for pair in range(runs_in_last - 1, -1, -2))
    return picture_of([*columns, last, *[EMPTY] * 96])


@pytest.mark.parametrize(("runs_in_last", "size"), [(1, 995), (29, 1023), (30, 1024), (32, 1024)])
def test_a_picture_that_would_take_1024_bytes_or_more_is_sent_raw(
    runs_in_last: int, size: int
) -> None:
    picture = many_runs(runs_in_last)
    code = display_codec.encode(picture)
    assert len(code) == size
    assert is_complete(code)
    assert (display_codec.decode(code) == picture).all()
    raw = np.packbits(picture.T, axis=1, bitorder="little").tobytes()
    assert (code == raw) is (size == RAW_SIZE)


@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.int32, np.float64])
def test_a_pixel_that_is_not_zero_is_lit(kind: type) -> None:
    picture = box(20, 39, 16, 47)
    assert display_codec.encode((picture * 200).astype(kind)).hex() == "139cbf523f17"
    assert display_codec.encode(np.asfortranarray(picture)[::-1]).hex() == "139cbf523f17"


@pytest.mark.parametrize(
    "shape",
    [(DISPLAY_WIDTH, DISPLAY_HEIGHT), (32, DISPLAY_WIDTH), (DISPLAY_HEIGHT, DISPLAY_WIDTH, 1)],
)
def test_what_is_no_picture_of_the_display_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="64 rows of 128 pixels"):
        display_codec.encode(np.zeros(shape, np.uint8))


@REPEATABLE
@given(st.integers(0, 1 << 32), st.integers(1, 5))
def test_faces_take_no_more_bytes_than_pycozmo_needs(seed: int, ellipses: int) -> None:
    encoder = pytest.importorskip("pycozmo.image_encoder")
    image, draw = pytest.importorskip("PIL.Image"), pytest.importorskip("PIL.ImageDraw")
    face = image.new("1", (128, 32))
    random = np.random.default_rng(seed)
    for _ in range(ellipses):
        x, y, width, height = random.integers((0, 0, 1, 1), (128, 32, 60, 30)).tolist()
        draw.Draw(face).ellipse((x, y, x + width, y + height), fill=int(random.integers(2)))
    theirs = bytes(encoder.ImageEncoder(face).encode())
    assert len(display_codec.encode(display_codec.decode(theirs))) <= len(theirs)


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
