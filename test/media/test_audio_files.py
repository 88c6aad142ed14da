"""Sound files, good and hostile."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from cozmo_driver.media.audio_codec import SAMPLE_RATE, Samples
from cozmo_driver.media.audio_files import AudioFile, AudioFileError, AudioFileNotFound

from ..robot.sounds import pitch

FORMATS = [
    ("wav", {"subtype": "PCM_16"}),
    ("wav", {"subtype": "PCM_U8"}),
    ("wav", {"subtype": "PCM_24"}),
    ("wav", {"subtype": "IMA_ADPCM"}),
    ("flac", {"subtype": "PCM_16"}),
    ("ogg", {"subtype": "VORBIS"}),
    ("ogg", {"subtype": "OPUS"}),
]


def tone(rate: int, seconds: float, frequency: float = 440.0) -> np.ndarray:
    return 0.5 * np.sin(2 * math.pi * frequency * np.arange(round(rate * seconds)) / rate)


def read_all(path: Path, gain: float = 1.0, piece: float = 0.1) -> Samples:
    file = AudioFile(path, gain)
    try:
        pieces = []
        while len(samples := file.read(piece)):
            pieces.append(samples)
        assert len(file.read(piece)) == 0
        return np.concatenate(pieces) if pieces else samples
    finally:
        file.close()


@pytest.mark.parametrize(("kind", "how"), FORMATS, ids=lambda value: str(value))
def test_every_format_sounds_the_same(kind: str, how: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / f"sound.{kind}"
    soundfile.write(path, tone(48000, 2.0), 48000, **how)
    samples = read_all(path)
    assert len(samples) == pytest.approx(2.0 * SAMPLE_RATE, abs=0.05 * SAMPLE_RATE)
    assert pitch(samples) == pytest.approx(440, abs=1)
    assert samples[3000:-3000].max() == pytest.approx(16384, rel=0.05)


@pytest.mark.parametrize("rate", [8000, 22050, 22320, 192000])
def test_every_rate_sounds_the_same(rate: int, tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    soundfile.write(path, tone(rate, 1.0), rate)
    file = AudioFile(path)
    assert file.duration == pytest.approx(1.0)
    file.close()
    samples = read_all(path)
    assert len(samples) == pytest.approx(SAMPLE_RATE, abs=2)
    assert pitch(samples) == pytest.approx(440, abs=1)


def test_channels_are_averaged(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    left, right = np.full(22320, 0.8), np.full(22320, -0.2)
    soundfile.write(path, np.stack([left, right], axis=1), SAMPLE_RATE, subtype="FLOAT")
    assert set(read_all(path).tolist()) == {9830}


def test_the_gain_scales_the_samples(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    soundfile.write(path, np.full(1000, 0.5), SAMPLE_RATE, subtype="FLOAT")
    assert set(read_all(path, gain=0.5).tolist()) == {8191}
    assert not read_all(path, gain=0.0).any()


def test_samples_that_are_no_numbers_harm_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    data = tone(48000, 1.0)
    data[1000], data[2000], data[3000] = math.nan, math.inf, -1e30
    soundfile.write(path, data, 48000, subtype="DOUBLE")
    samples = read_all(path)
    assert pitch(samples[5000:]) == pytest.approx(440, abs=2)
    assert np.abs(samples[5000:-3000]).max() == pytest.approx(16384, rel=0.05)


# -- what cannot be played


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudioFileNotFound, match=r"no file .*missing\.wav"):
        AudioFile(tmp_path / "missing.wav")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF",
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0" + bytes(16) + b"data\0\0\0\0",
        b"OggS" + bytes(200),
        bytes(100_000),
    ],
    ids=["empty", "cut", "zero fmt", "ogg", "zeros"],
)
@pytest.mark.parametrize("name", ["sound.wav", "sound.raw", "sound"])
def test_what_is_no_sound_is_refused(content: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AudioFileError, match=str(path)):
        AudioFile(path)


@pytest.mark.parametrize(
    ("how", "data", "rate", "reason"),
    [
        ({"format": "AIFF"}, np.zeros(100), 22050, "WAV, FLAC or OGG is needed"),
        ({"format": "MP3"}, np.zeros(4000), 22050, "WAV, FLAC or OGG is needed"),
        ({"format": "WAV"}, np.zeros(100), 4000, "4000 samples per second"),
        ({"format": "WAV"}, np.zeros(100), 384000, "384000 samples per second"),
        ({"format": "WAV"}, np.zeros((100, 9)), 22050, "9 channels"),
        ({"format": "WAV"}, np.zeros(0), 22050, "holds no sound"),
    ],
)
def test_a_sound_that_cannot_be_played_is_refused_with_the_reason(
    how: dict[str, str], data: np.ndarray, rate: int, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "sound"
    soundfile.write(path, data, rate, **how)
    with pytest.raises(AudioFileError, match=reason):
        AudioFile(path)


def test_folders_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(AudioFileError, match="is no file"):
            AudioFile(path)


def test_a_name_that_no_system_takes_is_refused() -> None:
    for name in ("a\0b.wav", "x" * 5000):
        with pytest.raises(AudioFileError):
            AudioFile(name)
