"""Resampling to the robot's rate, in pieces of any size."""

from __future__ import annotations

import math
import sys

import numpy as np
import numpy.typing as npt
import pytest

from cozmo_driver.media.audio_codec import SAMPLE_RATE, Samples
from cozmo_driver.media.audio_files import LibraryMissing, soundfile
from cozmo_driver.media.resampler import HIGHEST_RATE, LOWEST_RATE, Resampler, to_wave

RATES = [8000, 11025, 16000, 22050, 22320, 44100, 48000, 96000, 192000]
EDGE = 3000
"""Samples at both ends where the filter has not settled."""


@pytest.fixture(params=["soxr", "numpy"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything here holds with soxr, and without it."""
    if request.param == "numpy":
        monkeypatch.setitem(sys.modules, "soxr", None)
    else:
        pytest.importorskip("soxr")


def tone(rate: int, frequency: float, seconds: float = 2.0) -> npt.NDArray[np.float32]:
    time = np.arange(round(rate * seconds)) / rate
    return (0.5 * np.sin(2 * math.pi * frequency * time)).astype(np.float32)


def converted(resampler: Resampler, wave: npt.NDArray[np.float32], sizes: list[int]) -> Samples:
    """Convert in pieces of these sizes, over and over."""
    pieces = []
    start = turn = 0
    while start < len(wave):
        size = sizes[turn % len(sizes)]
        pieces.append(resampler.convert(wave[start : start + size]))
        start, turn = start + size, turn + 1
    pieces.append(resampler.convert(wave[:0], last=True))
    return np.concatenate(pieces)


def amplitude(samples: Samples, frequency: float) -> tuple[float, float]:
    """Amplitude of a frequency, and the rms of everything else; 1.0 is full scale."""
    wave = samples[EDGE:-EDGE] / 32767
    time = np.arange(len(wave)) / SAMPLE_RATE
    basis = np.stack([f(2 * math.pi * frequency * time) for f in (np.sin, np.cos)], axis=1)
    weights = np.linalg.lstsq(basis, wave, rcond=None)[0]
    return float(np.hypot(*weights)), float((wave - basis @ weights).std())


@pytest.mark.parametrize("tunable", [False, True])
@pytest.mark.parametrize("rate", RATES)
def test_a_tone_keeps_its_pitch_and_loudness(rate: int, tunable: bool) -> None:
    samples = converted(Resampler(rate, tunable=tunable), tone(rate, 440), [441])
    level, rest = amplitude(samples, 440)
    assert level == pytest.approx(0.5, abs=0.001)
    assert rest < 1e-4
    assert len(samples) == pytest.approx(2 * SAMPLE_RATE, abs=2)


@pytest.mark.parametrize("tunable", [False, True])
@pytest.mark.parametrize("rate", [44100, 48000, 96000])
def test_what_the_robot_cannot_play_is_filtered_out(rate: int, tunable: bool) -> None:
    frequency = 13000
    samples = converted(Resampler(rate, tunable=tunable), tone(rate, frequency), [960])
    assert np.abs(samples[EDGE:-EDGE]).max() <= 1
    heard = converted(Resampler(rate, tunable=tunable), tone(rate, 9500), [960])
    assert amplitude(heard, 9500)[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("tunable", [False, True])
def test_the_sizes_of_the_pieces_do_not_matter(tunable: bool) -> None:
    wave = tone(44100, 440, 0.2)
    whole = converted(Resampler(44100, tunable=tunable), wave, [len(wave)])
    for sizes in ([1], [1, 7, 1000, 3], [0, 4096]):
        pieces = converted(Resampler(44100, tunable=tunable), wave, sizes)
        assert len(pieces) == pytest.approx(len(whole), abs=1)
        count = min(len(pieces), len(whole))
        assert np.abs(pieces[:count].astype(int) - whole[:count]).max() <= 1


@pytest.mark.parametrize("speed", [0.988, 0.995, 1.005, 1.012])
def test_a_tuned_signal_is_longer_or_shorter_and_stays_clean(speed: float) -> None:
    resampler = Resampler(48000, tunable=True)
    resampler.tune(speed)
    samples = converted(resampler, tone(48000, 440), [960])
    assert len(samples) == pytest.approx(2 * SAMPLE_RATE / speed, abs=3)
    level, rest = amplitude(samples, 440 * speed)
    assert level == pytest.approx(0.5, abs=0.001)
    assert rest < 1e-4


def test_tuning_in_the_middle_makes_no_click() -> None:
    resampler = Resampler(48000, tunable=True)
    pieces = []
    for index, start in enumerate(range(0, 96000, 960)):
        resampler.tune(1.0 + 0.005 * math.sin(index))
        pieces.append(resampler.convert(tone(48000, 440)[start : start + 960]))
    steps = np.abs(np.diff(np.concatenate(pieces)[EDGE:].astype(int)))
    assert steps.max() <= 1.02 * 0.5 * 32767 * 2 * math.pi * 440 * 1.005 / SAMPLE_RATE


@pytest.mark.parametrize("rate", RATES)
def test_a_tunable_resampler_holds_back_little(rate: int) -> None:
    resampler = Resampler(rate, tunable=True)
    size = rate // 50
    got = 0
    for piece in range(1, 50):
        got += len(resampler.convert(np.zeros(size, np.float32)))
        assert piece * size / rate - got / SAMPLE_RATE < 0.035


@pytest.mark.parametrize("rate", [0, -8000, LOWEST_RATE - 1, HIGHEST_RATE + 1, 1 << 32])
def test_a_senseless_rate_is_refused(rate: int) -> None:
    with pytest.raises(ValueError, match=f"{rate} Hz"):
        Resampler(rate)


def test_full_scale_comes_out_at_full_scale() -> None:
    samples = np.full(22050, 32767, np.int16)
    out = converted(Resampler(22050), to_wave(samples), [500])
    assert out[EDGE:-EDGE].min() >= 32766
    assert out.max() <= 32767


def test_without_soundfile_the_text_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(LibraryMissing, match=r"install it: .* -m pip install .*soundfile$"):
        soundfile()
