"""A clip in the stream of frames: what is to be sent in each of them (spec 06 §4, §5)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from ..media import FRAME_SAMPLES, FRAME_TIME, Samples
from ..protocol import AnimTrackFlag as Track
from ..protocol import Message, messages
from ..resources import (
    AnimationClip,
    Mixer,
    RobotAudio,
    Sound,
    SoundSource,
    choose_event,
    gain_of_volume,
)
from ..robot import Frame
from .face_track import FaceTrack, Pictures, face_track_of
from .schedule import Schedule, schedule_of

REFRESH = round(10.0 / FRAME_TIME)
"""Frames after which a face that does not change is sent again: the robot clears its display
after 30 s (spec 04 §1)."""
_ROUNDS_KEPT = 64
"""More rounds than the robot can have ahead."""

Allow = Callable[[Message], Message | None]
"""Returns what may be sent in place of a message at this moment."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound that starts with a frame; those that came through ``stops`` end there."""

    sound: Sound | None
    gain: float = 1.0
    stops: frozenset[int] = frozenset()


class LiveSound(Protocol):
    """Sound that is made while a clip plays, frame by frame."""

    @property
    def frames(self) -> int: ...

    def next_frame(self) -> Samples:
        """Return the next 744 samples."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedClip:
    """A clip with everything it needs to be played once."""

    name: str
    schedule: Schedule
    faces: FaceTrack
    cues: Mapping[int, Cue]
    """By frame."""
    rng: random.Random
    """For what is drawn while it plays."""
    live: LiveSound | None = None
    """From the first frame on; such a clip can be played only once."""

    @property
    def sent_length(self) -> int:
        """Frames until nothing follows but the rest of sounds."""
        live = 0 if self.live is None else self.live.frames
        return max(self.schedule.length, self.faces.length, live)

    @property
    def length(self) -> int:
        """Frames; fewer where sounds are stopped before their end."""
        ends = (
            frame - -len(cue.sound.samples) // FRAME_SAMPLES
            for frame, cue in self.cues.items()
            if cue.sound is not None
        )
        return max(self.sent_length, *ends, 0)

    @property
    def duration(self) -> float:
        """In s."""
        return self.length * FRAME_TIME


def prepare(
    clip: AnimationClip,
    excluded: Track,
    pictures: Pictures,
    sounds: SoundSource,
    rng: random.Random,
) -> PreparedClip:
    """Return what playing needs; reads files. Raises ``ValueError`` for what cannot be played."""
    schedule = schedule_of(clip, excluded)
    faces = face_track_of(schedule, pictures)
    drawn = ((frame, _cue(keyframe, sounds, rng)) for frame, keyframe in schedule.sounds)
    cues = {frame: cue for frame, cue in drawn if cue is not None}
    return PreparedClip(clip.name, schedule, faces, cues, rng)


def _cue(keyframe: RobotAudio, sounds: SoundSource, rng: random.Random) -> Cue | None:
    event_id = choose_event(keyframe.audio_event_ids, keyframe.chances, rng)
    if event_id is None:
        return None
    gain = gain_of_volume(keyframe.volume)
    return Cue(sounds.sound_for(event_id, rng), gain, sounds.stopped_by(event_id))


@dataclass(frozen=True, slots=True)
class Round:
    """Which time the clip is played, from 0, and the frame of the source it started with."""

    number: int
    first: int


class ClipSource:
    """Gives the frames of a clip, as often as it is handed over; see ``FrameSource``.

    All rounds are one animation of the robot, under one tag. The face is owned only by a clip
    that draws on it: over the others the idle face goes on.
    """

    def __init__(
        self,
        first: PreparedClip,
        tag: int | None,
        parity: int = 0,
        allow: Allow = lambda message: message,
    ) -> None:
        """Play ``first``, and what ``extend`` adds, until ``finish`` says that this is all.

        Without a ``tag`` the robot takes the frames for no animation.
        """
        self.owned = first.schedule.tracks & ~Track.AUDIO
        self.on_round: Callable[[], object] = lambda: None
        """Called when the first frame of a round is asked for."""
        self._tag, self._parity, self._allow = tag, parity, allow
        self._clip = first
        self._next: tuple[PreparedClip, int] | None = None
        self._is_finished = False
        self._mixer = Mixer()
        self._frame = self._given = 0
        self._rounds: deque[Round] = deque([Round(0, 0)], maxlen=_ROUNDS_KEPT)
        self._shown: bytes | None = None
        self._shown_at = 0

    @property
    def needs_next(self) -> bool:
        """It is not yet known what follows the current round."""
        return self._next is None and not self._is_finished

    def extend(self, clip: PreparedClip, parity: int = 0) -> None:
        """Play the same clip once more after the current round, on the rows of ``parity``."""
        self._next = clip, parity

    def finish(self) -> None:
        """Nothing follows what was handed over so far."""
        self._is_finished = True

    def round_of(self, frames_played: int) -> Round:
        """Return the round that the last of so many frames belongs to."""
        started = [one for one in self._rounds if one.first < frames_played]
        return started[-1] if started else self._rounds[0]

    def completed_rounds(self, frames_played: int) -> int:
        """Return how many rounds were over after so many frames, apart from the very last one."""
        return max(one.number for one in self._rounds if one.first <= frames_played)

    def is_ready(self, _now: float) -> bool:
        """See ``FrameSource``: the last frame of a round waits for what follows."""
        is_ending = self._is_all_sent and self._mixer.frames_left <= 1
        return not (self.needs_next and is_ending)

    def next_frame(self, now: float) -> Frame:
        start: tuple[Message, ...] = ()
        if self._given == 0 and self._tag is not None:
            start = (messages.StartOfAnimation(self._tag),)
        if not self.is_ready(now):
            self._given += 1
            return Frame(None, start, self.owned)
        if self._frame == 0:
            self.on_round()
        keyframes, sound = (*start, *self._keyframes()), self._sound()
        is_over = self._is_all_sent and not self._mixer.is_running
        self._frame += 1
        self._given += 1
        is_last = is_over and self._next is None
        if is_over and self._next is not None:
            (self._clip, self._parity), self._next, self._frame = self._next, None, 0
            self._rounds.append(Round(self._rounds[-1].number + 1, self._given))
        return Frame(sound, keyframes, self.owned, is_last)

    @property
    def _is_all_sent(self) -> bool:
        """Nothing follows the current frame but the rest of sounds."""
        return self._frame >= self._clip.sent_length - 1

    def _sound(self) -> Samples | None:
        cue = self._clip.cues.get(self._frame)
        if cue is not None:
            self._mixer.stop(cue.stops)
            if cue.sound is not None:
                self._mixer.start(cue.sound, cue.gain)
        live = self._clip.live
        if live is not None and self._frame < live.frames:
            return live.next_frame()
        return self._mixer.frame()

    def _keyframes(self) -> Iterator[Message]:
        """Return what is to be sent besides the sound; the stream puts it in order."""
        schedule, frame = self._clip.schedule, self._frame
        for step in schedule.steps.get(frame, ()):
            allowed = self._allow(step(self._clip.rng))
            if allowed is not None:
                yield allowed
        lights = schedule.lights_at(frame)
        if lights is not None:
            yield lights
        code = self._clip.faces.code_at(frame, self._parity)
        is_due = code != self._shown or self._given - self._shown_at >= REFRESH
        if code is not None and is_due:
            self._shown, self._shown_at = code, self._given
            yield messages.FaceImage(code)
