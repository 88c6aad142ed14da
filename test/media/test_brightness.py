from __future__ import annotations

import contextlib

import numpy as np
import pytest

from cozmo_driver.media.mini_jpeg import from_color, from_gray, mean_gray, picture, to_jpeg


@pytest.mark.parametrize("level", [0, 20, 100, 128, 200, 255])
def test_the_mean_of_an_even_picture_is_its_gray(level: int) -> None:
    pixels = np.full((240, 320), level, np.uint8)
    assert mean_gray(to_jpeg(from_gray(pixels))) == pytest.approx(level, abs=2)


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


@pytest.mark.parametrize("damaged", [b"", b"\xff\xd8", b"nothing of the kind"])
def test_a_damaged_file_is_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be decoded"):
        mean_gray(damaged)


def test_a_picture_cut_off_is_refused_or_measured_but_never_crashes() -> None:
    jpeg = to_jpeg(from_gray(np.full((240, 320), 90, np.uint8)))
    measured = []
    for end in range(0, len(jpeg), 7):
        with contextlib.suppress(ValueError):
            measured.append(mean_gray(jpeg[:end]))
    assert all(0.0 <= gray <= 255.0 for gray in measured)
