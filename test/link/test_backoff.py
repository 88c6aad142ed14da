from __future__ import annotations

import pytest

from cozmo_driver.link import Backoff


def test_delays_double_up_to_the_limit():
    backoff = Backoff(initial=0.5, factor=2.0, limit=4.0)
    assert [backoff.delay(n) for n in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


def test_days_of_failures_do_not_overflow():
    assert Backoff().delay(1_000_000) == Backoff().limit


@pytest.mark.parametrize(
    "values", [(0.0, 2.0, 4.0), (2.0, 2.0, 1.0), (0.5, 0.9, 4.0)], ids=["zero", "limit", "factor"]
)
def test_delays_that_make_no_sense_are_refused(values):
    with pytest.raises(ValueError, match="back-off needs"):
        Backoff(*values)
