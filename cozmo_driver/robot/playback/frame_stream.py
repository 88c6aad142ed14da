"""The one owner of the robot's frame clock: everything that plays goes through it (spec 06 §2).

The robot plays a frame every 1/30 s and reports how many it has played; its counters are the clock.
Nothing is sent while nothing plays.
"""

from __future__ import annotations

import asyncio
import logging
import math

from ...link import set_at
from ...protocol import messages
from ..data import SessionState
from ..errors import Reason, RobotError
from ..session import Session
from ..signal import Signal
from .frames import Frame, FrameSource, Priority, merge
from .robot_buffer import BufferedFrame, PictureBudget, RobotBuffer

_log = logging.getLogger(__name__)

AHEAD = 10
"""Frames sent before they are played, 1/3 s: what the robot's buffer holds of sound."""
URGENT = 5
"""With so few left, a source that is not ready is no longer waited for; the robot itself has up to
three fewer, because its counters and the frames are on their way."""
ABORT_TIMEOUT = 1.0
"""For the counters' jump over what an abort dropped, s since its acknowledgement: what comes later
would be taken for frames that were sent since, and overfill the buffer."""
STALL_TIMEOUT = 6.0
"""s without a frame played after which the robot has stopped; a lost link is seen before."""


class Playback:
    """One source in the stream, from ``FrameStream.play`` to its end."""

    def __init__(self, stream: FrameStream, source: FrameSource, priority: Priority) -> None:
        self.source, self.priority = source, priority
        self.frames_sent = self.frames_played = 0
        """Frames of this source, the latter by the robot's count; none that an abort dropped."""
        self.is_complete = False
        """All its frames have been sent."""
        self.on_progress: Signal[int] = Signal()
        """``frames_played``, whenever it has grown."""
        self.has_animation = False
        """Its StartOfAnimation was sent and EndOfAnimation was not."""
        self.error: RobotError | None = None
        self._stream = stream
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """It was played to its end, stopped or failed."""
        is_played = self.is_complete and self.frames_played >= self.frames_sent
        return is_played or self.error is not None

    async def finished(self) -> None:
        """Wait until the last frame is played. Raises ``RobotError``."""
        loop = asyncio.get_running_loop()
        while not self.is_over:
            played, deadline = self._stream.played, loop.time() + STALL_TIMEOUT
            self._changed.clear()
            with set_at(self._changed, deadline):
                await self._changed.wait()
            is_late = loop.time() >= deadline
            if is_late and self._stream.played == played and not self.is_over:
                text = f"the robot has played nothing for {STALL_TIMEOUT:g} s"
                self.stop(Reason.TIMEOUT, text)
        if self.error is not None:
            # A new one: an error that was raised holds the frames it passed, and they hold this.
            raise RobotError(self.error.reason, str(self.error))

    def stop(self, reason: Reason = Reason.CANCELED, text: str = "stopped") -> None:
        """End it now: at once when nothing of the same or a higher priority plays, else after
        what the robot has already got, up to 1/3 s. Without effect when it is over.
        """
        if not self.is_over:
            self._stream.remove(self)
            self.end(RobotError(reason, text))

    # -- for the stream

    def end(self, error: RobotError | None = None) -> None:
        self.error = self.error or error
        self._changed.set()

    def on_frame_dropped(self) -> None:
        self.frames_sent -= 1
        self._changed.set()

    def on_frame_played(self) -> None:
        self.frames_played += 1
        self._changed.set()
        self.on_progress.emit(self.frames_played)


class FrameStream:
    """Builds the frames of all sources together and sends them as the robot plays them."""

    def __init__(self, session: Session) -> None:
        self.buffer = RobotBuffer()
        self.on_picture: Signal[messages.FaceImage] = Signal()
        """Every picture, when the robot has played its frame."""
        self._session = session
        self._playing: list[Playback] = []
        self._pending: BufferedFrame | None = None
        """A frame that is built and for which the robot has no room yet."""
        self._is_open = False
        """Frames were sent since the last EndOfAnimation."""
        self._abort_until, self._abort = -math.inf, 0
        """When an abort's jump is no longer waited for, and the abort's ordinal."""
        self._pictures = PictureBudget()
        session.on_setup.connect(lambda _: self._reset())
        session.on_state.connect(self._on_session)
        session.on(messages.AnimationState, self._on_counters)

    @property
    def played(self) -> int:
        """Frames that the robot has played in this session."""
        return self.buffer.played

    @property
    def ahead(self) -> int:
        """Frames that the robot still has to play."""
        return self.buffer.ahead

    @property
    def is_playing(self) -> bool:
        """There is a source, or frames that the robot has not yet played."""
        return bool(self._playing or self.buffer.ahead)

    def play(self, source: FrameSource, priority: Priority = Priority.USER) -> Playback:
        """Add a source; it starts as soon as the robot has room.

        Raises ``RobotError`` (NOT_CONNECTED) when no robot is ready.
        """
        self._session.check_ready()
        playback = Playback(self, source, priority)
        self._playing.append(playback)
        # By falling priority; equal ones in the order of coming.
        self._playing.sort(key=lambda other: -other.priority)
        try:
            self.pump(asyncio.get_running_loop().time())
        except BaseException:
            # Nobody could stop it.
            if playback in self._playing:
                self._playing.remove(playback)
            raise
        return playback

    @property
    def playing(self) -> tuple[Playback, ...]:
        """Sources that may still give frames, by falling priority."""
        return tuple(self._playing)

    def remove(self, playback: Playback) -> None:
        """Take a source out; ``Playback.stop`` is the way to do it."""
        if playback in self._playing:
            self._playing.remove(playback)
        others = {*self._playing, *self._owners()} - {playback}
        is_alone = all(other.is_over or other.priority < playback.priority for other in others)
        if is_alone and (self.ahead or playback.has_animation):
            self.abort()
        elif playback.has_animation or not self._playing:
            self._close()

    def abort(self) -> None:
        """Let the robot drop what it has and stop what the stream moved (spec 06 §1)."""
        for playback in self._owners():
            playback.on_frame_dropped()
        for playback in self._playing:
            playback.has_animation = False
        self._pending = None
        self._is_open = False
        self._pictures = PictureBudget()
        for frame in self.buffer.frames:
            frame.content = frame.owners = ()
        if not self._session.link.is_connected:
            return
        self._abort_until = asyncio.get_running_loop().time() + ABORT_TIMEOUT
        self._abort = self._session.safety.stop(messages.AbortAnimation())

    def pump(self, now: float) -> None:
        """Send what the robot has room for; called whenever something may have changed."""
        is_ready = self._session.is_ready and self._session.link.is_connected
        if not is_ready or self._is_aborting(now):
            return
        while True:
            if self._pending is None:
                self._pending = self._build(now)
                if self._pending is None:
                    break
            frame = self._pending
            if not (self.buffer.has_room(frame.size) and self._may_send(len(frame.content))):
                return
            self._pending = None
            self._send(frame)
        if not any(playback.frames_sent for playback in self._playing):
            self._close()

    def _may_send(self, count: int) -> bool:
        """Return whether the link takes so many messages, and the end behind them.

        Half a frame would be none; with the next report of the robot it is tried again.
        """
        return self._session.link.room > count

    def _owners(self) -> list[Playback]:
        """Return whose frames are on their way, each as often as it has some."""
        frames = [*self.buffer.frames, *([self._pending] if self._pending else [])]
        return [playback for frame in frames for playback in frame.owners]

    def _is_aborting(self, now: float) -> bool:
        if self._abort_until == -math.inf:
            return False
        if not self._session.link.is_acknowledged(self._abort):
            self._abort_until = now + ABORT_TIMEOUT
        if self.ahead and now < self._abort_until:
            return True
        self._abort_until = -math.inf
        self.buffer.forget()
        return False

    def _build(self, now: float) -> BufferedFrame | None:
        if not self.buffer.is_known or self.ahead >= AHEAD:
            return None
        if not self._playing:
            rest = self._pictures.rest()
            return BufferedFrame(rest) if rest else None
        is_urgent = self.ahead <= URGENT
        if not is_urgent and not all(p.source.is_ready(now) for p in self._playing):
            return None
        frames = [(playback, self._next_frame(playback, now)) for playback in self.playing]
        given = [(playback, frame) for playback, frame in frames if frame is not None]
        if not given:
            return None
        content = self._pictures.fit(merge(frame for _, frame in given))
        for playback, frame in given:
            playback.frames_sent += 1
            playback.has_animation |= any(
                isinstance(message, messages.StartOfAnimation) for message in frame.keyframes
            )
            if frame.is_last:
                playback.is_complete = True
                self._playing.remove(playback)
        return BufferedFrame(content, tuple(playback for playback, _ in given))

    def _next_frame(self, playback: Playback, now: float) -> Frame | None:
        """Return the frame of one source; one that fails is dropped and harms no other."""
        try:
            return playback.source.next_frame(now)
        except Exception as error:
            _log.exception("a source of the animation stream failed")
            self._playing.remove(playback)
            playback.end(RobotError(Reason.INVALID, f"it cannot be played: {error}"))
            return None

    def _send(self, frame: BufferedFrame) -> None:
        for message in frame.content:
            self._session.send(message)
        self._is_open = True
        self.buffer.add(frame)
        ended = [playback for playback in frame.owners if playback.is_complete]
        if any(playback.has_animation for playback in ended) or not self._playing:
            self._close()
        for playback in ended:
            playback.has_animation = False

    def _close(self) -> None:
        """Let the robot play all it has: without an end it keeps the last frame (spec 06 §1)."""
        is_complete = self._pending is None and (self._playing or not self._pictures.held_back)
        if not (self._is_open and is_complete and self._may_send(0)):
            return
        end = messages.EndOfAnimation()
        self._session.send(end)
        self._is_open = False
        self.buffer.add(BufferedFrame((end,)))

    def _on_counters(self, state: messages.AnimationState, now: float) -> None:
        played = self.buffer.update(state)
        if played is None:
            return
        for frame in played:
            for playback in frame.owners:
                playback.on_frame_played()
            for message in frame.content:
                if isinstance(message, messages.FaceImage):
                    self.on_picture.emit(message)
        self.pump(now)

    def _reset(self) -> None:
        self.buffer = RobotBuffer()
        self._pending = None
        self._is_open = False
        self._pictures = PictureBudget()
        self._abort_until = -math.inf

    def _on_session(self, state: SessionState) -> None:
        if not state.has_ended:
            return
        error = RobotError(*state.end)
        for playback in {*self._playing, *self._owners()}:
            if not playback.is_over:
                playback.end(error)
        self._playing.clear()
        self._reset()
