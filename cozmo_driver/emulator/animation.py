"""The animation controller: plays buffered frames in step with the sound (spec 06 §1)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..media import FRAME_SAMPLES, FRAME_TIME, DisplayImage, Samples, audio_codec, display_codec
from ..protocol import AnimTrackFlag as Track
from ..protocol import Message, encode_message, messages
from .core import Core
from .keyframes import BUFFERED, TRACKS, Keyframes

KEPT_FRAMES = 20000
"""Frames and keyframes that are kept, more than 11 minutes; older ones are forgotten."""
_ROUNDING = 1e-6
CAPACITY = 8192
"""Bytes of the buffer; each message takes a u16 length more."""
PRELOAD = 7
"""Frames that must be buffered before playing begins, unless the end is there already."""
PERIOD = 0.03003
"""s between two AnimationStates, as measured."""
_LENGTH = 2
_ACKNOWLEDGE_AFTER = 0.001
_NO_ROOM, _CLEARED = (6, 379, 3), (258, 137, 3)
_NO_SOUND, _CORRUPT = (620, 404, 3), (455, 177, 3)
_STARVED = (305, 169, 3)
"""Format, name and level of traces, as recorded."""
_AUDIO = (messages.AudioSample, messages.AudioSilence)


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
        self._switched_on, self._frame_time = switched_on, frame_time
        self.frames: deque[PlayedFrame] = deque(maxlen=KEPT_FRAMES)
        self.keyframes: deque[PlayedKeyframe] = deque(maxlen=KEPT_FRAMES)

    def time_of(self, slot: int) -> float:
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

    def pictures(self) -> list[tuple[float, DisplayImage]]:
        return [
            (played.time, display_codec.decode(played.message.image))
            for played in self.keyframes
            if isinstance(played.message, messages.FaceImage) and played.is_executed
        ]

    def clear(self) -> None:
        self.frames.clear()
        self.keyframes.clear()


def decoded(frames: list[PlayedFrame]) -> Samples:
    """Return the samples of frames in a row; silence is zeros."""
    silence = bytes(FRAME_SAMPLES)
    samples = audio_codec.decode(b"".join(frame.codes or silence for frame in frames))
    return np.ascontiguousarray(samples)


@dataclass(slots=True)
class AnimationTruth:
    """What is the case in the controller; bytes are those of tags and payloads."""

    is_enabled: bool = False
    is_playing: bool = False
    """Frames are being played, or would be if the buffer had not run dry."""
    is_starved: bool = False
    tag: int = 0
    frames_buffered: int = 0
    bytes_buffered: int = 0
    frames_played: int = 0
    bytes_played: int = 0
    tracks: Track = Track.ALL
    starvations: int = 0
    """Times since power on that the buffer ran dry in the middle."""
    overflows: int = 0
    """Messages for which the buffer had no room, since power on; each cleared it."""
    dropped: int = 0
    """Messages that came while the controller was disabled, since power on."""
    corrupt: int = 0
    """Times that a frame did not begin with its sound, since power on."""
    volume: int | None = None
    """0 to 65535; None while nobody has set it in this session."""


class AnimationController:
    """Buffers the stream, plays a frame every 1/30 s and counts what was played."""

    def __init__(self, core: Core, keyframes: Keyframes, clock_speed: float = 1.0) -> None:
        """The audio clock runs ``clock_speed`` times as fast as the host's."""
        self._core = core
        self._keyframes = keyframes
        self._switched_on = core.now
        self.recording = Recording(core.now, FRAME_TIME / clock_speed)
        self._buffer: deque[tuple[Message, int]] = deque()
        self.state = AnimationTruth()
        self._is_due = False
        self._ends = 0
        for cls in BUFFERED:
            core.handle(cls, self._append)
        core.handle(messages.InitController, lambda _: self._on_init())
        core.handle(messages.AbortAnimation, lambda _: self._on_abort())
        core.handle(messages.DisableAnimTracks, self._on_disable_tracks)
        core.handle(messages.EnableAnimTracks, self._on_enable_tracks)
        core.handle(messages.SetAudioVolume, self._on_volume)
        core.when_disconnected(self._disable)

    def truth(self) -> AnimationTruth:
        return replace(self.state)

    # -- messages

    def _disable(self) -> None:
        state = self.state
        state.is_enabled = state.is_playing = state.is_starved = self._is_due = False
        state.tracks = Track.ALL
        state.tag = state.frames_played = state.bytes_played = 0
        state.volume = None
        self._clear_buffer()

    def _on_init(self) -> None:
        if not self.state.is_enabled:
            self.state.is_enabled = True
            self._report(self._core.now)

    def _report(self, since: float, count: int = 0) -> None:
        self._core.send(
            messages.AnimationState(
                timestamp=int((self._core.now - self._switched_on) * 1e6) % (1 << 32),
                num_anim_bytes_played=_wrapped(self.state.bytes_played),
                num_audio_frames_played=_wrapped(self.state.frames_played),
                enabled_anim_tracks=int(self.state.tracks),
                tag=self.state.tag,
                client_drop_count=self._core.connection.statistics.dropped & 0xFF,
            )
        )
        following = since + (count + 1) * PERIOD
        self._core.schedule.at(following, lambda: self._report(since, count + 1))

    def _append(self, message: Message) -> None:
        if not self.state.is_enabled:
            self.state.dropped += 1
            return
        if isinstance(message, messages.AudioSample):
            self._core.after(_ACKNOWLEDGE_AFTER, self._core.connection.acknowledge_early)
        size = len(encode_message(message))
        free = CAPACITY - self.state.bytes_buffered - _LENGTH * len(self._buffer)
        if size + _LENGTH > free:
            self.state.overflows += 1
            self._core.trace(*_NO_ROOM, free, size + _LENGTH)
            self._core.trace(*_CLEARED)
            self._give_up()
            return
        self._buffer.append((message, size))
        self.state.bytes_buffered += size
        self.state.frames_buffered += isinstance(message, (*_AUDIO, messages.EndOfAnimation))
        self._ends += isinstance(message, messages.EndOfAnimation)
        self._wake()

    def _on_abort(self) -> None:
        if self.state.is_enabled:
            self._keyframes.abort()
            self._give_up()

    def _on_disable_tracks(self, m: messages.DisableAnimTracks) -> None:
        tracks = Track(m.which_tracks)
        self.state.tracks &= ~tracks
        self._keyframes.stop(tracks)

    def _on_enable_tracks(self, m: messages.EnableAnimTracks) -> None:
        self.state.tracks |= Track(m.which_tracks)

    def _on_volume(self, m: messages.SetAudioVolume) -> None:
        self.state.volume = m.volume

    # -- playing

    @property
    def _is_ready(self) -> bool:
        if not self.state.is_playing:
            return self.state.frames_buffered >= PRELOAD or self._ends > 0
        return self.state.frames_buffered > 1

    def _wake(self) -> None:
        """Be there when the audio output next needs data, which it does on a fixed grid."""
        if self._is_due or not self._is_ready:
            return
        slot = self.recording.slot_after(self._core.now)
        self._is_due = True
        self._core.schedule.at(self.recording.time_of(slot), lambda: self._output(slot))

    def _output(self, slot: int) -> None:
        self._is_due = False
        if self._is_ready:
            self.state.is_playing, self.state.is_starved = True, False
            self._step(slot)
        elif self.state.is_playing and not self.state.is_starved:
            self.state.is_starved = True
            self.state.starvations += 1
            self._keyframes.stop(self._keyframes.used & Track.BODY)
        if self._is_ready or (self.state.is_playing and not self.state.is_starved):
            self._is_due = True
            time = self.recording.time_of(slot + 1)
            self._core.schedule.at(time, lambda: self._output(slot + 1))

    def _step(self, slot: int) -> None:
        """Play one frame: its sound, then everything up to the next sound or the end."""
        first = self._buffer[0][0]
        if not isinstance(first, _AUDIO):
            self.state.corrupt += 1
            tag = encode_message(first)[0]
            self._core.trace(*_NO_SOUND, tag)
            self._core.trace(*_CORRUPT, tag)
            self._give_up()
            return
        self._pop()
        codes = b""
        if isinstance(first, messages.AudioSample) and self.state.tracks & Track.AUDIO:
            codes = first.sample
        self.recording.frames.append(PlayedFrame(slot, codes))
        while self._buffer and not isinstance(self._buffer[0][0], _AUDIO):
            message = self._pop()
            if isinstance(message, messages.EndOfAnimation):
                self._end()
                return
            self._execute(message)
        if not self._is_ready:
            # The robot complains as soon as the next frame is not there (spec 18).
            self._core.trace(*_STARVED)

    def _pop(self) -> Message:
        message, size = self._buffer.popleft()
        is_frame = isinstance(message, (*_AUDIO, messages.EndOfAnimation))
        self.state.bytes_buffered -= size
        self.state.frames_buffered -= is_frame
        self._ends -= isinstance(message, messages.EndOfAnimation)
        self.state.bytes_played += size
        self.state.frames_played += is_frame
        return message

    def _execute(self, message: Message) -> None:
        is_executed = bool(TRACKS.get(type(message), Track.ALL) & self.state.tracks)
        if isinstance(message, messages.StartOfAnimation):
            self.state.tag = message.tag
            self._core.send(messages.AnimationStarted(self.state.tag))
        elif is_executed:
            self._keyframes.execute(message, self.state.tag)
        played = PlayedKeyframe(self._core.now, message, is_executed, self.state.tag)
        self.recording.keyframes.append(played)

    def _end(self) -> None:
        self._keyframes.end()
        if self.state.tag:
            self._core.send(messages.AnimationEnded(self.state.tag))
        self.state.tag = 0
        self.state.is_playing = False

    def _give_up(self) -> None:
        """Drop what is buffered; the counters jump over it. Without a tag nothing ends."""
        if self.state.tag:
            self._core.send(messages.AnimationEnded(self.state.tag))
        self.state.frames_played += self.state.frames_buffered
        self.state.bytes_played += self.state.bytes_buffered
        self.state.tag = 0
        self.state.is_playing = self.state.is_starved = False
        self._clear_buffer()

    def _clear_buffer(self) -> None:
        self._buffer.clear()
        self.state.frames_buffered = self._ends = self.state.bytes_buffered = 0


def _wrapped(value: int) -> int:
    """Return a counter as the 32 signed bits of it that are sent."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
