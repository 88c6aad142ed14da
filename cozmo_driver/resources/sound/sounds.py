"""Sounds by the number of their event, how loud they are, and their mix (spec 05 §1, §5)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...media import FRAME_SAMPLES, FULL_SCALE, SAMPLE_RATE, Samples

LIMIT = round(FULL_SCALE * 10 ** (-1.0 / 20.0))
"""Largest sample of a mix: 1 dB below full scale."""


def gain_of_decibels(decibels: float) -> float:
    return float(10.0 ** (decibels / 20.0))


def gain_of_volume(volume: float) -> float:
    """Return the factor for the volume of a RobotAudio keyframe, 0 to 1: sin(v·π/2)."""
    if not volume > 0.0:
        return 0.0
    return math.sin(min(volume, 1.0) * math.pi / 2.0)


def scaled(samples: Samples, gain: float) -> Samples:
    """Return the samples times ``gain``, cut off at full scale."""
    if gain == 1.0:
        return samples
    wide = np.rint(samples * np.float64(gain))
    louder: Samples = np.clip(wide, -FULL_SCALE, FULL_SCALE).astype(np.int16)
    return louder


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """What an event sounds like: 16-bit mono samples at 22320 Hz, not to be changed."""

    event_id: int
    samples: Samples
    nodes: frozenset[int] = frozenset()
    """Objects of a bank it came through; an action that stops one of them stops the sound."""

    @property
    def duration(self) -> float:
        """Length in s."""
        return len(self.samples) / SAMPLE_RATE


class SoundSource(Protocol):
    """Something that has sounds: the built-in ones, the user's banks, several of them."""

    def has(self, event_id: int) -> bool: ...

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return a sound, drawn with ``rng``; None for an event that is unknown or silent."""

    def stopped_by(self, event_id: int) -> frozenset[int]: ...


class SoundSources:
    """Several sources as one: the first that has an event answers for it."""

    def __init__(self, sources: Sequence[SoundSource]) -> None:
        self.sources = tuple(sources)

    def has(self, event_id: int) -> bool:
        return self._source(event_id) is not None

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        source = self._source(event_id)
        return None if source is None else source.sound_for(event_id, rng)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        source = self._source(event_id)
        return frozenset() if source is None else source.stopped_by(event_id)

    def _source(self, event_id: int) -> SoundSource | None:
        return next((source for source in self.sources if source.has(event_id)), None)


def choose_event(
    event_ids: Sequence[int], chances: Sequence[float], rng: random.Random
) -> int | None:
    """Return one of the events of a RobotAudio keyframe, by their chances (spec 06 §4).

    What the chances lack to 1 is the chance of None, no sound. Events beyond the chances are
    never drawn; chances that add up to more than 1 are taken in proportion.
    """
    likely = [max(0.0, chance) for _, chance in zip(event_ids, chances, strict=False)]
    draw = rng.random() * max(1.0, sum(likely))
    for event_id, chance in zip(event_ids, likely, strict=False):
        if draw < chance:
            return event_id
        draw -= chance
    return None


MOST_SOUNDS = 32
"""At once; with one more the oldest ends."""


@dataclass(slots=True)
class _Running:
    sound: Sound
    samples: Samples
    position: int = 0


class Mixer:
    """Adds up the running sounds, cut off 1 dB below full scale. Only whole frames come out."""

    def __init__(self) -> None:
        self._running: list[_Running] = []

    @property
    def is_running(self) -> bool:
        """Tell whether a sound is left; without one ``frame`` returns None."""
        return bool(self._running)

    @property
    def frames_left(self) -> int:
        longest = max((len(one.samples) - one.position for one in self._running), default=0)
        return -(-longest // FRAME_SAMPLES)

    def start(self, sound: Sound, gain: float = 1.0) -> None:
        """Start a sound, times ``gain``, with the next frame."""
        samples = scaled(sound.samples, gain)
        if not len(samples):
            return
        if len(self._running) == MOST_SOUNDS:
            del self._running[0]
        self._running.append(_Running(sound, samples))

    def stop(self, nodes: frozenset[int]) -> None:
        """End the sounds that came through one of the nodes of a bank."""
        self._running = [one for one in self._running if not one.sound.nodes & nodes]

    def frame(self) -> Samples | None:
        """Return the next 744 samples, None where nothing runs: a frame of silence."""
        if not self._running:
            return None
        total = np.zeros(FRAME_SAMPLES, np.int32)
        for one in self._running:
            piece = one.samples[one.position : one.position + FRAME_SAMPLES]
            total[: len(piece)] += piece
            one.position += FRAME_SAMPLES
        self._running = [one for one in self._running if one.position < len(one.samples)]
        mixed: Samples = np.clip(total, -LIMIT, LIMIT).astype(np.int16)
        return mixed
