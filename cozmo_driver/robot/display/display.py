"""What the face shows: a picture that stays, kept fresh and gone over by clips (spec 04, 06 §2).

A picture is one frame of the stream, so that a still face costs nothing but a frame every 10 s.
"""

from __future__ import annotations

import asyncio
import contextlib
import math

import numpy as np
import numpy.typing as npt

from ...media import display_codec
from ...media.audio_codec import FRAME_TIME
from ...media.display_codec import HEIGHT, PAIRS, WIDTH, Picture
from ...media.dithering import Gray, dither, field, interlace
from ...protocol import SendQueueFull
from ...protocol.enums import AnimTrackFlag as Track
from ...protocol.messages import AnimationState, FaceImage
from ..data import Phase, SessionState
from ..motion.claims import Owner
from ..playback.frame_stream import FrameStream, Playback
from ..playback.frames import Frame
from ..playback.robot_buffer import PRELOAD
from ..session import Session
from ..signal import Signal

BLANK_AFTER = 30.0
"""s without a new picture after which the robot clears its face (spec 04 §1)."""
ALTERNATION = 10.0
"""s after which a picture is sent again with its other rows lit (spec 04 §3)."""
MOVING = 0.25
"""Pictures that follow one another faster, in s, are one that moves, and keep to their rows: at
each of them the whole face would jump by a row."""
_IN_A_ROW = 3
"""Own pictures on their way at a time, unless others play: more would only come later."""
_PATIENCE = PRELOAD * FRAME_TIME
"""s in which a picture that was held back for its size has come, or never will."""
_DARK = display_codec.encode(np.zeros((HEIGHT, WIDTH), np.uint8))


class Display:
    """Shows the user's picture until there is another one, in later sessions too.

    A clip's pictures go over it; when the clip has ended it is shown again.
    """

    def __init__(self, session: Session, stream: FrameStream) -> None:
        """Show through ``stream``; make it after the stream, which takes messages first."""
        self.shown: Picture = display_codec.decode(_DARK)
        """What the robot shows now, by its own count of frames: clips' pictures too; dark while no
        robot is connected. 64 rows of 128 pixels, 0 or 1."""
        self.on_change: Signal[Picture] = Signal()
        """``shown``, whenever it has changed."""
        self.on_owner: Signal[Owner] = Signal()
        """Whether the face is the user's, whenever that has changed."""
        self._session, self._stream = session, stream
        self._wish: Gray | None = None
        self._parity = 0
        self._wished_at = self._alternated_at = self._given_at = self._drawn_at = -math.inf
        self._wanted: bytes | None = None
        """The code that the robot should have; None when it does not matter."""
        self._next: bytes | None = None
        """The code that is still to be given to the stream."""
        self._drawn = _DARK
        self._offers: list[Playback] = []
        self._timer: asyncio.TimerHandle | None = None
        stream.on_picture.connect(self._take_picture)
        session.on(AnimationState, lambda _, now: self._look(now))
        session.on_state.connect(self._follow_session)

    # -- for the user

    @property
    def owner(self) -> Owner:
        """Tell whether a picture of the user is to be seen: ``TOPIC``, else ``NONE``."""
        return Owner.NONE if self._wish is None else Owner.TOPIC

    def show(self, picture: npt.NDArray[np.generic], duration: float | None = None) -> None:
        """Show a picture now, or as soon as a robot is connected and no clip covers it.

        ``picture`` is 32 or 64 rows of 128 pixels: bool, or uint8 from 0, dark, to 255, dithered.
        Of 64 rows every second one is shown, in turn; 32 rows are shown as they are. It stays for
        ``duration`` s, else until the next one. Raises ``ValueError``, ``SendQueueFull``.
        """
        gray = _checked(picture)
        if duration is not None and not (math.isfinite(duration) and duration > 0.0):
            raise ValueError(f"a picture is shown for more than 0 s, not {duration}")
        if not gray.any():
            self.clear()
            return
        now = asyncio.get_running_loop().time()
        if now - self._wished_at >= MOVING:
            self._alternate(now)
        self._wished_at = now
        self._wish_for(gray, duration)
        self._want(_coded(gray, self._parity))
        self._look(now)

    def clear(self) -> None:
        """Show nothing: the face is dark, and free. Raises ``SendQueueFull``."""
        self._wish_for(None)
        self._want(_DARK)
        self._look(asyncio.get_running_loop().time())

    # -- for the frame stream

    def is_ready(self, _now: float) -> bool:
        """See ``FrameSource``."""
        return True

    def next_frame(self, now: float) -> Frame:
        """See ``FrameSource``: the newest picture, the only one of this source."""
        code, self._next, self._given_at = self._next, None, now
        if code is None:
            return Frame(is_last=True)
        return Frame(keyframes=(FaceImage(code),), owned=Track.FACE_IMAGE, is_last=True)

    # -- inside

    def _wish_for(self, wish: Gray | None, duration: float | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if duration is not None:
            self._timer = asyncio.get_running_loop().call_later(duration, self._expire)
        before, self._wish = self.owner, wish
        if self.owner is not before:
            self.on_owner.emit(self.owner)

    def _expire(self) -> None:
        # What could not be sent is sent as soon as the robot answers again.
        with contextlib.suppress(SendQueueFull):
            self.clear()

    def _want(self, code: bytes) -> None:
        self._wanted = code
        if self._session.is_ready:
            self._next = code

    def _alternate(self, now: float) -> None:
        self._parity = 1 - self._parity
        self._alternated_at = now

    def _look(self, now: float) -> None:
        """Do what is due; called with every report of the robot, 33 times a second."""
        if not self._session.is_ready:
            return
        if now - self._drawn_at >= BLANK_AFTER:
            self._draw(_DARK)
        self._offers = [playback for playback in self._offers if not playback.is_over]
        if self._wish is not None and now - self._alternated_at >= ALTERNATION:
            self._alternate(now)
            self._want(_coded(self._wish, self._parity))
        elif self._is_covered and now - self._given_at >= _PATIENCE:
            self._next = self._wanted
        if self._next is not None and self._has_turn:
            self._offers.append(self._stream.play(self))

    @property
    def _is_covered(self) -> bool:
        """Tell whether the robot shows something else: a clip's picture, or one got lost."""
        is_on_its_way = bool(self._offers) or self._next is not None
        return self._wanted not in (None, self._drawn) and not is_on_its_way

    @property
    def _has_turn(self) -> bool:
        if any(not playback.is_complete for playback in self._offers):
            return False
        others = any(playback not in self._offers for playback in self._stream.playing)
        return others or len(self._offers) < _IN_A_ROW

    def _take_picture(self, picture: FaceImage) -> None:
        """Take note of what the robot has drawn."""
        self._drawn_at = asyncio.get_running_loop().time()
        self._draw(picture.image)
        if self._wish is None and self._wanted == self._drawn:
            self._wanted = None

    def _draw(self, code: bytes) -> None:
        if code != self._drawn:
            self._drawn, self.shown = code, display_codec.decode(code)
            self.on_change.emit(self.shown)

    def _follow_session(self, state: SessionState) -> None:
        """The robot clears its face with the connection and is told anew with the next one."""
        if state.phase is Phase.CONNECTED:
            self._drawn_at = asyncio.get_running_loop().time()
            self._next = self._wanted = (
                None if self._wish is None else _coded(self._wish, self._parity)
            )
            self._look(self._drawn_at)
        elif state.previous is Phase.CONNECTED:
            self._next = None
            self._offers.clear()
            self._draw(_DARK)


def _coded(picture: Gray, parity: int) -> bytes:
    return display_codec.encode(interlace(dither(field(picture, parity)), parity))


def _checked(picture: npt.NDArray[np.generic]) -> Gray:
    """Return a copy in gray: whoever gave the picture may use its memory again."""
    if picture.shape not in ((HEIGHT, WIDTH), (PAIRS, WIDTH)):
        size = "x".join(map(str, picture.shape[::-1]))
        raise ValueError(f"a picture is {WIDTH}x{HEIGHT} or {WIDTH}x{PAIRS} pixels, not {size}")
    if picture.dtype == np.bool_:
        return picture.astype(np.uint8) * np.uint8(255)
    if picture.dtype != np.uint8:
        raise ValueError(f"a picture is of uint8 or bool, not of {picture.dtype}")
    return np.array(picture, np.uint8)
