"""Sounds of a test, and what the emulated loudspeaker played of them."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pytest

from cozmo_driver.emulator.animation import PlayedSound
from cozmo_driver.media.audio_codec import SAMPLE_RATE
from cozmo_interfaces.msg import Audio

from .conftest import World


def melody(time: np.ndarray) -> np.ndarray:
    """A signal that is at no other time what it is at one: two tones and a sweep."""
    sweep = np.sin(2 * math.pi * (200.0 + 150.0 * time) * time)
    tones = np.sin(2 * math.pi * 523.25 * time) + np.sin(2 * math.pi * 3136.0 * time)
    return 3500.0 * (sweep + tones)


def sampled(rate: int, seconds: float) -> np.ndarray:
    """The melody as 16-bit samples."""
    return np.rint(melody(np.arange(round(rate * seconds)) / rate)).astype(np.int16)


def audible(world: World) -> np.ndarray:
    """What the loudspeaker played to its last sound, gaps that the driver filled included.

    Pauses of the robot, which waits when this computer is too busy, are left out.
    """
    samples = np.concatenate([piece.samples for piece in played(world)])
    (loud,) = np.nonzero(samples)
    return samples[: loud[-1] + 1]


def played(world: World) -> list[PlayedSound]:
    return [piece for piece in world.emulator.played_audio() if piece.samples.any()]


def assert_is_melody(samples: np.ndarray, seconds: float) -> None:
    """Compare with the melody: as long, as loud, and nowhere else at any time."""
    expected = sampled(SAMPLE_RATE, seconds)
    assert len(samples) == pytest.approx(len(expected), abs=30)
    count = min(len(samples), len(expected)) - 4
    # The filter of the resampler is late by up to two samples.
    likeness = [np.corrcoef(samples[n:][:count], expected[:count])[0, 1] for n in range(3)]
    assert max(likeness) > 0.95
    assert samples.std() == pytest.approx(expected.std(), rel=0.07)


# -- the emulator and the graph


def wait_for_silence(world: World) -> None:
    """Wait until the robot has nothing left to play."""
    world.emulator.wait_for(
        lambda state: not state.animation.is_playing and not state.animation.frames_buffered
    )


def wait_for_sound(world: World) -> None:
    """Wait until the loudspeaker has begun."""
    world.emulator.wait_for(lambda state: state.animation.is_playing)


def pieces_of(samples: np.ndarray, rate: int, size: int) -> list[Audio]:
    """Return a stream in pieces of ``size`` samples."""
    starts = range(0, len(samples), size)
    return [
        Audio(
            sample_rate=rate,
            samples=array("h", samples[start : start + size].tobytes()),
            is_last=start + size >= len(samples),
        )
        for start in starts
    ]
