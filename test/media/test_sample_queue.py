"""The queue of samples."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.media.audio_codec import SampleQueue


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 50)), max_size=60))
def test_samples_come_out_as_they_went_in(steps: list[tuple[bool, int]]) -> None:
    queue = SampleQueue()
    given_so_far = 0
    expected: list[int] = []
    for is_put, count in steps:
        if is_put:
            queue.put(np.arange(given_so_far, given_so_far + count, dtype=np.int16))
            expected += range(given_so_far, given_so_far + count)
            given_so_far += count
        else:
            taken = queue.get(count)
            assert taken.dtype == np.int16
            assert taken.tolist() == expected[:count]
            del expected[:count]
        assert len(queue) == len(expected)
