"""The camera's mini-JPEG against Pillow, the recording and the rules of the format."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from cozmo_driver.media import mini_jpeg
from cozmo_driver.media.mini_jpeg import (
    encode_scan,
    from_color,
    from_gray,
    mean_gray,
    picture,
    to_jpeg,
)

SOS_END = 324
"""Bytes before the scan in a gray file (spec 03 §4)."""
_END_OF_IMAGE = b"\xff\xd9"


def noisy_gray(seed: int = 1, blocks: int = 8) -> mini_jpeg.ImageArray:
    random = np.random.default_rng(seed)
    rough = random.normal(128, 40, (240 // blocks, 320 // blocks))
    fine = rough.repeat(blocks, 0).repeat(blocks, 1) + random.normal(0, 6, (240, 320))
    return np.clip(fine, 0, 255).astype(np.uint8)


def test_it_decodes_to_the_same_picture_as_the_file_it_was_made_from() -> None:
    original = noisy_gray(2)
    file = io.BytesIO()
    Image.fromarray(original).save(file, "JPEG", quality=50)
    direct = np.asarray(Image.open(file))
    ours = mini_jpeg.picture(mini_jpeg.to_jpeg(mini_jpeg.from_gray(original)))
    assert np.array_equal(direct, ours)


def test_a_colour_picture_survives_and_is_stretched_to_be_looked_at() -> None:
    smooth = noisy_gray(3, blocks=16)[:, ::2]
    original = np.stack([smooth, smooth[::-1], 255 - smooth], axis=2)
    jpeg = mini_jpeg.to_jpeg(mini_jpeg.from_color(original))
    narrow = mini_jpeg.picture(jpeg)
    assert np.array_equal(narrow, np.asarray(Image.open(io.BytesIO(jpeg))))
    assert narrow.shape == (240, 160, 3)
    assert np.abs(narrow.astype(int) - original).mean() < 12
    wide = mini_jpeg.stretched(narrow)
    assert wide.shape == (240, 320, 3)
    assert np.abs((wide[:, ::2].astype(int) + wide[:, 1::2]) / 2 - narrow).mean() < 2
    gray = noisy_gray(3)
    assert mini_jpeg.stretched(gray) is gray


def test_the_scan_coder_codes_every_run_of_zeros_before_a_coefficient() -> None:
    """One coefficient a block, each place and both signs, then two of them a run apart."""
    n = np.arange(8)
    basis = np.cos((2 * n[None, :] + 1) * n[:, None] * np.pi / 16)
    waves = [np.outer(basis[row], basis[column]) for row, column in np.ndindex(8, 8)]
    plane = np.full((240, 320), 128.0, np.float32)
    for index, (row, column) in enumerate(np.ndindex(30, 40)):
        wave = 60 * waves[index % 64] * (-1) ** (index // 64)
        if index >= 640:
            wave = (wave + 60 * waves[index * 7 % 64]) / 2
        plane[row * 8 : row * 8 + 8, column * 8 : column * 8 + 8] += wave
    decoded = mini_jpeg.picture(mini_jpeg.to_jpeg(b"\x00" + encode_scan([(plane, 1)])))
    assert np.abs(decoded - plane).max() < 20


@pytest.mark.parametrize("level", [0, 127, 128, 255])
def test_the_scan_coder_codes_extremes(level: int) -> None:
    checker = np.indices((240, 320)).sum(axis=0) % 2 * 255
    for plane in (np.full((240, 320), level), checker, 255 - checker):
        scan = encode_scan([(plane.astype(np.float32), 1)])
        decoded = mini_jpeg.picture(mini_jpeg.to_jpeg(b"\x00" + scan))
        assert abs(decoded.mean() - plane.mean()) < 3


def test_payloads_are_padded_to_four_bytes_with_ones() -> None:
    for seed in range(8):
        payload = mini_jpeg.from_gray(noisy_gray(seed, blocks=40))
        assert len(payload) % 4 == 0
        assert payload[0] == mini_jpeg.GRAY_FLAG


@given(scan=st.binary(min_size=1, max_size=400), padding=st.integers(0, 5))
def test_byte_stuffing_and_padding_follow_the_rules(scan: bytes, padding: int) -> None:
    """Every FF of the scan is followed by 00, trailing FF bytes are gone, the rest is kept."""
    payload = b"\x00" + scan + b"\xff" * padding
    kept = scan.rstrip(b"\xff")
    if not kept:
        with pytest.raises(ValueError, match="holds no picture"):
            mini_jpeg.to_jpeg(payload)
        return
    jpeg = mini_jpeg.to_jpeg(payload)
    body = jpeg[SOS_END : -len(_END_OF_IMAGE)]
    assert jpeg.endswith(_END_OF_IMAGE)
    unstuffed = bytearray()
    at = 0
    while at < len(body):
        unstuffed.append(body[at])
        if body[at] == 0xFF:
            assert body[at + 1] == 0x00
            at += 1
        at += 1
    assert bytes(unstuffed) == kept


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\x00\xff\xff", b"\xff\xff\xff"])
def test_an_empty_image_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match="holds no picture"):
        mini_jpeg.to_jpeg(payload)


@pytest.mark.parametrize(
    "pixels", [np.zeros((320, 240), np.uint8), np.zeros((240, 320), np.float32)]
)
def test_a_picture_of_another_shape_or_type_is_refused(pixels: mini_jpeg.ImageArray) -> None:
    with pytest.raises(ValueError, match="uint8"):
        mini_jpeg.from_gray(pixels)
    with pytest.raises(ValueError, match="uint8"):
        mini_jpeg.from_color(pixels)


def test_the_mean_is_that_of_the_whole_decoded_picture() -> None:
    random = np.random.default_rng(1)
    for _ in range(5):
        coarse = random.integers(0, 256, (15, 20)).astype(np.uint8)
        jpeg = to_jpeg(from_gray(np.kron(coarse, np.ones((16, 16), np.uint8))))
        assert mean_gray(jpeg) == pytest.approx(picture(jpeg).mean(), abs=1.5)


def test_a_colour_picture_counts_by_its_luminance() -> None:
    green = np.zeros((240, 160, 3), np.uint8)
    green[..., 1] = 200
    assert mean_gray(to_jpeg(from_color(green))) == pytest.approx(0.587 * 200, abs=3)


@pytest.mark.parametrize(
    "damaged", [b"", b"\xff\xd8", b"nothing of the kind", to_jpeg(b"\0" * 5000)[:3000]]
)
def test_a_damaged_file_is_refused(damaged: bytes) -> None:
    for decode in (mean_gray, picture):
        with pytest.raises(ValueError, match="cannot be decoded"):
            decode(damaged)
