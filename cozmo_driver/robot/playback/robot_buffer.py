"""What the robot still has to play, by its own counters: the credit rule (spec 06 §2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from ...protocol import Message, encode_message
from ...protocol.messages import AnimationState

MAX_FRAMES = 14
MAX_BYTES = 8192
"""Of the robot's buffer."""
PRELOAD = 7
"""Frames that the robot must have before it begins to play (spec 06 §1)."""
_LENGTH = 2
"""Bytes that the buffer takes for each message besides tag and payload."""
_HALF = 1 << 31


@dataclass(frozen=True, slots=True)
class FrameSize:
    """What one frame takes in the robot's buffer; ``size`` is that of tags and payloads."""

    messages: int
    size: int

    @staticmethod
    def of(messages: Iterable[Message]) -> FrameSize:
        """Return the size of a frame of these messages."""
        sizes = [len(encode_message(message)) for message in messages]
        return FrameSize(len(sizes), sum(sizes))

    @property
    def stored(self) -> int:
        """Bytes in the buffer."""
        return self.size + _LENGTH * self.messages


END_SIZE = FrameSize(1, 1)
"""EndOfAnimation, which counts as a frame."""


class RobotBuffer:
    """Frames sent and not yet played. Counters may wrap, jump and be reset."""

    def __init__(self) -> None:
        """Start a session: nothing is sent, the counters are not known."""
        self.played = 0
        """Frames played in this session."""
        self.resets = 0
        """Times the counters contradicted what was sent."""
        self._waiting: deque[FrameSize] = deque()
        self._stored = 0
        self._last: AnimationState | None = None

    @property
    def is_known(self) -> bool:
        """Tell whether the robot has told its counters."""
        return self._last is not None

    @property
    def ahead(self) -> int:
        """Frames that the robot still has to play."""
        return len(self._waiting)

    def has_room(self, frame: FrameSize) -> bool:
        """Tell whether a frame may be sent without overfilling the robot's buffer."""
        return (
            self.is_known
            and self.ahead < MAX_FRAMES
            and self._stored + frame.stored <= MAX_BYTES - END_SIZE.stored
        )

    def add(self, frame: FrameSize) -> None:
        """Count a frame that is sent."""
        self._waiting.append(frame)
        self._stored += frame.stored

    def forget(self) -> None:
        """Take everything sent for played, as after an abort that the robot did not report."""
        self.played += len(self._waiting)
        self._waiting.clear()
        self._stored = 0

    def update(self, state: AnimationState) -> bool:
        """Take the robot's counters; return False for a report older than the last one."""
        last, self._last = self._last, state
        if last is None:
            return True
        if _difference(state.timestamp, last.timestamp) <= 0:
            self._last = last
            return False
        frames = _difference(state.num_audio_frames_played, last.num_audio_frames_played)
        if not 0 <= frames <= self.ahead:
            self.resets += 1
            self.forget()
            return True
        for _ in range(frames):
            self._stored -= self._waiting.popleft().stored
        self.played += frames
        return True


def _difference(new: int, old: int) -> int:
    """Return how far a 32-bit counter has come, negative for backwards."""
    return (new - old + _HALF) % (2 * _HALF) - _HALF
