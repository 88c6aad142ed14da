"""The building blocks of made sounds, measured."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.media.audio_codec import SAMPLE_RATE
from scores import synthesis
from scores.synthesis import Signal


def steady(hertz: float, seconds: float = 1.0) -> Signal:
    return synthesis.glide(((0, hertz), (1, hertz)), seconds)


def spectrum(wave: Signal) -> tuple[Signal, Signal]:
    """Frequencies in Hz and their strength, the strongest 1."""
    strength = np.abs(np.fft.rfft(wave * np.hanning(len(wave))))
    return np.fft.rfftfreq(len(wave), 1 / SAMPLE_RATE), strength / strength.max()


def crossings(wave: Signal) -> float:
    """Pitch of a plain tone, from how often it rises through zero, Hz."""
    return float(np.sum((wave[:-1] < 0) & (wave[1:] >= 0))) * SAMPLE_RATE / len(wave)


@pytest.mark.parametrize(
    ("name", "hertz"),
    [("A4", 440.0), ("A5", 880.0), ("C4", 261.626), ("C#5", 554.365), ("Bb3", 233.082)],
)
def test_notes_have_their_pitch(name: str, hertz: float) -> None:
    assert synthesis.note(name) == pytest.approx(hertz, abs=0.001)


@pytest.mark.parametrize("name", ["", "H4", "A", "A9", "a4", "A44", "C##4"])
def test_what_is_no_note_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no note such as"):
        synthesis.note(name)


@pytest.mark.parametrize("hertz", [100.0, 440.0, 3000.0, 7000.0])
def test_a_tone_has_its_pitch_and_no_other(hertz: float) -> None:
    frequency, strength = spectrum(synthesis.tone(steady(hertz)))
    assert frequency[np.argmax(strength)] == pytest.approx(hertz, abs=1)
    assert strength[np.abs(frequency - hertz) > 5].max() < 0.01


@pytest.mark.parametrize("hertz", [440.0, 1900.0, 4000.0])
def test_partials_beyond_what_the_robot_plays_are_left_out(hertz: float) -> None:
    frequency, strength = spectrum(synthesis.tone(steady(hertz), synthesis.BUZZ))
    assert strength[frequency > 9600].max() < 1e-3
    nearest = np.abs(frequency[:, np.newaxis] - hertz * np.arange(1, 25)).min(axis=1)
    assert strength[nearest > 5].max() < 0.01


def test_a_glide_goes_by_even_musical_steps() -> None:
    pitch = synthesis.glide(((0, 200), (1, 800)), 0.5)
    assert (pitch[0], pitch[-1]) == (pytest.approx(200), pytest.approx(800))
    assert pitch[len(pitch) // 2] == pytest.approx(400, rel=0.001)
    wave = synthesis.tone(synthesis.glide(((0, 300), (1, 1200)), 2.0))
    first, last = wave[:2000], wave[-2000:]
    assert (crossings(first), crossings(last)) == (
        pytest.approx(310, abs=20),
        pytest.approx(1160, abs=40),
    )


def test_vibrato_swings_as_far_and_as_often_as_asked() -> None:
    pitch = synthesis.vibrato(steady(440, 2.0), 5.0, 1.0)
    assert pitch.max() == pytest.approx(440 * 2 ** (1 / 12), rel=1e-3)
    assert pitch.min() == pytest.approx(440 / 2 ** (1 / 12), rel=1e-3)
    assert crossings(pitch - 440) == pytest.approx(5, abs=0.6)
    early = synthesis.vibrato(steady(440, 2.0), 5.0, 1.0, onset=1.0)[:2000]
    assert early.max() < 440 * 2 ** (0.1 / 12)


def test_noise_is_the_same_for_the_same_seed() -> None:
    first = synthesis.noise(0.2, 5)
    np.testing.assert_array_equal(first, synthesis.noise(0.2, 5))
    assert not np.array_equal(first, synthesis.noise(0.2, 6))
    assert np.abs(first).max() == 1.0


def test_a_band_of_noise_keeps_its_frequencies() -> None:
    frequency, strength = spectrum(synthesis.band(synthesis.noise(1.0, 1), 3000, 600))
    power = np.square(strength)
    mean = float(np.sum(frequency * power) / np.sum(power))
    assert mean == pytest.approx(3000, abs=50)
    assert power[np.abs(frequency - 3000) > 1500].sum() < 0.001 * power.sum()


def test_resonances_stand_out_of_noise() -> None:
    wave = synthesis.resonant(synthesis.noise(2.0, 2), ((700, 200, 1.0), (2600, 200, 1.0)), 0.01)
    frequency, strength = spectrum(wave)

    def power(center: float) -> float:
        return float(np.square(strength[np.abs(frequency - center) < 60]).mean())

    assert min(power(700), power(2600)) > 30 * power(1500)


def test_levelling_brings_loud_and_faint_together() -> None:
    wave = synthesis.with_envelope(
        synthesis.tone(steady(440)), ((0, 0.1), (0.5, 0.1), (0.5, 1.0), (1, 1.0))
    )
    level = synthesis.levelled(wave)
    before = np.std(wave[15000:]) / np.std(wave[3000:9000])
    after = np.std(level[15000:]) / np.std(level[3000:9000])
    assert before == pytest.approx(10, rel=0.05)
    assert 1.0 < after < 2.0
    assert not synthesis.levelled(np.zeros(500)).any()


def test_trembling_gets_weaker_so_many_times_a_second() -> None:
    wave = synthesis.trembling(np.ones(SAMPLE_RATE), 20, 0.5)
    assert (wave.max(), wave.min()) == (pytest.approx(1.0), pytest.approx(0.5, abs=1e-4))
    assert crossings(wave - 0.75) == pytest.approx(20, abs=1)


def test_a_plucked_sound_dies_away() -> None:
    wave = synthesis.plucked(np.ones(SAMPLE_RATE), 0.1)
    assert wave[0] == 0.0
    assert wave[-1] == 0.0
    assert wave[round(0.2 * SAMPLE_RATE)] == pytest.approx(np.exp(-2), rel=1e-3)


def test_blended_waves_go_over_into_each_other() -> None:
    mixed = synthesis.crossfade([np.full(101, 1.0), np.full(101, 5.0), np.full(101, 2.0)])
    assert mixed[[0, 25, 50, 75, 100]].tolist() == pytest.approx([1, 3, 5, 3.5, 2])


def test_waves_are_put_after_each_other_with_gaps_and_overlaps() -> None:
    one = np.ones(223)
    assert len(synthesis.sequence(one, one, gap=0.01)) == 223 * 3
    overlapping = synthesis.sequence(one, one, gap=-0.005)
    assert len(overlapping) == 223 * 2 - 112
    assert overlapping.max() == 2.0
    assert synthesis.at(0.01, one)[:223].sum() == 0.0
    assert synthesis.mix(one, np.ones(300)).tolist() == [2.0] * 223 + [1.0] * 77


@pytest.mark.parametrize("peak", [-4.0, -12.0])
def test_a_finished_sound_has_its_peak_soft_ends_and_no_offset(peak: float) -> None:
    wave = 7.0 * synthesis.tone(steady(440, 0.3)) + 3.0
    samples = synthesis.normalized(wave, peak)
    assert samples.dtype == np.int16
    assert 20 * np.log10(np.abs(samples).max() / 32767) == pytest.approx(peak, abs=0.01)
    assert (samples[0], abs(samples[-1])) == (0, 0)
    assert abs(samples.mean()) < 30


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_shortest_waves_can_be_finished(count: int) -> None:
    assert len(synthesis.normalized(np.ones(count))) == count
