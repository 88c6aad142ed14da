"""What is seen of a clip in each of its frames, as far as that can be known without a robot."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..media import display_codec
from ..protocol import messages
from ..resources.clips import FRAME_MS, AnimationClip
from ..resources.keyframes import BodyMotion
from .face_track import Pictures, face_track_of
from .schedule import Schedule, frame_at, placed, schedule_of

SoundName = Callable[[int], str]
"""Returns what the event of a sound is called."""
Color = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

_REST_HEAD, _REST_LIFT = 0.0, 32.0
_DARK: Color = (0, 0, 0)
_SECONDS = FRAME_MS / 1000


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

    Head and lift are at rest in the beginning and move evenly. Sounds may last longer. Raises
    ``ValueError`` for a clip that cannot be played.
    """
    schedule = schedule_of(clip)
    faces = face_track_of(schedule, pictures)
    heads = _joint([(k.trigger_ms, k.duration_ms, k.angle_deg) for k in clip.head_angle])
    lifts = _joint([(k.trigger_ms, k.duration_ms, k.height_mm) for k in clip.lift_height])
    sounds = dict(schedule.sounds)
    motions = list(placed(clip.body_motion))
    seen = []
    for frame in range(max(schedule.length, faces.length)):
        code = faces.code_at(frame, 0)
        sound = sounds.get(frame)
        seen.append(
            Moment(
                frame,
                None if code is None else display_codec.decode(code).astype(bool),
                _place(heads, frame, _REST_HEAD),
                _place(lifts, frame, _REST_LIFT),
                _motion_at(motions, frame),
                _lights(schedule, frame),
                None if sound is None else " / ".join(map(sound_name, sound.audio_event_ids)),
            )
        )
    return tuple(seen)


_Move = tuple[int, int, float]
"""Frame, frames it takes, where to."""


def _joint(keyframes: Iterable[tuple[int, int, float]]) -> list[_Move]:
    return [(frame_at(at), max(1, frame_at(takes)), to) for at, takes, to in keyframes]


def _place(moves: Iterable[_Move], frame: int, rest: float) -> float:
    place, begun = rest, [move for move in moves if move[0] <= frame]
    for index, (start, takes, to) in enumerate(begun):
        until = begun[index + 1][0] if index + 1 < len(begun) else frame
        place += (to - place) * min(1.0, (until - start) / takes)
    return place


def _motion_at(motions: Sequence[tuple[int, BodyMotion]], frame: int) -> BodyMotion | None:
    index = bisect_right(motions, frame, key=lambda motion: motion[0]) - 1
    if index < 0:
        return None
    start, motion = motions[index]
    if motion.duration_ms >= 0 and frame >= max(start + 1, start + frame_at(motion.duration_ms)):
        return None
    return motion


def _lights(schedule: Schedule, frame: int) -> tuple[Color, ...]:
    message = schedule.lights_at(frame)
    if not isinstance(message, messages.BackpackLights):
        return (_DARK,) * 5
    return tuple(_color(word) for word in message.colors)


def _color(word: int) -> Color:
    red, green, blue = (round((word >> shift & 31) * 255 / 31) for shift in (10, 5, 0))
    return red, green, blue
