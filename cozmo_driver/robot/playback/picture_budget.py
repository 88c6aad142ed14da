"""Keeps frames small enough for the robot to begin to play (spec 06 §1)."""

from __future__ import annotations

from collections import deque

from ...media.audio_codec import FRAME_SAMPLES
from ...protocol import Message
from ...protocol.messages import AudioSample, AudioSilence, FaceImage
from .robot_buffer import END_SIZE, MAX_BYTES, PRELOAD, FrameSize

_SOUND = FrameSize.of([AudioSample(bytes(FRAME_SAMPLES))])
_ROOM = MAX_BYTES - END_SIZE.stored - PRELOAD * _SOUND.stored
"""For everything but the sound of seven frames."""


class PictureBudget:
    """Holds large pictures back, so that seven frames in a row always fit the robot's buffer.

    One that is held back goes with the next frame that has room, unless a newer one comes first.
    """

    def __init__(self) -> None:
        """Start with nothing sent and nothing held back."""
        self.held_back: FaceImage | None = None
        self._recent: deque[int] = deque(maxlen=PRELOAD - 1)

    def fit(self, frame: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the frame as it is to be sent next; its first message is its sound."""
        new = [message for message in frame if isinstance(message, FaceImage)]
        picture = new[0] if new else self.held_back
        if picture is not None:
            size = FrameSize.of([*(m for m in frame[1:] if m is not picture), picture])
            if sum(self._recent) + size.stored > _ROOM:
                self.held_back = picture
                frame = tuple(message for message in frame if message is not picture)
            else:
                self.held_back = None
                frame = frame if new else (*frame, picture)
        self._recent.append(FrameSize.of(frame[1:]).stored)
        return frame

    def rest(self) -> tuple[Message, ...] | None:
        """Return a frame for the picture that is held back, if there is one."""
        return None if self.held_back is None else self.fit((AudioSilence(),))
