"""In which frame each keyframe of a clip is sent (spec 06 §2, §5).

Frame k is at 33·k ms of the clip. A keyframe goes into the first frame at or after its trigger;
there is at most one of a track in a frame, and a second one waits for the next. What has to be
sent when a duration is over, is a step of its own.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..protocol import Message
from ..protocol.enums import AnimTrackFlag as Track
from ..resources.clips import FRAME_MS, AnimationClip, end_of
from ..resources.keyframes import (
    BackpackLights,
    BodyMotion,
    FaceAnimation,
    Keyframe,
    ProceduralFace,
    RobotAudio,
)
from . import keyframe_messages as made

K = TypeVar("K", bound=Keyframe)
NO_TRACK = Track(0)
Step = Callable[[random.Random], Message]
"""Makes a message when it is sent: variability is drawn at that time."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A keyframe and its frame."""

    frame: int
    keyframe: Keyframe


@dataclass(frozen=True, slots=True)
class Lights:
    """Colours of the backpack, sent in every frame from ``frame`` to before ``end``."""

    frame: int
    end: int
    message: Message


@dataclass(frozen=True, slots=True)
class Schedule:
    """A clip as frames; faces and sounds still have to be looked up, so they stay keyframes."""

    steps: Mapping[int, tuple[Step, ...]]
    """By frame."""
    lights: tuple[Lights, ...]
    faces: tuple[tuple[int, ProceduralFace], ...]
    sequences: tuple[tuple[int, FaceAnimation], ...]
    sounds: tuple[tuple[int, RobotAudio], ...]
    length: int
    """Frames until everything was sent and all durations are over; sounds and sequences of
    pictures may need more."""
    tracks: Track
    """Tracks with a keyframe."""

    def lights_at(self, frame: int) -> Message | None:
        """Return the colours to be sent with a frame."""
        index = bisect_right(self.lights, frame, key=lambda lights: lights.frame) - 1
        if index < 0 or frame >= self.lights[index].end:
            return None
        return self.lights[index].message


def frame_at(milliseconds: int) -> int:
    """Return the first frame at or after a time of the clip."""
    return -(-milliseconds // FRAME_MS)


def placed(keyframes: Iterable[K]) -> Iterator[tuple[int, K]]:
    """Return the keyframes of one track with the frames they go into."""
    frame = -1
    for keyframe in keyframes:
        frame = max(frame + 1, frame_at(keyframe.trigger_ms))
        yield frame, keyframe


def schedule_of(clip: AnimationClip, excluded: Track = NO_TRACK) -> Schedule:
    """Return when what of a clip is sent, without the excluded tracks."""
    steps: dict[int, list[Step]] = defaultdict(list)
    tracks, last = NO_TRACK, 0
    simple: tuple[tuple[Track, Iterable[Any], Callable[[Any, random.Random], Message]], ...] = (
        (Track.HEAD, clip.head_angle, made.head_angle),
        (Track.LIFT, clip.lift_height, made.lift_height),
        (Track.EVENT, [one for one in clip.event if one.number is not None], made.event),
        (Track.BODY, clip.record_heading, made.record_heading),
        (Track.BODY, clip.turn_to_recorded_heading, made.turn),
    )
    for track, keyframes, make in simple:
        if track & excluded:
            continue
        for frame, keyframe in placed(keyframes):
            steps[frame].append(_step(make, keyframe))
            last = max(last, frame, frame_at(end_of(keyframe)))
            tracks |= track
    if not excluded & Track.BODY:
        for frame, step in _body_steps(clip.body_motion):
            steps[frame].append(step)
            last, tracks = max(last, frame), tracks | Track.BODY
    lights: list[Lights] = []
    if not excluded & Track.BACKPACK_LIGHTS:
        lights = list(_lights(clip.backpack_lights))
        tracks |= Track.BACKPACK_LIGHTS if lights else NO_TRACK
    is_drawn, is_heard = not excluded & Track.FACE_IMAGE, not excluded & Track.AUDIO
    faces = tuple(placed(clip.procedural_face)) if is_drawn else ()
    sequences = tuple(placed(clip.face_animation)) if is_drawn else ()
    sounds = tuple(placed(clip.robot_audio)) if is_heard else ()
    tracks |= Track.FACE_IMAGE if faces or sequences else NO_TRACK
    tracks |= Track.AUDIO if sounds else NO_TRACK
    ends = [frame for frame, _ in (*faces, *sequences, *sounds)]
    return Schedule(
        steps={frame: tuple(of_frame) for frame, of_frame in steps.items()},
        lights=tuple(lights),
        faces=faces,
        sequences=sequences,
        sounds=sounds,
        length=max(last, *ends, *(one.end - 1 for one in lights), 0) + 1,
        tracks=tracks,
    )


def _step(make: Callable[[K, random.Random], Message], keyframe: K) -> Step:
    return lambda rng: make(keyframe, rng)


def _body_steps(motions: Iterable[BodyMotion]) -> Iterator[tuple[int, Step]]:
    """Return the motions and the stops between them; one that never ends by itself has none."""
    frames = list(placed(motions))
    following = [frame for frame, _ in frames[1:]]
    for index, (frame, motion) in enumerate(frames):
        yield frame, _step(made.body_motion, motion)
        if motion.duration_ms < 0:
            continue
        stop = max(frame + 1, frame_at(end_of(motion)))
        if index == len(following) or stop < following[index]:
            yield stop, lambda _: made.BODY_STOP


def _lights(keyframes: Iterable[BackpackLights]) -> Iterator[Lights]:
    """Return the lights and, where no others follow at once, the dark that ends them."""
    frames = list(placed(keyframes))
    following = [frame for frame, _ in frames[1:]]
    for index, (frame, keyframe) in enumerate(frames):
        end = max(frame + 1, frame_at(end_of(keyframe)))
        is_replaced = index < len(following) and following[index] <= end
        if is_replaced:
            end = following[index]
        yield Lights(frame, end, made.backpack_lights(keyframe))
        if not is_replaced:
            yield Lights(end, end + 1, made.LIGHTS_OFF)
