"""In which frame each keyframe of a clip is sent, and as which message (spec 06 §2, §4, §5).

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
from functools import partial
from typing import TypeVar

from ..protocol import AnimTrackFlag as Track
from ..protocol import Message, messages
from ..resources import FRAME_MS, STRAIGHT, AnimationClip, Keyframe, LightChannel, end_of
from ..resources import keyframes as kinds

K = TypeVar("K", bound=Keyframe)
Step = Callable[[random.Random], Message]
"""Makes a message when it is sent: variability is drawn at that time."""
NO_TRACK = Track(0)
BODY_STOP = messages.BodyMotion(0, STRAIGHT)
LIGHTS_OFF = messages.BackpackLights((0,) * 5)
_LONGEST = 0xFFFF
"""ms that a duration on the wire can be."""
_ALPHA = 0x8000


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
    faces: tuple[tuple[int, kinds.ProceduralFace], ...]
    sequences: tuple[tuple[int, kinds.FaceAnimation], ...]
    sounds: tuple[tuple[int, kinds.RobotAudio], ...]
    length: int
    """Frames until everything was sent and all durations are over; sounds and sequences of
    pictures may need more."""
    tracks: Track
    """Tracks with a keyframe."""

    def lights_at(self, frame: int) -> Message | None:
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
    simple: tuple[tuple[Track, Iterable[Keyframe]], ...] = (
        (Track.HEAD, clip.head_angle),
        (Track.LIFT, clip.lift_height),
        (Track.EVENT, [one for one in clip.event if one.number is not None]),
        (Track.BODY, clip.record_heading),
        (Track.BODY, clip.turn_to_recorded_heading),
    )
    for track, keyframes in simple:
        if track & excluded:
            continue
        for frame, keyframe in placed(keyframes):
            steps[frame].append(partial(message_of, keyframe))
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


def _body_steps(motions: Iterable[kinds.BodyMotion]) -> Iterator[tuple[int, Step]]:
    """Return the motions and the stops between them; one that never ends by itself has none."""
    frames = list(placed(motions))
    following = [frame for frame, _ in frames[1:]]
    for index, (frame, motion) in enumerate(frames):
        yield frame, partial(message_of, motion)
        if motion.duration_ms < 0:
            continue
        stop = max(frame + 1, frame_at(end_of(motion)))
        if index == len(following) or stop < following[index]:
            yield stop, lambda _: BODY_STOP


def _lights(keyframes: Iterable[kinds.BackpackLights]) -> Iterator[Lights]:
    """Return the lights and, where no others follow at once, the dark that ends them."""
    frames = list(placed(keyframes))
    following = [frame for frame, _ in frames[1:]]
    for index, (frame, keyframe) in enumerate(frames):
        end = max(frame + 1, frame_at(end_of(keyframe)))
        is_replaced = index < len(following) and following[index] <= end
        if is_replaced:
            end = following[index]
        colors = (keyframe.left, keyframe.front, keyframe.middle, keyframe.back, keyframe.right)
        message = messages.BackpackLights(tuple(color_word(color) for color in colors))
        yield Lights(frame, end, message)
        if not is_replaced:
            yield Lights(end, end + 1, LIGHTS_OFF)


def message_of(keyframe: Keyframe, rng: random.Random) -> Message:
    """Return the message, varied in whole degrees and mm; the robot must know an event."""
    match keyframe:
        case kinds.HeadAngle():
            angle = _varied(keyframe.angle_deg, keyframe.angle_variability_deg, rng)
            return messages.HeadAngle(_time(keyframe.duration_ms), min(max(angle, -128), 127))
        case kinds.LiftHeight():
            height = _varied(keyframe.height_mm, keyframe.height_variability_mm, rng)
            return messages.LiftHeight(_time(keyframe.duration_ms), min(max(height, 0), 255))
        case kinds.Event(number=int(number)):
            return messages.Event(number)
        case kinds.BodyMotion():
            return messages.BodyMotion(keyframe.limited_speed, keyframe.radius_mm)
        case kinds.RecordHeading():
            return messages.RecordHeading()
        case kinds.TurnToRecordedHeading():
            limited = keyframe.limited
            return messages.TurnToRecordedHeading(
                limited.offset_deg,
                limited.speed_deg_per_s,
                limited.accel_deg_per_s2,
                limited.decel_deg_per_s2,
                limited.tolerance_deg,
                limited.half_revolutions,
                limited.use_shortest_direction,
            )
    raise TypeError(f"{type(keyframe).__name__} is no single message")


def color_word(color: LightChannel) -> int:
    """Return the 16 bits of a colour: alpha, then 5 each of red, green, blue."""
    red, green, blue = (_byte(part) >> 3 for part in color[:3])
    return (_ALPHA if color[3] else 0) | red << 10 | green << 5 | blue


def _byte(part: float) -> int:
    """Return a part of a colour as 0 to 255: a share up to 1, else the number itself."""
    return min(max(round(part * 255 if part <= 1.0 else part), 0), 255)


def _varied(value: int, variability: int, rng: random.Random) -> int:
    return rng.randint(value - variability, value + variability) if variability else value


def _time(milliseconds: int) -> int:
    return min(milliseconds, _LONGEST)
