from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.media.mini_jpeg import from_color, from_gray, mean_gray, picture, to_jpeg


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
    with pytest.raises(ValueError, match="cannot be decoded"):
        mean_gray(damaged)
