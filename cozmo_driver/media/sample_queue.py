"""Samples waiting to be played."""

from __future__ import annotations

from collections import deque

import numpy as np

from .audio_codec import Samples


class SampleQueue:
    """First in, first out; pieces of any size go in and come out."""

    def __init__(self) -> None:
        """Start empty."""
        self._pieces: deque[Samples] = deque()
        self._count = 0

    def __len__(self) -> int:
        """Return how many samples wait."""
        return self._count

    def put(self, samples: Samples) -> None:
        """Add samples at the end; they must not be changed afterwards."""
        if len(samples):
            self._pieces.append(samples)
            self._count += len(samples)

    def take(self, count: int) -> Samples:
        """Remove and return the oldest ``count`` samples, fewer if there are no more."""
        taken: list[Samples] = []
        missing = count = min(count, self._count)
        while missing:
            piece = self._pieces.popleft()
            if len(piece) > missing:
                self._pieces.appendleft(piece[missing:])
                piece = piece[:missing]
            taken.append(piece)
            missing -= len(piece)
        self._count -= count
        if len(taken) == 1:
            return taken[0]
        return np.concatenate(taken) if taken else np.zeros(0, np.int16)

    def clear(self) -> None:
        """Forget everything."""
        self._pieces.clear()
        self._count = 0
