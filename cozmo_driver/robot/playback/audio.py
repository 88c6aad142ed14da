"""The loudspeaker: live sound, sound files, loudness (spec 05)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from ...protocol import messages
from ..reasons import Reason
from ..session import Session
from .audio_file import SoundProgress, play_file
from .audio_stream import AudioStream, AudioStreamOptions
from .frame_stream import FrameStream, PlaybackEnded

__all__ = ["Audio", "AudioStream", "AudioStreamOptions", "SoundProgress"]

_LOUDEST = 0xFFFF


class Audio:
    """Plays sounds; several at a time are mixed."""

    def __init__(
        self,
        session: Session,
        stream: FrameStream,
        volume: float = 1.0,
        options: AudioStreamOptions | None = None,
    ) -> None:
        """Play through ``stream``; ``volume``, 0 to 1, is set in every session.

        Raises ``ValueError``.
        """
        self._session, self._frames = session, stream
        self._volume = _checked_share("volume", volume)
        self.stream = AudioStream(stream, options or AudioStreamOptions())
        """Live sound."""
        session.on_setup.connect(lambda _: self._tell_volume())

    @property
    def volume(self) -> float:
        """Loudness, 0 to 1."""
        return self._volume

    def set_volume(self, volume: float) -> None:
        """Set the loudness, 0 to 1, 0 is mute, now and in later sessions. Raises ``ValueError``."""
        self._volume = _checked_share("volume", volume)
        if self._session.link.is_connected:
            self._tell_volume()

    async def play_file(
        self,
        path: str | Path,
        *,
        gain: float = 1.0,
        on_progress: Callable[[SoundProgress], object] | None = None,
    ) -> SoundProgress:
        """Play a WAV, FLAC or OGG file; ``gain`` scales its samples, 0 to 1.

        Returns how far it came once the robot has played all of it. ``on_progress`` is called with
        every frame played. Cancelling silences the robot. Raises ``PlaybackEnded`` with the reason:
        NOT_FOUND or INVALID for the file, NOT_CONNECTED, LINK_LOST, TIMEOUT, UNSUPPORTED.
        """
        try:
            gain = _checked_share("gain", gain)
        except ValueError as error:
            raise PlaybackEnded(Reason.INVALID, str(error)) from None
        return await play_file(self._frames, path, gain, on_progress)

    def _tell_volume(self) -> None:
        self._session.send(messages.SetAudioVolume(round(self._volume * _LOUDEST)))


def _checked_share(name: str, value: float) -> float:
    if not (math.isfinite(value) and 0.0 <= value <= 1.0):
        raise ValueError(f"{name} is {value}; it is from 0 to 1")
    return value
