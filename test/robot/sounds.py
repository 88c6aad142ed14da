"""Sounds for tests: made here, heard at the robot's loudspeaker."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import soundfile

from cozmo_driver.emulator.animation import PlayedSound
from cozmo_driver.media.audio_codec import SAMPLE_RATE


def tone(rate: int, seconds: float, frequency: float = 440.0, level: int = 16000) -> np.ndarray:
    """16-bit samples of a sine."""
    time = np.arange(round(rate * seconds)) / rate
    return np.rint(level * np.sin(2 * math.pi * frequency * time)).astype(np.int16)


def tone_file(folder: Path, seconds: float, rate: int = SAMPLE_RATE, kind: str = "wav") -> Path:
    """A file of a tone, written piece by piece."""
    path = folder / f"tone.{kind}"
    second = tone(rate, 1.0)
    with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
        left = round(seconds * rate)
        while left > 0:
            file.write(second[:left])
            left -= len(second)
    return path


def pitch(samples: np.ndarray) -> float:
    """Strongest frequency, Hz, to a small part of 1/duration."""
    size = 1 << (len(samples) * 8 - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size))
    return float(np.argmax(spectrum)) * SAMPLE_RATE / size


def audible(sounds: list[PlayedSound]) -> np.ndarray:
    """Everything that was played, without the silence before and after it."""
    samples = np.concatenate([sound.samples for sound in sounds])
    (loud,) = np.nonzero(samples)
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:0]


def quiet_runs(samples: np.ndarray, longest: int = 20) -> int:
    """How often more than ``longest`` samples in a row were silent."""
    (loud,) = np.nonzero(samples)
    return int((np.diff(loud) > longest).sum())


# -- in virtual time


def sounds(world):
    return world.firmware.animation.recording.sounds()


def truth(world):
    return world.firmware.animation.truth()


def lose(world, share, seed=1):
    """Lose a share of all datagrams, in both directions."""
    choose = random.Random(seed)
    world.wire.is_lost = lambda datagram: choose.random() < share


async def silent(world):
    """Wait until the robot has played everything."""
    await world.until(lambda: not world.robot.frames.is_playing)
