"""What the animation controller played: sound, pictures and keyframes, each with its time."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..media import audio_codec
from ..media.audio_codec import FRAME_SAMPLES, FRAME_TIME, Samples
from ..media.display_codec import Picture
from ..protocol import Message
from ..protocol.messages import FaceImage
from . import panel

KEPT_FRAMES = 20000
"""Frames and keyframes that are kept, more than 11 minutes; older ones are forgotten."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class PlayedSound:
    """What the loudspeaker played without a break, before the volume.

    ``start`` is the time of the first sample, s; 22320 samples per second follow.
    """

    start: float
    samples: Samples


class PlayedFrame(NamedTuple):
    """One frame of the audio output, at ``slot`` thirtieths of a second since power on."""

    slot: int
    codes: bytes
    """Empty for silence."""


class PlayedKeyframe(NamedTuple):
    """A message that came up at ``time`` s; one on a disabled track is not executed."""

    time: float
    message: Message
    is_executed: bool
    tag: int


class Recording:
    """Keeps the last ten minutes at least."""

    def __init__(self, switched_on: float, frame_time: float = FRAME_TIME) -> None:
        """Count slots of ``frame_time`` s from power on."""
        self._switched_on, self._frame_time = switched_on, frame_time
        self.frames: deque[PlayedFrame] = deque(maxlen=KEPT_FRAMES)
        self.keyframes: deque[PlayedKeyframe] = deque(maxlen=KEPT_FRAMES)

    def time_of(self, slot: int) -> float:
        """Return when a slot begins, s."""
        return self._switched_on + slot * self._frame_time

    def slot_after(self, time: float) -> int:
        """Return the first slot that begins after a time in s."""
        return math.floor((time - self._switched_on) / self._frame_time + _ROUNDING) + 1

    def sounds(self) -> list[PlayedSound]:
        """Return what was played, a piece for each stretch without a missing frame."""
        pieces: list[list[PlayedFrame]] = []
        for frame in self.frames:
            if not pieces or frame.slot != pieces[-1][-1].slot + 1:
                pieces.append([])
            pieces[-1].append(frame)
        return [PlayedSound(self.time_of(p[0].slot), decoded(p)) for p in pieces]

    def pictures(self) -> list[tuple[float, Picture]]:
        """Return the pictures that were shown, with their times in s."""
        return [
            (played.time, panel.draw(played.message.image))
            for played in self.keyframes
            if isinstance(played.message, FaceImage) and played.is_executed
        ]

    def clear(self) -> None:
        """Forget what was played so far."""
        self.frames.clear()
        self.keyframes.clear()


def decoded(frames: list[PlayedFrame]) -> Samples:
    """Return the samples of frames in a row; silence is zeros."""
    silence = bytes(FRAME_SAMPLES)
    samples = audio_codec.decode(b"".join(frame.codes or silence for frame in frames))
    return np.ascontiguousarray(samples)
