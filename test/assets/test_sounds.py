"""The built-in sounds: well made, and measured to be what they are called."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from cozmo_driver.media.audio_codec import SAMPLE_RATE, Samples, decode, encode
from cozmo_driver.resources.sound.builtin_sounds import FIRST_EVENT_ID, BuiltinSounds
from cozmo_driver.resources.sound.sounds import SoundSource
from scores.sounds import SOUNDS as SCORES
from scores.sounds import made
from scores.synthesis import normalized, note

from ..each import for_each

SOUNDS = BuiltinSounds()
NAMES = SOUNDS.names()
WINDOW = 1024


def loud_frames(name: str) -> npt.NDArray[np.float64]:
    """A piece of 46 ms every 5 ms, where there is sound."""
    wave = made(name) / 32767
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(wave, WINDOW // 2), WINDOW)[::112]
    loud = np.std(frames, axis=1) > 0.15 * np.std(frames, axis=1).max()
    return frames[loud] * np.hanning(WINDOW)


def fundamentals(name: str) -> npt.NDArray[np.float64]:
    """Pitch of a voice (Hz) every 5 ms: after how long the sound repeats itself."""
    found = []
    for frame in loud_frames(name):
        likeness = np.fft.irfft(np.square(np.abs(np.fft.rfft(frame, 2 * WINDOW))))[9:280]
        peaks = (
            np.flatnonzero((likeness[1:-1] >= likeness[:-2]) & (likeness[1:-1] > likeness[2:])) + 1
        )
        if len(peaks):
            found.append(
                SAMPLE_RATE / (peaks[likeness[peaks] > 0.85 * likeness[peaks].max()][0] + 9)
            )
    return np.array(found)


def pitches(name: str) -> npt.NDArray[np.float64]:
    """Strongest frequency (Hz) every 5 ms, where there is sound."""
    strength = np.abs(np.fft.rfft(loud_frames(name), 8 * WINDOW, axis=1))
    peaks: npt.NDArray[np.float64] = np.argmax(strength, axis=1) * SAMPLE_RATE / (8 * WINDOW)
    return peaks


def bursts(samples: Samples, share: float = 0.3) -> int:
    """How many times the sound gets louder than a share of its loudest 10 ms."""
    pieces = samples[: len(samples) // 223 * 223].reshape(-1, 223).astype(float)
    loudness = np.std(pieces, axis=1)
    loud = np.concatenate([[False], loudness > share * loudness.max()])
    return int(np.sum(~loud[:-1] & loud[1:]))


def share_above(name: str, hertz: float) -> float:
    """Share of the power above a frequency."""
    power = np.square(np.abs(np.fft.rfft(made(name).astype(float))))
    limit = round(hertz * 2 * len(power) / SAMPLE_RATE)
    return float(power[limit:].sum() / power.sum())


def test_there_are_enough_of_them_and_each_is_described() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 60
    assert all((make.__doc__ or "").endswith(".") for make in SCORES.values())


def test_the_numbers_that_clips_keep_do_not_change() -> None:
    assert SOUNDS.event_id("chirp_up") == 10_000_000_001
    kept = {"giggle": 16, "yawn": 23, "snore": 32, "sneeze": 37, "startup": 52, "success": 56,
            "failure": 58, "alert": 60, "cube_tap": 64, "tune_victory": 71}  # fmt: skip
    assert {name: SOUNDS.event_id(name) - FIRST_EVENT_ID for name in kept} == kept


def test_they_are_a_source_of_sounds() -> None:
    source: SoundSource = BuiltinSounds()
    rng = random.Random(0)
    event_id = SOUNDS.event_id("boop")
    sound = source.sound_for(event_id, rng)
    assert sound is not None
    assert sound.event_id == event_id
    assert sound is source.sound_for(event_id, rng)
    assert source.has(event_id)
    assert not source.has(FIRST_EVENT_ID)
    assert source.sound_for(1620542011, rng) is None
    assert source.stopped_by(event_id) == frozenset()


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError, match="no built-in sound 'bark'"):
        SOUNDS.sound("bark")


@for_each("name", NAMES)
def test_a_sound_is_short_clean_and_not_too_loud(name: str) -> None:
    samples = made(name)
    assert 0.1 <= round(len(samples) / SAMPLE_RATE, 3) <= 3.0
    size = np.abs(samples.astype(np.int32))
    assert -6.1 <= 20 * np.log10(size.max() / 32767) <= -2.9
    # Cut-off tops would stay at the peak for several samples.
    at_peak = np.concatenate([[0], size >= size.max() - 1, [0]])
    runs = np.flatnonzero(np.diff(at_peak)).reshape(-1, 2)
    assert np.diff(runs, axis=1).max() <= 3
    assert abs(samples.mean()) < 100
    # It neither begins nor ends with a crack.
    assert max(size[:5].max(), size[-5:].max()) < 0.05 * size.max()
    # Nothing is lost above what the robot plays, and little in its code of 8 bits.
    assert share_above(name, 10000) < 0.02
    played = decode(encode(samples)).astype(float)
    assert np.std(samples) > 20 * np.std(played - samples)


def test_the_package_has_the_sounds_as_they_are_made() -> None:
    assert list(SCORES) == NAMES, "call make assets"
    for name in NAMES:
        kept, sound = SOUNDS.sound(name).samples, made(name)
        assert kept.dtype == np.int16
        assert not kept.flags.writeable
        # Another computer may round another way.
        assert np.std(kept - decode(encode(sound)).astype(float)) < 0.01 * np.std(sound), name


def test_notes_have_their_pitch_and_what_is_no_note_is_refused() -> None:
    for name, hertz in (("A4", 440.0), ("C#5", 554.365), ("Bb3", 233.082)):
        assert note(name) == pytest.approx(hertz, abs=0.001)
    for name in ("", "H4", "A", "A9", "a4", "A44", "C##4"):
        with pytest.raises(ValueError, match="no note such as"):
            note(name)


def test_the_shortest_waves_can_be_finished() -> None:
    assert [len(normalized(np.ones(count))) for count in (1, 2, 5)] == [1, 2, 5]


@pytest.mark.parametrize(
    "name", ["chirp_up", "startup", "whee", "tune_victory", "yes", "cube_found"]
)
def test_what_should_rise_rises(name: str) -> None:
    heard = pitches(name)
    fifth = max(1, len(heard) // 5)
    assert np.median(heard[-fifth:]) > 1.3 * np.median(heard[:fifth])


@pytest.mark.parametrize(
    "name",
    ["chirp_down", "sigh_sad", "power_down", "ouch", "uh_oh", "falling", "battery_low", "goodbye"],
)
def test_what_should_fall_falls(name: str) -> None:
    heard = pitches(name)
    fifth = max(1, len(heard) // 5)
    assert np.median(heard[-fifth:]) < 0.8 * np.median(heard[:fifth])


@pytest.mark.parametrize(
    ("name", "count"),
    [("giggle", 7), ("laugh", 5), ("munch", 5), ("chatter", 7), ("chirp_double", 2), ("no", 2),
     ("whimper", 3), ("sob", 3), ("sniff", 3), ("battery_low", 3), ("countdown", 4),
     ("computing", 12), ("rattle", 10)],
)  # fmt: skip
def test_it_comes_in_as_many_pieces_as_it_says(name: str, count: int) -> None:
    assert bursts(made(name)) == count


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("tune_stroll", "G5 E5 G5 C6 B5 A5 F5 D5 E5 C5"),
        ("tune_waltz", "D5 F#5 A5 B5 A5 F#5 G5 E5 D5"),
        ("tune_lullaby", "A5 F5 G5 E5 F5 D5 C5"),
        ("tune_victory", "C5 E5 G5 C6 A5 C6 D6 G6"),
    ],
)
def test_a_tune_has_its_notes_in_their_order(name: str, names: str) -> None:
    heard = pitches(name)
    at = 0
    for one in names.split():
        close = np.flatnonzero(np.abs(heard[at:] / note(one) - 1) < 0.02)
        assert len(close) > 5, one
        at += int(close[0]) + 5


@pytest.mark.parametrize(
    ("low", "high"), [("growl", "giggle"), ("purr", "hum_content"), ("grumble", "hello")]
)
def test_the_deep_ones_are_deeper_than_the_high_ones(low: str, high: str) -> None:
    assert np.median(fundamentals(low)) < 0.6 * np.median(fundamentals(high))


@pytest.mark.parametrize("name", ["sneeze", "whisper", "sniff", "munch"])
def test_the_noisy_ones_have_no_single_pitch(name: str) -> None:
    heard = pitches(name)
    assert np.std(heard) > 0.3 * np.mean(heard)
    assert share_above(name, 1500) > 0.15


def test_the_page_lists_every_sound_with_its_event_id() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sounds.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{name}` | {SOUNDS.event_id(name)} | {(make.__doc__ or '').rstrip('.')} |"
        for name, make in SCORES.items()
    ]
