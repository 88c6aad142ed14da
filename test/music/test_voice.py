"""The singing voice: notes in tune and in time, songs equally loud, not clipped."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from cozmo_driver.media import (
    FRAME_SAMPLES,
    FULL_SCALE,
    HIGHEST_NOTE,
    LOWEST_NOTE,
    MOST_VIBRATO,
    SAMPLE_RATE,
    BentVoice,
    SungNote,
    audio_codec,
    frequency_of,
    loudness,
    sing,
)
from cozmo_driver.media.singing import SONG_LOUDNESS
from cozmo_driver.music import find_song, songs_by_name

from .hearing import cents, middle, onset_near, pitch_of

SYLLABLES = ("la", "lee", "lo", "doo", "me", "nah", "ba", "wo", "yu", "ro", "mm", "a", "e", "i")
HIGHEST_PEAK = -1.0


@functools.lru_cache
def sung(name: str) -> tuple[list[SungNote], np.ndarray]:
    """The notes of a song and what the robot's loudspeaker is given for them."""
    song = find_song(name)
    notes = song.sung_notes()
    return notes, audio_codec.decode(audio_codec.encode(sing(notes, song.duration)))


def decibels(samples: np.ndarray) -> float:
    return float(20.0 * np.log10(np.abs(samples.astype(int)).max() / FULL_SCALE))


@pytest.mark.parametrize("name", songs_by_name())
def test_every_note_is_in_tune_and_in_time_and_nothing_clips(name):
    notes, samples = sung(name)
    # Of a sixteenth in a fast song YIN has too few periods for the robot's 12 bits.
    pitches = [
        abs(cents(pitch_of(middle(samples, one.start, one.duration)), frequency_of(one.pitch)))
        for one in notes
    ]
    late = [abs(onset_near(samples, one.start, one.duration) - one.start) for one in notes]
    assert max(pitches) < 20.0
    assert max(late) < 0.02
    assert decibels(samples) < HIGHEST_PEAK


def test_songs_are_equally_loud_by_ears_and_by_power():
    heard = [sung(name)[1] / FULL_SCALE for name in songs_by_name()]
    levels = [loudness(samples) for samples in heard]
    assert max(levels) - min(levels) < 0.2
    # Of what sounds: a song with rests is no louder for it.
    powers = [20.0 * np.log10(one[np.abs(one) > 0.01].std()) for one in heard]
    assert max(powers) - min(powers) < 2.0


@pytest.mark.parametrize("syllable", SYLLABLES)
def test_every_syllable_is_in_tune_and_equally_loud_over_the_whole_range(syllable):
    pitches = range(LOWEST_NOTE, HIGHEST_NOTE + 1)
    scale = [SungNote(0.5 * n, 0.5, pitch, syllable) for n, pitch in enumerate(pitches)]
    samples = sing(scale, 0.5 * len(scale))
    notes = [samples[round(note.start * SAMPLE_RATE) :][: SAMPLE_RATE // 2] for note in scale]
    for pitch, note in zip(pitches, notes, strict=True):
        assert abs(cents(pitch_of(middle(note, 0.0, 0.5)), frequency_of(pitch))) < 20.0
    levels = [loudness(note / FULL_SCALE) for note in notes]
    assert max(levels) - min(levels) < 1.0
    # Sung alone each is as loud as a song.
    peaks = [
        decibels(note) + SONG_LOUDNESS - level for note, level in zip(notes, levels, strict=True)
    ]
    assert max(peaks) < HIGHEST_PEAK


def test_loudness_is_that_of_the_standard():
    time = np.arange(5 * SAMPLE_RATE) / SAMPLE_RATE
    # BS.1770-4: a sine of 0 dB at 997 Hz in one channel is -3.01 LUFS.
    assert loudness(np.sin(2 * np.pi * 997.0 * time)) == pytest.approx(-3.01, abs=0.05)
    tone = 0.1 * np.sin(2 * np.pi * 997.0 * time)
    assert loudness(tone) == pytest.approx(-23.01, abs=0.05)
    assert loudness(np.concatenate((tone, np.zeros(len(tone))))) == pytest.approx(-23.01, abs=0.3)
    assert loudness(np.zeros(1000)) == -np.inf
    assert loudness(np.zeros(0)) == -np.inf


def tone(pitch: float, seconds: float) -> np.ndarray:
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return np.rint(20000 * np.sin(2 * np.pi * pitch * time)).astype(np.int16)


def test_without_vibrato_the_samples_are_given_as_they_are():
    samples = tone(440.0, 1.01)
    voice = BentVoice(samples)
    given = np.concatenate([voice.next_frame() for _ in range(voice.frames)])
    assert (given[: len(samples)] == samples).all()
    assert not given[len(samples) :].any()
    assert not voice.next_frame().any()


@pytest.mark.parametrize("depth", [60.0, 300.0, MOST_VIBRATO, 5000.0])
def test_a_bent_voice_swings_as_deep_as_asked_and_keeps_time(depth):
    samples = tone(300.0, 12.0)
    voice = BentVoice(samples)
    frames = []
    for number in range(voice.frames):
        voice.wanted = depth if 60 <= number < 240 else 0.0
        frames.append(voice.next_frame())
        # Never further from where it should be than a swing.
        late = abs(voice._position - (number + 1) * FRAME_SAMPLES) / SAMPLE_RATE
        assert late < 0.03
    given = np.concatenate(frames)
    assert np.abs(given.astype(int)).max() <= 20000
    crossings = np.nonzero((given[:-1] < 0) & (given[1:] >= 0))[0]
    fraction = given[crossings] / (given[crossings].astype(float) - given[crossings + 1])
    pitch = SAMPLE_RATE / np.diff(crossings + fraction)
    at = (crossings[1:] + crossings[:-1]) / 2 / SAMPLE_RATE
    bend = 1200.0 * np.log2(pitch / 300.0)
    bent = bend[(at > 3.0) & (at < 7.5)]
    expected = min(depth, MOST_VIBRATO)
    assert bent.max() == pytest.approx(expected, rel=0.12, abs=10.0)
    assert bent.min() == pytest.approx(-expected, rel=0.25, abs=10.0)
    assert np.abs(bend[(at < 1.9) | ((at > 10.5) & (at < 11.9))]).max() < 20.0


def test_notes_do_not_reach_beyond_the_song_nor_into_each_other():
    samples = sing([SungNote(0.0, 0.5, 60), SungNote(1.0, 0.5, 64), SungNote(1.4, 9.0, 67)], 2.0)
    assert len(samples) == 2 * SAMPLE_RATE
    between = samples[round(0.5 * SAMPLE_RATE) + 1 : SAMPLE_RATE]
    assert not between.any()
    assert not sing([], 0.1).any()
    for one, other in itertools.pairwise((60.0, 60.01)):
        assert frequency_of(other) > frequency_of(one)
