"""The robot's sound code, sample by sample (spec 05 §2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import SAMPLE_RATE, SampleQueue

# Sample, code, what the robot plays: from the table of the specification.
TABLE = [
    (0, 0x00, 0),
    (255, 0x0F, 240),
    (1000, 0x2F, 992),
    (5000, 0x53, 4864),
    (32767, 0x7F, 31744),
    (-1, 0x80, 0),
    (-257, 0x90, -256),
    (-32768, 0xFF, -31744),
]
EVERY_SAMPLE = np.arange(-0x8000, 0x8000).astype(np.int16)


def code_by_the_rules(sample: int) -> int:
    """The steps of the specification, one sample at a time."""
    sign = 1 if sample < 0 else 0
    m = sample if sample >= 0 else -sample - 1
    h = m >> 8
    e = 0 if h == 0 else h.bit_length()
    k = m >> 4 if e == 0 else (m >> (e + 3)) & 15
    return sign * 128 + e * 16 + k


def level_by_the_rules(code: int) -> int:
    e, k = (code >> 4) & 7, code & 15
    a = k if e == 0 else (16 + k) << (e - 1)
    return -16 * a if code & 128 else 16 * a


@pytest.mark.parametrize(("sample", "code", "level"), TABLE)
def test_the_table_of_the_specification(sample: int, code: int, level: int) -> None:
    codes = audio_codec.encode(np.array([sample], np.int16))
    assert codes == bytes([code])
    assert audio_codec.decode(codes).tolist() == [level]


def test_every_sample_has_its_code() -> None:
    assert list(audio_codec.encode(EVERY_SAMPLE)) == [
        code_by_the_rules(sample) for sample in EVERY_SAMPLE.tolist()
    ]


def test_every_code_has_its_level() -> None:
    every_code = bytes(range(256))
    levels = audio_codec.decode(every_code)
    assert levels.dtype == np.int16
    assert levels.tolist() == [level_by_the_rules(code) for code in every_code]


def test_a_beep_begins_as_in_the_specification() -> None:
    time = np.arange(8) / SAMPLE_RATE
    beep = audio_codec.quantize(0.5 * np.sin(2 * math.pi * 880 * time))
    assert audio_codec.encode(beep).hex(" ") == "00 4f 5e 65 6a 6e 6f 6f"


def test_only_codes_that_play_nothing_are_silent() -> None:
    for code in range(256):
        assert audio_codec.is_silent(bytes([0, code, 0x80])) is (code in (0x00, 0x80))
    assert audio_codec.is_silent(b"")


def test_floats_are_cut_towards_zero_clamped_and_never_fail() -> None:
    given = [0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, math.nan, math.inf, -math.inf, 1e-9]
    expected = [0, 16383, -16383, 32767, -32767, 32767, -32767, 0, 32767, -32767, 0]
    assert audio_codec.quantize(np.array(given)).tolist() == expected


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
