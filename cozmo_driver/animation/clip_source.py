"""A clip in the stream of frames: what is to be sent in each of them (spec 06 §5)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..media.audio_codec import FRAME_SAMPLES, FRAME_TIME
from ..protocol import Message, messages
from ..protocol.enums import AnimTrackFlag as Track
from ..resources.clips import AnimationClip
from ..resources.keyframes import RobotAudio
from ..resources.sound import Mixer, Sound, SoundSource, drawn_event, gain_of_volume
from ..robot import Frame
from .face_track import FaceTrack, Pictures, face_track_of
from .schedule import Schedule, schedule_of


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


REFRESH = round(10.0 / FRAME_TIME)
"""Frames after which a face that does not change is sent again: the robot clears its display
after 30 s (spec 04 §1)."""
_ROUNDS_KEPT = 64
"""More rounds than the robot can have ahead."""

Allow = Callable[[Message], Message | None]
"""Returns what may be sent in place of a message at this moment."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedClip:
    """A clip with everything it needs to be played once."""

    clip: AnimationClip
    schedule: Schedule
    faces: FaceTrack | None
    sounds: SoundTrack
    rng: random.Random
    """For what is drawn while it plays."""

    @property
    def length(self) -> int:
        """Frames; fewer where sounds are stopped before their end."""
        faces = 0 if self.faces is None else self.faces.length
        return max(self.schedule.length, faces, self.sounds.length)

    @property
    def duration(self) -> float:
        """Length in s."""
        return self.length * FRAME_TIME


def prepare(
    clip: AnimationClip,
    excluded: Track,
    pictures: Pictures,
    sounds: SoundSource,
    rng: random.Random,
) -> PreparedClip:
    """Draw and read what a clip needs; takes as long as the files take.

    Raises ``ValueError`` for what cannot be played.
    """
    schedule = schedule_of(clip, excluded)
    return PreparedClip(
        clip,
        schedule,
        face_track_of(schedule, pictures),
        sound_track_of(schedule, sounds, rng),
        rng,
    )


@dataclass(frozen=True, slots=True)
class Round:
    """Which time the clip is played, from 0, and the frame of the source it began with."""

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
        self._next: PreparedClip | None = None
        self._is_finished = False
        self._mixer = Mixer()
        self._frame = self._given = 0
        self._rounds: deque[Round] = deque([Round(0, 0)], maxlen=_ROUNDS_KEPT)
        self._shown: bytes | None = None
        self._shown_at = 0

    @property
    def wants_more(self) -> bool:
        """Tell whether it is not yet known what follows the present round."""
        return self._next is None and not self._is_finished

    def extend(self, clip: PreparedClip) -> None:
        """Play the same clip once more after the present round."""
        self._next = clip

    def finish(self) -> None:
        """Nothing follows what was handed over so far."""
        self._is_finished = True

    def round_of(self, frames_played: int) -> Round:
        """Return the round that the last of so many frames belongs to."""
        begun = [one for one in self._rounds if one.first < frames_played]
        return begun[-1] if begun else self._rounds[0]

    def completed_rounds(self, frames_played: int) -> int:
        """Return how many rounds were over after so many frames, apart from the very last one."""
        return max(one.number for one in self._rounds if one.first <= frames_played)

    # -- for the frame stream

    def is_ready(self, _now: float) -> bool:
        """See ``FrameSource``: the last frame of a round waits for what follows."""
        is_ending = self._is_all_sent and self._mixer.frames_left <= 1
        return not (self.wants_more and is_ending)

    def next_frame(self, now: float) -> Frame:
        """See ``FrameSource``."""
        if not self.is_ready(now):
            self._given += 1
            return Frame(owned=self.owned)
        if self._frame == 0:
            self.on_round()
        cue = self._clip.sounds.cues.get(self._frame)
        if cue is not None:
            cue.give(self._mixer)
        keyframes, sound = tuple(self._keyframes()), self._mixer.frame()
        is_over = self._is_all_sent and not self._mixer.is_running
        self._frame += 1
        self._given += 1
        is_last = is_over and self._next is None
        if is_over and self._next is not None:
            self._begin_round(self._next)
        return Frame(sound, keyframes, self.owned, is_last)

    # -- inside

    @property
    def _is_all_sent(self) -> bool:
        """Tell whether nothing follows the present frame but the rest of sounds."""
        faces = self._clip.faces
        length = max(self._clip.schedule.length, 0 if faces is None else faces.length)
        return self._frame >= length - 1

    def _begin_round(self, clip: PreparedClip) -> None:
        self._clip, self._next = clip, None
        self._frame = 0
        self._rounds.append(Round(self._rounds[-1].number + 1, self._given))

    def _keyframes(self) -> Iterator[Message]:
        """Return what is to be sent besides the sound; the stream puts it in order."""
        if self._given == 0 and self._tag is not None:
            yield messages.StartOfAnimation(self._tag)
        schedule, frame = self._clip.schedule, self._frame
        for step in schedule.steps.get(frame, ()):
            allowed = self._allow(step(self._clip.rng))
            if allowed is not None:
                yield allowed
        lights = schedule.lights_at(frame)
        if lights is not None:
            yield lights
        picture = self._picture()
        if picture is not None:
            yield messages.FaceImage(picture)

    def _picture(self) -> bytes | None:
        """Return the picture if it has changed, or has stood for long."""
        faces = self._clip.faces
        code = None if faces is None else faces.code_at(self._frame, self._parity)
        is_due = code != self._shown or self._given - self._shown_at >= REFRESH
        if code is None or not is_due:
            return None
        self._shown, self._shown_at = code, self._given
        return code
