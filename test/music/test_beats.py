"""The beat that is heard in sounds of a known one."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.media import SAMPLE_RATE, sing
from cozmo_driver.music import NoBeat, beats_of, find_song

FIRST = 0.3


def taps(bpm: float, noise: float, seconds: float = 15.0) -> tuple[np.ndarray, np.ndarray]:
    """Drum beats with weaker hits between them, and when the beats are."""
    rng = np.random.default_rng(round(bpm))
    wave = noise * rng.standard_normal(round(seconds * SAMPLE_RATE))
    time = np.arange(round(0.08 * SAMPLE_RATE)) / SAMPLE_RATE
    times = np.arange(FIRST, seconds - 0.2, 60.0 / bpm)
    for number, at in enumerate(times):
        drum = np.exp(-time / 0.02) * np.sin(2 * np.pi * (200 if number % 2 else 80) * time)
        drum += 0.5 * np.exp(-time / 0.01) * rng.standard_normal(len(time))
        hat = 0.25 * np.exp(-time / 0.01) * rng.standard_normal(len(time))
        for start, hit in ((at, drum), (at + 30.0 / bpm, hat)):
            first = round(start * SAMPLE_RATE)
            piece = wave[first : first + len(hit)]
            piece += hit[: len(piece)]
    return np.rint(20000 * wave / np.abs(wave).max()).astype(np.int16), times


def worst(found: list[float], times: np.ndarray) -> float:
    """How far the nearest found beat is, s; the first and last one may be missed."""
    return max(float(np.abs(np.array(found) - time).min()) for time in times[1:-1])


@pytest.mark.parametrize("bpm", [90, 100, 110, 120, 128, 135, 150, 159, 170])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_beats_of_drums_are_found(bpm, noise):
    samples, times = taps(bpm, noise)
    heard, beats = beats_of(samples)
    assert heard == pytest.approx(bpm, rel=0.01)
    assert worst(beats, times) < 0.025


@pytest.mark.parametrize("bpm", [60, 183, 200])
def test_a_tempo_that_ears_may_take_for_half_or_double_can_be_said(bpm):
    samples, times = taps(bpm, 0.0)
    heard, _ = beats_of(samples)
    assert min(abs(heard / bpm - factor) for factor in (0.5, 1.0, 2.0)) < 0.01
    said, beats = beats_of(samples, bpm)
    assert said == bpm
    assert len(beats) == pytest.approx(len(times), abs=2)
    assert worst(beats, times) < 0.025


@pytest.mark.parametrize("name", ["frere_jacques", "sakura", "can_can", "ode_to_joy"])
def test_the_beat_of_a_sung_song_is_found(name):
    song = find_song(name)
    heard, _ = beats_of(sing(song.sung_notes(), song.duration))
    assert heard == pytest.approx(song.bpm, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_a_sound_without_a_beat_has_none(seed):
    time = np.arange(6 * SAMPLE_RATE) / SAMPLE_RATE
    hiss = np.random.default_rng(seed).standard_normal(len(time))
    for wave in (hiss, np.sin(2765.0 * time), np.zeros(len(time)), np.ones(10), np.zeros(0)):
        with pytest.raises(NoBeat, match="say the bpm"):
            beats_of(np.rint(8000 * wave).astype(np.int16))


def test_a_very_short_or_silent_sound_with_a_tempo_harms_nobody():
    for count in (0, 1, 500, 3000):
        bpm, beats = beats_of(np.zeros(count, np.int16), 120.0)
        assert bpm == 120.0
        assert len(beats) <= 1
