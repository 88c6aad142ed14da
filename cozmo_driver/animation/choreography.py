"""Movements, eyes and lights on the beat, made into a clip for one song or one dance."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..face import Face, combine, find
from ..protocol import AnimTrackFlag as Track
from ..resources import FRAME_MS, AnimationClip, BackpackLights, BodyMotion, HeadAngle, LiftHeight
from .clip_source import LiveSound, PreparedClip
from .face_track import FaceTrack
from .schedule import schedule_of
from .speech import speaking

_LEAST_STEP = 12
"""Frames between two movements, 0.4 s: beats that come faster are taken two or more at a time."""
_STROKE = 4
"""Frames that the head takes to come down on the beat, 0.13 s."""
_LONGEST_MOVE = 8
"""Frames of one movement of the body."""
_FRAMES_PER_S = 30.0
_BOB = 2.0
"""Pixels by which the eyes drop on a beat, for ``_BOBBED`` frames."""
_BOBBED = 5
_TILT = math.radians(5.0)
_COLORS = ((1, 0, 0), (1, 0.6, 0), (0, 1, 0), (0, 0.6, 1), (0.4, 0, 1), (1, 0, 0.6))
_DARK = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Manner:
    """How to move; one target a beat, over and over. Degrees, mm."""

    expression: str
    head_down: int
    head_up: int
    headings: tuple[float, ...]
    ahead: tuple[float, ...]
    """Never changes together with the heading: the robot turns or drives."""
    lift: tuple[int, ...] = ()


SINGING = Manner("Happiness", 4, 14, (6.0, -6.0), (0.0, 0.0))
DANCING = Manner(
    "Excitement",
    0,
    18,
    (14.0, -14.0, 14.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 15.0, 0.0, 15.0, 0.0),
    (46, 32),
)


@dataclass(frozen=True, slots=True)
class Choreography:
    """What is shown of a piece of music; all in frames of 1/30 s."""

    name: str
    length: int
    beats: Sequence[int]
    """Frames of the beats, in order."""
    manner: Manner
    openness: Sequence[float] = ()
    """How far the eyes open in each frame, as ``openness_of`` has it."""

    def prepared(self, live: LiveSound | None, excluded: Track) -> PreparedClip:
        """Return the clip, with a sound, without the excluded tracks."""
        clip = AnimationClip(
            self.name,
            head_angle=tuple(self._head()),
            lift_height=tuple(self._lift()),
            backpack_lights=tuple(self._lights()),
            body_motion=tuple(self._body()),
        )
        schedule = schedule_of(clip, excluded)
        faces = FaceTrack()
        if not excluded & Track.FACE_IMAGE:
            frames = range(self.length)
            times = tuple(FRAME_MS * frame for frame in frames)
            faces = FaceTrack(tuple(frames), times, tuple(self._faces()))
            schedule = replace(schedule, tracks=schedule.tracks | Track.FACE_IMAGE)
        return PreparedClip(self.name, schedule, faces, {}, random.Random(0), live)

    def beat_of(self, frame: int) -> int:
        """Return which beat a frame belongs to, 0 before the first."""
        return max(0, sum(beat <= frame for beat in self.beats) - 1)

    @property
    def moves(self) -> list[int]:
        """Frames of the beats with a movement, and of the end."""
        kept: list[int] = []
        for beat in self.beats:
            if beat < self.length and (not kept or beat - kept[-1] >= _LEAST_STEP):
                kept.append(beat)
        return kept

    def _head(self) -> Iterator[HeadAngle]:
        down, up = self.manner.head_down, self.manner.head_up
        for beat in self.moves:
            if beat >= _STROKE:
                yield HeadAngle(FRAME_MS * (beat - _STROKE), FRAME_MS * _STROKE, down)
            yield HeadAngle(FRAME_MS * beat, FRAME_MS * _STROKE, up)

    def _lift(self) -> Iterator[LiftHeight]:
        heights = self.manner.lift
        moves = self.moves if heights else []
        for number, beat in enumerate(moves):
            is_last = number == len(moves) - 1
            height = heights[-1] if is_last else heights[number % len(heights)]
            yield LiftHeight(FRAME_MS * beat, FRAME_MS * _STROKE, height)

    def _body(self) -> Iterator[BodyMotion]:
        """Return turns and drives that together lead back to where they began."""
        moves = self.moves
        cycle = len(self.manner.headings)
        heading = ahead = 0.0
        for number, beat in enumerate(moves):
            end = moves[number + 1] if number + 1 < len(moves) else self.length
            frames = min(_LONGEST_MOVE, (end - beat) // 2)
            is_last = number == len(moves) - 1
            to_heading = 0.0 if is_last else self.manner.headings[number % cycle]
            to_ahead = 0.0 if is_last else self.manner.ahead[number % cycle]
            turn, drive = to_heading - heading, to_ahead - ahead
            heading, ahead = to_heading, to_ahead
            if frames < 1 or not (turn or drive):
                continue
            speed = round((turn or drive) * _FRAMES_PER_S / frames)
            yield BodyMotion(FRAME_MS * beat, FRAME_MS * frames, "0" if turn else "STRAIGHT", speed)

    def _lights(self) -> Iterator[BackpackLights]:
        moves = self.moves
        for number, beat in enumerate(moves):
            end = moves[number + 1] if number + 1 < len(moves) else self.length
            color = (*map(float, _COLORS[number % len(_COLORS)]), 1.0)
            duration = FRAME_MS * max(1, (end - beat) // 2)
            yield BackpackLights(FRAME_MS * beat, duration, _DARK, _DARK, color, color, color)

    def _faces(self) -> Iterator[Face]:
        base = find(self.manner.expression).face
        moves = self.moves
        number = -1
        for frame in range(self.length):
            while number + 1 < len(moves) and moves[number + 1] <= frame:
                number += 1
            is_bobbed = number >= 0 and frame - moves[number] < _BOBBED
            side = 0 if number < 0 or frame == self.length - 1 else 1 if number % 2 else -1
            layer = Face(angle=side * _TILT, center_y=_BOB if is_bobbed else 0.0)
            openness = self.openness[frame] if frame < len(self.openness) else 0.0
            yield speaking(combine(base, layer), openness)
