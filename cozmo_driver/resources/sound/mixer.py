"""Several sounds at once, in frames of the robot (spec 05 §1, §5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...media.audio_codec import FRAME_SAMPLES, Samples
from .sounds import Sound
from .volume import LIMIT, scaled

MOST_SOUNDS = 32
"""At once; with one more the oldest ends."""


@dataclass(slots=True)
class _Running:
    sound: Sound
    samples: Samples
    position: int


class Mixer:
    """Adds up the running sounds, cut off 1 dB below full scale. Only whole frames come out."""

    def __init__(self) -> None:
        """Start in silence."""
        self._running: list[_Running] = []

    @property
    def is_running(self) -> bool:
        """Tell whether a sound is left; without one ``frame`` returns None."""
        return bool(self._running)

    @property
    def frames_left(self) -> int:
        """Number of frames until the last running sound has ended."""
        longest = max((len(one.samples) - one.position for one in self._running), default=0)
        return -(-longest // FRAME_SAMPLES)

    def start(self, sound: Sound, gain: float = 1.0, delay: int = 0) -> None:
        """Begin a sound ``delay`` samples after the start of the next frame, times ``gain``."""
        samples = scaled(sound.samples, gain)
        if not len(samples):
            return
        if len(self._running) == MOST_SOUNDS:
            del self._running[0]
        self._running.append(_Running(sound, samples, -max(0, delay)))

    def stop(self, nodes: frozenset[int]) -> None:
        """End the sounds that came through one of the nodes of a bank."""
        self._running = [one for one in self._running if not one.sound.nodes & nodes]

    def clear(self) -> None:
        """End every sound."""
        self._running.clear()

    def frame(self) -> Samples | None:
        """Return the next 744 samples, None where nothing runs: a frame of silence."""
        if not self._running:
            return None
        total = np.zeros(FRAME_SAMPLES, np.int32)
        for one in self._running:
            begin = max(0, -one.position)
            if begin < FRAME_SAMPLES:
                first = max(0, one.position)
                piece = one.samples[first : first + FRAME_SAMPLES - begin]
                total[begin : begin + len(piece)] += piece
            one.position += FRAME_SAMPLES
        self._running = [one for one in self._running if one.position < len(one.samples)]
        mixed: Samples = np.clip(total, -LIMIT, LIMIT).astype(np.int16)
        return mixed
