"""What fits into the robot's animation buffer, by its own counters (spec 06 §1, §2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...media import FRAME_SAMPLES
from ...protocol import Message, encode_message
from ...protocol.messages import AnimationState, AudioSample, AudioSilence, FaceImage

if TYPE_CHECKING:
    from .frame_stream import Playback

MAX_FRAMES = 14
MAX_BYTES = 8192
"""Of the robot's buffer."""
PRELOAD = 7
"""Frames that the robot must have before it starts to play (spec 06 §1)."""
_LENGTH = 2
"""Bytes that the buffer takes for each message besides tag and payload."""
_HALF = 1 << 31


def stored_size(messages: Iterable[Message]) -> int:
    """Return how many bytes of the robot's buffer messages take."""
    return sum(len(encode_message(message)) + _LENGTH for message in messages)


END_SIZE = 1 + _LENGTH
"""EndOfAnimation, which counts as a frame."""
_ROOM = MAX_BYTES - END_SIZE - PRELOAD * stored_size([AudioSample(bytes(FRAME_SAMPLES))])
"""For everything but the sound of seven frames."""


class BufferedFrame:
    """A frame on its way or in the robot's buffer."""

    def __init__(self, content: tuple[Message, ...], owners: tuple[Playback, ...] = ()) -> None:
        self.content, self.owners = content, owners
        """Neither when it will not be played."""
        self.size = stored_size(content)
        """Bytes in the buffer."""


class RobotBuffer:
    """Frames sent and not yet played. Counters may wrap, jump and be reset."""

    def __init__(self) -> None:
        self.frames: deque[BufferedFrame] = deque()
        """In the order of playing."""
        self.played = 0
        """Frames played in this session."""
        self.resets = 0
        """Times the counters contradicted what was sent."""
        self._stored = 0
        self._last: AnimationState | None = None

    @property
    def is_known(self) -> bool:
        """The robot has sent its counters."""
        return self._last is not None

    @property
    def ahead(self) -> int:
        """Frames that the robot still has to play."""
        return len(self.frames)

    def has_room(self, size: int) -> bool:
        """Return whether a frame of so many bytes may be sent without overfilling the buffer."""
        return (
            self.is_known
            and self.ahead < MAX_FRAMES
            and self._stored + size <= MAX_BYTES - END_SIZE
        )

    def add(self, frame: BufferedFrame) -> None:
        self.frames.append(frame)
        self._stored += frame.size

    def forget(self) -> list[BufferedFrame]:
        """Count everything sent as played, as after an abort that the robot did not report."""
        return self._pop(self.ahead)

    def update(self, state: AnimationState) -> list[BufferedFrame] | None:
        """Take the robot's counters; return the frames played, None for an outdated report."""
        last = self._last
        if last is not None and _difference(state.timestamp, last.timestamp) <= 0:
            return None
        self._last = state
        if last is None:
            return []
        played = _difference(state.num_audio_frames_played, last.num_audio_frames_played)
        if not 0 <= played <= self.ahead:
            self.resets += 1
            return self.forget()
        return self._pop(played)

    def _pop(self, count: int) -> list[BufferedFrame]:
        frames = [self.frames.popleft() for _ in range(count)]
        self._stored -= sum(frame.size for frame in frames)
        self.played += count
        return frames


def _difference(new: int, old: int) -> int:
    """Return how far a 32-bit counter has come, negative for backwards."""
    return (new - old + _HALF) % (2 * _HALF) - _HALF


class PictureBudget:
    """Holds large pictures back, so that seven frames in a row always fit the robot's buffer.

    One that is held back goes with the next frame that has room, unless a newer one comes first.
    """

    def __init__(self) -> None:
        self.held_back: FaceImage | None = None
        self._recent: deque[int] = deque(maxlen=PRELOAD - 1)

    def fit(self, frame: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the frame as it is to be sent next; its first message is its sound."""
        new = [message for message in frame if isinstance(message, FaceImage)]
        picture = new[0] if new else self.held_back
        rest = tuple(message for message in frame if message is not picture)
        size = stored_size(rest[1:])
        self.held_back = None
        if picture is not None:
            with_picture = size + stored_size([picture])
            if sum(self._recent) + with_picture > _ROOM:
                self.held_back, frame = picture, rest
            else:
                size, frame = with_picture, frame if new else (*rest, picture)
        self._recent.append(size)
        return frame

    def rest(self) -> tuple[Message, ...] | None:
        """Return a frame for the picture that is held back, if there is one."""
        return None if self.held_back is None else self.fit((AudioSilence(),))
