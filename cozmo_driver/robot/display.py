"""The face: a picture that stays, kept fresh and covered by clips (spec 04, 06 §2).

A picture is one frame of the stream, so that a still face costs nothing but a frame every 10 s.
"""

from __future__ import annotations

import asyncio
import math

import numpy as np
import numpy.typing as npt

from ..media import (
    DISPLAY_HEIGHT,
    DISPLAY_WIDTH,
    FRAME_TIME,
    PAIRS,
    DisplayImage,
    Gray,
    display_codec,
    dither,
    field,
    interlace,
)
from ..protocol import AnimTrackFlag as Track
from ..protocol.messages import AnimationState, FaceImage
from .data import Phase, SessionState
from .motion.claims import Owner
from .playback.frame_stream import FrameStream, Playback
from .playback.frames import Frame
from .playback.robot_buffer import PRELOAD
from .session import Session
from .signal import Signal

BLANK_AFTER = 30.0
"""s without a new picture after which the robot clears its face (spec 04 §1)."""
ALTERNATION = 10.0
"""s after which a picture is sent again with its other rows lit (spec 04 §3)."""
MOVING = 0.25
"""Pictures that follow one another faster, in s, are one that moves, and keep to their rows: at
each of them the whole face would jump by a row."""
_IN_A_ROW = 3
"""Own pictures on their way at a time, unless others play: more would only come later."""
_LOST_AFTER = PRELOAD * FRAME_TIME
"""s in which a picture that was held back for its size has come, or never will."""
_DARK = display_codec.encode(np.zeros((DISPLAY_HEIGHT, DISPLAY_WIDTH), np.uint8))


class Display:
    """Shows the user's picture until there is another one, in later sessions too.

    A clip's pictures go over it; when the clip has ended it is shown again.
    """

    def __init__(self, session: Session, stream: FrameStream) -> None:
        """Show through ``stream``; make it after the stream, which takes messages first."""
        self.shown: DisplayImage = display_codec.decode(_DARK)
        """What the robot shows now, by its own count of frames: clips' pictures too; dark while no
        robot is connected. 64 rows of 128 pixels, 0 or 1."""
        self.on_change: Signal[DisplayImage] = Signal()
        """``shown``, whenever it has changed."""
        self.on_owner: Signal[Owner] = Signal()
        """Whether the face is the user's, whenever that has changed."""
        self._session, self._stream = session, stream
        self._requested: Gray | None = None
        self._parity = 0
        self._requested_at = self._alternated_at = self._sent_at = self._drawn_at = -math.inf
        self._target: bytes | None = None
        """The code that the robot should have; None when it does not matter."""
        self._queued: bytes | None = None
        """The code that is still to be given to the stream."""
        self._drawn = _DARK
        self._playbacks: list[Playback] = []
        stream.on_picture.connect(self._on_picture)
        session.on(AnimationState, lambda _, now: self._update(now))
        session.on_state.connect(self._on_session)

    # -- for the user

    @property
    def owner(self) -> Owner:
        """``TOPIC`` while a picture of the user is shown, else ``NONE``."""
        return Owner.NONE if self._requested is None else Owner.TOPIC

    def show(self, picture: npt.NDArray[np.generic]) -> None:
        """Show a picture now, or as soon as a robot is connected and no clip covers it.

        ``picture`` is 32 or 64 rows of 128 pixels: bool, or uint8 from 0, dark, to 255, dithered.
        Of 64 rows every second one is shown, in turn; 32 rows are shown as they are. It stays
        until the next one. Raises ``ValueError``.
        """
        gray = _checked(picture)
        if not gray.any():
            self.clear()
            return
        now = asyncio.get_running_loop().time()
        if now - self._requested_at >= MOVING:
            self._alternate(now)
        self._requested_at = now
        self._request(gray)
        self._set_target(_encoded(gray, self._parity))
        self._update(now)

    def clear(self) -> None:
        """Show nothing: the face is dark, and free."""
        self._request(None)
        self._set_target(_DARK)
        self._update(asyncio.get_running_loop().time())

    # -- for the frame stream

    def is_ready(self, _now: float) -> bool:
        return True

    def next_frame(self, now: float) -> Frame:
        """Return the newest picture, the only one of this source."""
        code, self._queued, self._sent_at = self._queued, None, now
        if code is None:
            return Frame(is_last=True)
        return Frame(keyframes=(FaceImage(code),), owned=Track.FACE_IMAGE, is_last=True)

    def _request(self, gray: Gray | None) -> None:
        before, self._requested = self.owner, gray
        if self.owner is not before:
            self.on_owner.emit(self.owner)

    def _set_target(self, code: bytes) -> None:
        self._target = code
        if self._session.is_ready:
            self._queued = code

    def _alternate(self, now: float) -> None:
        self._parity = 1 - self._parity
        self._alternated_at = now

    def _update(self, now: float) -> None:
        """Do what is due; called with every report of the robot, 33 times a second."""
        if not self._session.is_ready:
            return
        if now - self._drawn_at >= BLANK_AFTER:
            self._draw(_DARK)
        self._playbacks = [playback for playback in self._playbacks if not playback.is_over]
        if self._requested is not None and now - self._alternated_at >= ALTERNATION:
            self._alternate(now)
            self._set_target(_encoded(self._requested, self._parity))
        elif self._is_covered and now - self._sent_at >= _LOST_AFTER:
            self._queued = self._target
        if self._queued is not None and self._has_turn:
            self._playbacks.append(self._stream.play(self))

    @property
    def _is_covered(self) -> bool:
        """The robot shows something else: a clip's picture, or one got lost."""
        is_on_its_way = bool(self._playbacks) or self._queued is not None
        return self._target not in (None, self._drawn) and not is_on_its_way

    @property
    def _has_turn(self) -> bool:
        if any(not playback.is_complete for playback in self._playbacks):
            return False
        others = any(playback not in self._playbacks for playback in self._stream.playing)
        return others or len(self._playbacks) < _IN_A_ROW

    def _on_picture(self, picture: FaceImage) -> None:
        self._drawn_at = asyncio.get_running_loop().time()
        self._draw(picture.image)
        if self._requested is None and self._target == self._drawn:
            self._target = None

    def _draw(self, code: bytes) -> None:
        if code != self._drawn:
            self._drawn, self.shown = code, display_codec.decode(code)
            self.on_change.emit(self.shown)

    def _on_session(self, state: SessionState) -> None:
        """The robot clears its face with the connection; the next one is sent the picture again."""
        if state.phase is Phase.CONNECTED:
            self._drawn_at = asyncio.get_running_loop().time()
            self._queued = self._target = (
                None if self._requested is None else _encoded(self._requested, self._parity)
            )
            self._update(self._drawn_at)
        elif state.previous is Phase.CONNECTED:
            self._queued = None
            self._playbacks.clear()
            self._draw(_DARK)


def _encoded(picture: Gray, parity: int) -> bytes:
    return display_codec.encode(interlace(dither(field(picture, parity)), parity))


def _checked(picture: npt.NDArray[np.generic]) -> Gray:
    """Return a copy in gray: the caller may use the memory again."""
    if picture.shape not in ((DISPLAY_HEIGHT, DISPLAY_WIDTH), (PAIRS, DISPLAY_WIDTH)):
        size = "x".join(map(str, picture.shape[::-1]))
        raise ValueError(
            f"a picture is {DISPLAY_WIDTH}x{DISPLAY_HEIGHT} or {DISPLAY_WIDTH}x{PAIRS} pixels, "
            f"not {size}"
        )
    if picture.dtype == np.bool_:
        return picture.astype(np.uint8) * np.uint8(255)
    if picture.dtype != np.uint8:
        raise ValueError(f"a picture is of uint8 or bool, not of {picture.dtype}")
    return np.array(picture, np.uint8)
