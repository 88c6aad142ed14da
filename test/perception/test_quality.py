from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.perception.detection.quality import TIMEOUT, QualityMonitor

RAMP = np.tile(np.arange(256, dtype=np.uint8), (240, 1))
PERIOD = 0.2


def full(level: int) -> np.ndarray:
    return np.full((240, 320), level, np.uint8)


def test_mean_and_percentiles_are_those_of_the_picture() -> None:
    quality = QualityMonitor().update(1.0, RAMP)
    assert quality.mean == pytest.approx(127.5)
    assert quality.percentiles == pytest.approx((25.6, 128.0, 230.4), abs=1.0)
    assert not quality.is_too_dark
    assert not quality.is_too_bright


@pytest.mark.parametrize(("level", "expected"), [(5, (True, False)), (245, (False, True))])
def test_a_picture_is_too_dark_or_too_bright_after_three_seconds(
    level: int, expected: tuple[bool, bool]
) -> None:
    monitor = QualityMonitor()
    monitor.update(0.0, RAMP)
    stamps = np.arange(1, 18) * PERIOD
    for stamp in stamps:
        quality = monitor.update(float(stamp), full(level))
        is_due = stamp >= TIMEOUT
        assert (quality.is_too_dark, quality.is_too_bright) == (
            expected if is_due else (False, False)
        )
    quality = monitor.update(float(stamps[-1]) + PERIOD, RAMP)
    assert (quality.is_too_dark, quality.is_too_bright) == (False, False)


def test_a_gap_or_a_jump_back_of_time_begins_anew() -> None:
    monitor = QualityMonitor()
    for stamp in (10.0, 14.0, 14.5, 3.0, 3.5):
        assert not monitor.update(stamp, full(0)).is_too_dark
