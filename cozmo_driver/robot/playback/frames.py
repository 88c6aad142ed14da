"""Frames of the animation stream: of one source, and merged of several (spec 06 §2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np

from ...media import FRAME_SAMPLES, Samples, audio_codec
from ...protocol import AnimTrackFlag as Track
from ...protocol import Message
from ...protocol.messages import (
    AudioSample,
    AudioSilence,
    BackpackLights,
    BodyMotion,
    Event,
    FaceImage,
    HeadAngle,
    LiftHeight,
    RecordHeading,
    StartOfAnimation,
    TurnToRecordedHeading,
)

KEYFRAMES: dict[type, Track] = {
    StartOfAnimation: Track(0),
    HeadAngle: Track.HEAD,
    LiftHeight: Track.LIFT,
    Event: Track.EVENT,
    FaceImage: Track.FACE_IMAGE,
    BackpackLights: Track.BACKPACK_LIGHTS,
    BodyMotion: Track.BODY,
    RecordHeading: Track.BODY,
    TurnToRecordedHeading: Track.BODY,
}
"""Messages that may stand in a frame, in their order, and their tracks."""
_RANK = {cls: rank for rank, cls in enumerate(KEYFRAMES)}


class Priority(IntEnum):
    """Whose pictures and movements win."""

    IDLE = 0
    """The idle face."""
    USER = 1
    """Sounds and pictures of the user."""
    CLIP = 2


@dataclass(frozen=True, slots=True)
class Frame:
    """What one source plays during 1/30 s."""

    sound: Samples | None = None
    """Up to 744 samples at 22320 Hz; None for silence."""
    keyframes: tuple[Message, ...] = ()
    """At most one of each class in ``KEYFRAMES``; the order does not matter."""
    owned: Track = Track(0)
    """Tracks that sources of lower priority must leave alone, used in this frame or not."""
    is_last: bool = False
    """Nothing follows: the source has ended."""


class FrameSource(Protocol):
    """What plays: returns the content of one frame after the other."""

    def is_ready(self, now: float) -> bool:
        """Return whether the next frame is known at ``now``, s; others wait as long as they can."""

    def next_frame(self, now: float) -> Frame | None:
        """Return the next frame at ``now``, s; called unready when the robot runs dry.

        None is for a source that has not started; one that has is silent with an empty frame.
        """


def merge(frames: Iterable[Frame]) -> tuple[Message, ...]:
    """Return the messages of one frame of the stream; the frames come by falling priority.

    Sounds are mixed. Of each class the first keyframe counts, unless a frame before owns its track.
    """
    sounds: list[Samples] = []
    keyframes: dict[type, Message] = {}
    owned = Track(0)
    for frame in frames:
        if frame.sound is not None and not owned & Track.AUDIO:
            sounds.append(frame.sound)
        for message in frame.keyframes:
            if not KEYFRAMES[type(message)] & owned:
                keyframes.setdefault(type(message), message)
        owned |= frame.owned
    ordered = sorted(keyframes.values(), key=lambda message: _RANK[type(message)])
    return (_sound_message(sounds), *ordered)


def _sound_message(sounds: list[Samples]) -> Message:
    """Return the one audio message of a frame; an inaudible one takes no room."""
    if not sounds:
        return AudioSilence()
    codes = audio_codec.encode(sounds[0] if len(sounds) == 1 else _mixed(sounds))
    if audio_codec.is_silent(codes):
        return AudioSilence()
    return AudioSample(codes.ljust(FRAME_SAMPLES, b"\0"))


def _mixed(sounds: list[Samples]) -> Samples:
    total = np.zeros(FRAME_SAMPLES, np.int32)
    for sound in sounds:
        total[: len(sound)] += sound
    mixed: Samples = np.clip(total, -0x8000, 0x7FFF).astype(np.int16)
    return mixed
