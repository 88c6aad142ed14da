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

EDGE = 250
"""Samples at the ends of a sound that the filter of the resampler still changes."""
LATENESS = 2.0
"""Samples by which that filter may be late."""
ERROR = 120
"""What it changes of a signal of 10500: high and low tones are late by a little less or more."""


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
    """Return the pieces in which something was heard."""
    return [piece for piece in world.emulator.played_audio() if piece.samples.any()]


def lateness_of(samples: np.ndarray, places: np.ndarray) -> float:
    """How late the melody is at these places of the sound, in samples."""

    def error(lateness: float) -> float:
        return float(np.square(samples - melody((places - lateness) / SAMPLE_RATE)).sum())

    about = min(np.linspace(-0.5, LATENESS, 26), key=error)
    return float(min(about + np.linspace(-0.1, 0.1, 21), key=error))


def assert_within_the_codecs_error(samples: np.ndarray, seconds: float) -> None:
    """Compare with the melody: the codec cuts towards zero, to a sixteenth of its segment."""
    count = round(seconds * SAMPLE_RATE)
    assert len(samples) == pytest.approx(count, abs=30)
    inner = np.arange(EDGE, count - EDGE)
    got = samples[inner].astype(float)
    expected = melody((inner - lateness_of(got, inner)) / SAMPLE_RATE)
    level = np.abs(expected)
    # Of the segment that starts at 256, 512, 1024 ...; below it is the first one's.
    step = np.maximum(16.0, 2.0 ** (np.floor(np.log2(level + ERROR)) - 4))
    lost = np.where(expected < 0.0, -1.0, 1.0) * (expected - got)
    assert lost.min() >= -ERROR
    assert (lost - step).max() <= ERROR
    # On the average half a step is lost, and no more of the rest.
    assert np.abs(lost - step / 2).mean() < step.mean() / 2


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
