"""What is seen of a clip in each of its frames, as far as that can be known without a robot."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..media import display_codec
from ..media.display_codec import HEIGHT, WIDTH
from ..protocol import messages
from ..resources.clips import FRAME_MS, AnimationClip
from ..resources.keyframes import STRAIGHT, BodyMotion
from .face_track import Pictures, face_track_of
from .schedule import Schedule, frame_at, placed, schedule_of

SoundName = Callable[[int], str]
"""Returns what the event of a sound is called."""
Color = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

_REST_HEAD, _REST_LIFT = 0.0, 32.0
_DARK: Color = (0, 0, 0)
_SECONDS = FRAME_MS / 1000


@dataclass(frozen=True, slots=True)
class BodyPose:
    """Where the robot is, seen from where the clip began: mm ahead, mm to the left, degrees."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One frame of a clip."""

    frame: int
    picture: npt.NDArray[np.bool_] | None
    """64 x 128 pixels as the display shows them; None where the clip leaves the face alone."""
    head: float
    """deg"""
    lift: float
    """mm"""
    body: BodyPose
    motion: BodyMotion | None
    """What the body does now."""
    lights: tuple[Color, ...]
    """Left, front, middle, rear, right."""
    sound: str | None
    """Of the sound that begins."""

    @property
    def time(self) -> float:
        """Of the clip, s."""
        return self.frame * _SECONDS


def moments_of(
    clip: AnimationClip,
    pictures: Pictures = lambda name: (),
    sound_name: SoundName = str,
) -> tuple[Moment, ...]:
    """Return every frame of a clip.

    Head and lift are at rest in the beginning and move evenly; the body does at once what it is
    told. Sounds may last longer. Raises ``ValueError`` for a clip that cannot be played.
    """
    schedule = schedule_of(clip)
    faces = face_track_of(schedule, pictures)
    length = max(schedule.length, 0 if faces is None else faces.length)
    heads = _joint([(k.trigger_ms, k.duration_ms, k.angle_deg) for k in clip.head_angle])
    lifts = _joint([(k.trigger_ms, k.duration_ms, k.height_mm) for k in clip.lift_height])
    sounds = dict(schedule.sounds)
    motions = list(placed(clip.body_motion))
    seen = []
    for frame, body in enumerate(body_poses(clip, length)):
        code = None if faces is None else faces.code_at(frame, 0)
        sound = sounds.get(frame)
        seen.append(
            Moment(
                frame,
                None if code is None else _picture(code),
                _place(heads, frame, _REST_HEAD),
                _place(lifts, frame, _REST_LIFT),
                body,
                _motion_at(motions, frame),
                _lights(schedule, frame),
                None if sound is None else _called(sound.audio_event_ids, sound_name),
            )
        )
    return tuple(seen)


def _picture(code: bytes) -> npt.NDArray[np.bool_]:
    picture = np.asarray(display_codec.decode(code)).astype(bool)
    return picture.reshape(HEIGHT, WIDTH)


def _called(event_ids: Sequence[int], sound_name: SoundName) -> str:
    return " / ".join(sound_name(event_id) for event_id in event_ids)


# -- joints

_Move = tuple[int, int, float]
"""Frame, frames it takes, where to."""


def _joint(keyframes: Iterable[tuple[int, int, float]]) -> list[_Move]:
    return [(frame_at(at), max(1, frame_at(takes)), to) for at, takes, to in keyframes]


def _place(moves: Iterable[_Move], frame: int, rest: float) -> float:
    """Return where a joint is in a frame."""
    place, begun = rest, [move for move in moves if move[0] <= frame]
    for index, (start, takes, to) in enumerate(begun):
        until = begun[index + 1][0] if index + 1 < len(begun) else frame
        place += (to - place) * min(1.0, (until - start) / takes)
    return place


# -- body


def body_poses(clip: AnimationClip, length: int) -> Iterator[BodyPose]:
    """Return where the body is at the beginning of each of the first frames of a clip."""
    motions, pose = list(placed(clip.body_motion)), BodyPose()
    for frame in range(length):
        yield pose
        motion = _motion_at(motions, frame)
        pose = pose if motion is None else _moved(pose, motion)


def _motion_at(motions: Sequence[tuple[int, BodyMotion]], frame: int) -> BodyMotion | None:
    index = bisect_right(motions, frame, key=lambda motion: motion[0]) - 1
    if index < 0:
        return None
    start, motion = motions[index]
    if motion.duration_ms >= 0 and frame >= max(start + 1, start + frame_at(motion.duration_ms)):
        return None
    return motion


def _moved(body: BodyPose, motion: BodyMotion) -> BodyPose:
    """Return the pose after one frame of a motion."""
    radius, speed = motion.radius_mm, motion.limited_speed
    if radius == 0:
        return replace(body, heading=body.heading + speed * _SECONDS)
    way = speed * _SECONDS
    turn = 0.0 if radius == STRAIGHT else way / radius
    middle = math.radians(body.heading) + turn / 2.0
    return BodyPose(
        body.x + way * math.cos(middle),
        body.y + way * math.sin(middle),
        body.heading + math.degrees(turn),
    )


# -- lights


def _lights(schedule: Schedule, frame: int) -> tuple[Color, ...]:
    message = schedule.lights_at(frame)
    if not isinstance(message, messages.BackpackLights):
        return (_DARK,) * 5
    return tuple(_color(word) for word in message.colors)


def _color(word: int) -> Color:
    red, green, blue = (round((word >> shift & 31) * 255 / 31) for shift in (10, 5, 0))
    return red, green, blue
