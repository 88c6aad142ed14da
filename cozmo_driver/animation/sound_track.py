"""The sounds of a clip, drawn when it begins (spec 06 §4)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from ..media.audio_codec import FRAME_SAMPLES
from ..resources.keyframes import RobotAudio
from ..resources.sound import Mixer, Sound, SoundSource, drawn_event, gain_of_volume
from .schedule import Schedule


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound that begins with a frame; those that came through ``stops`` end there."""

    sound: Sound | None
    gain: float = 1.0
    stops: frozenset[int] = frozenset()

    def give(self, mixer: Mixer) -> None:
        """Let it be heard from the mixer's next frame on."""
        if self.stops:
            mixer.stop(self.stops)
        if self.sound is not None:
            mixer.start(self.sound, self.gain)


@dataclass(frozen=True, slots=True)
class SoundTrack:
    """Sounds by the frame they begin with."""

    cues: Mapping[int, Cue]
    length: int
    """Frames until the last sound is over, unless one stops another."""


def sound_track_of(schedule: Schedule, sounds: SoundSource, rng: random.Random) -> SoundTrack:
    """Draw the sounds of a clip and fetch them, which may take a moment."""
    cues: dict[int, Cue] = {}
    length = 0
    for frame, keyframe in schedule.sounds:
        cue = _drawn(keyframe, sounds, rng)
        if cue is None:
            continue
        cues[frame] = cue
        if cue.sound is not None:
            length = max(length, frame - -len(cue.sound.samples) // FRAME_SAMPLES)
    return SoundTrack(cues, length)


def _drawn(keyframe: RobotAudio, sounds: SoundSource, rng: random.Random) -> Cue | None:
    event_id = drawn_event(keyframe.audio_event_ids, keyframe.chances, rng)
    if event_id is None:
        return None
    gain = gain_of_volume(keyframe.volume)
    return Cue(sounds.sound_for(event_id, rng), gain, sounds.stopped_by(event_id))
