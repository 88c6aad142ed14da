"""A sound file in the frame stream; read ahead in a thread, so that a slow disk harms nobody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ...link import end
from ...media.audio_codec import FRAME_SAMPLES, FRAME_TIME, SAMPLE_RATE
from ...media.audio_files import AudioFile, AudioFileError, AudioFileNotFound
from ...media.libraries import LibraryMissing
from ...media.sample_queue import SampleQueue
from ..reasons import Reason
from .frame_stream import FrameStream, PlaybackEnded
from .frames import Frame

READ_AHEAD = 1.5
"""Sound of a file that is in memory at a time, s."""
_PIECE = 0.5


@dataclass(frozen=True, slots=True)
class SoundProgress:
    """How far a sound is; s, by the robot's own count."""

    position: float
    duration: float


class FileSource:
    """Gives the frames of a file whose samples ``read`` brings."""

    def __init__(self) -> None:
        """Start empty."""
        self.queue = SampleQueue()
        self.is_at_end = False
        self.error: AudioFileError | None = None
        self.wants_more = asyncio.Event()

    @property
    def is_full(self) -> bool:
        """Tell whether enough is read ahead, or all."""
        return self.is_at_end or len(self.queue) >= READ_AHEAD * SAMPLE_RATE

    def is_ready(self, _now: float) -> bool:
        """See ``FrameSource``."""
        return self.is_at_end or len(self.queue) >= FRAME_SAMPLES

    def next_frame(self, now: float) -> Frame:
        """See ``FrameSource``."""
        if not self.is_ready(now):
            return Frame()
        sound = self.queue.take(FRAME_SAMPLES)
        self.wants_more.set()
        return Frame(sound, is_last=self.is_at_end and not len(self.queue))


async def play_file(
    stream: FrameStream,
    path: str | Path,
    gain: float,
    on_progress: Callable[[SoundProgress], object] | None,
) -> SoundProgress:
    """Play a file to its end; see ``Audio.play_file``; ``gain`` 0 to 1.

    Raises ``PlaybackEnded``.
    """
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as stack:
        pool = ThreadPoolExecutor(1, "cozmo-sound")
        # A read that still runs when the playing is cancelled ends by itself.
        stack.callback(pool.shutdown, wait=False)
        try:
            file = await loop.run_in_executor(pool, AudioFile, path, gain)
            stack.callback(pool.submit, file.close)
            source = FileSource()
            while not source.is_full:
                await _read(source, file, pool)
        except (AudioFileError, LibraryMissing) as error:
            raise _refusal(error) from error
        return await _play(stream, source, file, pool, on_progress)


async def _play(
    stream: FrameStream,
    source: FileSource,
    file: AudioFile,
    pool: ThreadPoolExecutor,
    on_progress: Callable[[SoundProgress], object] | None,
) -> SoundProgress:
    def progress(frames: int) -> SoundProgress:
        return SoundProgress(min(frames * FRAME_TIME, file.duration), file.duration)

    playback = stream.play(source)
    if on_progress is not None:
        playback.on_progress.connect(lambda frames: on_progress(progress(frames)))
    reader = asyncio.ensure_future(_keep_reading(source, file, pool))
    try:
        await playback.finished()
    finally:
        playback.stop()
        error = await end(reader)
        if error is not None:
            raise error
    if source.error is not None:
        raise _refusal(source.error) from source.error
    return progress(playback.frames_played)


async def _read(source: FileSource, file: AudioFile, pool: ThreadPoolExecutor) -> None:
    """Read one piece ahead. Raises ``AudioFileError``."""
    samples = await asyncio.get_running_loop().run_in_executor(pool, file.read, _PIECE)
    source.is_at_end = not len(samples)
    source.queue.put(samples)


async def _keep_reading(source: FileSource, file: AudioFile, pool: ThreadPoolExecutor) -> None:
    while not source.is_at_end:
        if source.is_full:
            source.wants_more.clear()
            await source.wants_more.wait()
            continue
        try:
            await _read(source, file, pool)
        except AudioFileError as error:
            # What came before the damage is played.
            source.error, source.is_at_end = error, True


def _refusal(error: AudioFileError | LibraryMissing) -> PlaybackEnded:
    if isinstance(error, LibraryMissing):
        return PlaybackEnded(Reason.UNSUPPORTED, str(error))
    is_missing = isinstance(error, AudioFileNotFound)
    return PlaybackEnded(Reason.NOT_FOUND if is_missing else Reason.INVALID, str(error))
