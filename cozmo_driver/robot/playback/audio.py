"""The loudspeaker: sound files, live sound, loudness (spec 05)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ...link import end
from ...media import (
    FRAME_SAMPLES,
    FRAME_TIME,
    SAMPLE_RATE,
    AudioFile,
    AudioFileError,
    AudioFileNotFound,
    LibraryMissing,
    SampleQueue,
)
from ...protocol import messages
from ..errors import Reason, RobotError, check_range
from ..session import Session
from .audio_stream import AudioStream, AudioStreamOptions
from .frame_stream import FrameStream
from .frames import Frame

_LOUDEST = 0xFFFF
READ_AHEAD = 1.5
"""Sound of a file that is in memory at a time, s."""
_PIECE = 0.5


@dataclass(frozen=True, slots=True)
class SoundProgress:
    """How far a sound is; s, by the robot's own count."""

    position: float
    duration: float


class Audio:
    """Plays sounds; several at a time are mixed."""

    def __init__(
        self,
        session: Session,
        frames: FrameStream,
        volume: float = 1.0,
        options: AudioStreamOptions | None = None,
    ) -> None:
        """``volume``, 0 to 1, is set in every session. Raises ``ValueError``."""
        self._session, self._frames = session, frames
        check_range("volume", volume, 0.0, 1.0)
        self.volume = volume
        """As set last."""
        self.stream = AudioStream(frames, options or AudioStreamOptions())
        """Live sound."""
        session.on_setup.connect(lambda _: self._send_volume())

    def set_volume(self, volume: float) -> None:
        """Set the loudness, 0 to 1, 0 is mute, now and in later sessions. Raises ``ValueError``."""
        check_range("volume", volume, 0.0, 1.0)
        self.volume = volume
        if self._session.link.is_connected:
            self._send_volume()

    async def play_file(
        self,
        path: str | Path,
        *,
        gain: float = 1.0,
        on_progress: Callable[[SoundProgress], object] | None = None,
    ) -> SoundProgress:
        """Play a WAV, FLAC or OGG file; ``gain`` scales its samples, 0 to 1.

        Returns how far it came once the robot has played all of it. ``on_progress`` is called with
        every frame played. Cancelling silences the robot. Raises ``RobotError`` with the reason:
        NOT_FOUND or INVALID for the file, NOT_CONNECTED, LINK_LOST, TIMEOUT, UNSUPPORTED.
        """
        with contextlib.ExitStack() as stack:
            # A thread of its own: a slow disk delays neither the robot nor other sounds. A read
            # that still runs when the playing is cancelled ends by itself.
            pool = ThreadPoolExecutor(1, "cozmo-sound")
            stack.callback(pool.shutdown, wait=False)
            loop = asyncio.get_running_loop()
            try:
                check_range("gain", gain, 0.0, 1.0)
                file = await loop.run_in_executor(pool, AudioFile, path, gain)
                stack.callback(pool.submit, file.close)
                source = _FileSource(file, pool)
                await source.fill()
            except AudioFileNotFound as error:
                raise RobotError(Reason.NOT_FOUND, str(error)) from error
            except LibraryMissing as error:
                raise RobotError(Reason.UNSUPPORTED, str(error)) from error
            except ValueError as error:
                raise RobotError(Reason.INVALID, str(error)) from error
            return await self._play(source, on_progress)

    async def _play(
        self, source: _FileSource, on_progress: Callable[[SoundProgress], object] | None
    ) -> SoundProgress:
        duration = source.file.duration

        def progress(frames: int) -> SoundProgress:
            return SoundProgress(min(frames * FRAME_TIME, duration), duration)

        playback = self._frames.play(source)
        if on_progress is not None:
            playback.on_progress.connect(lambda frames: on_progress(progress(frames)))
        reader = asyncio.ensure_future(source.refill())
        try:
            await playback.finished()
        finally:
            playback.stop()
            error = await end(reader)
            if error is not None:
                raise error
        if source.error is not None:
            raise RobotError(Reason.INVALID, str(source.error)) from source.error
        return progress(playback.frames_played)

    def _send_volume(self) -> None:
        self._session.send(messages.SetAudioVolume(round(self.volume * _LOUDEST)))


class _FileSource:
    """A ``FrameSource`` that reads a file ahead in the thread of ``pool``."""

    def __init__(self, file: AudioFile, pool: ThreadPoolExecutor) -> None:
        self.file, self._pool = file, pool
        self.queue = SampleQueue()
        self.error: AudioFileError | None = None
        """What is wrong with the file; what came before is played."""
        self._is_at_end = False
        self._taken = asyncio.Event()

    def is_ready(self, _now: float) -> bool:
        return self._is_at_end or len(self.queue) >= FRAME_SAMPLES

    def next_frame(self, now: float) -> Frame:
        if not self.is_ready(now):
            return Frame()
        sound = self.queue.get(FRAME_SAMPLES)
        self._taken.set()
        return Frame(sound, is_last=self._is_at_end and not len(self.queue))

    async def fill(self) -> None:
        """Read until enough is in memory, or all. Raises ``AudioFileError``."""
        loop = asyncio.get_running_loop()
        while not self._is_at_end and len(self.queue) < READ_AHEAD * SAMPLE_RATE:
            samples = await loop.run_in_executor(self._pool, self.file.read, _PIECE)
            self._is_at_end = not len(samples)
            self.queue.put(samples)

    async def refill(self) -> None:
        try:
            while not self._is_at_end:
                await self._taken.wait()
                self._taken.clear()
                await self.fill()
        except AudioFileError as error:
            self.error, self._is_at_end = error, True
