"""The face of a score: poses and the ways between them become keyframes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...face import expressions
from ...face.look import look_at
from ...face.parameters import Eye, Face, combine, eye_to_app
from ...resources.clips import FRAME_MS
from ...resources.keyframes import ProceduralFace
from .errors import ScoreError
from .phrases import Phrase

POSE_NUMBERS = ("left", "right", "up", "down", "tall", "wide", "tilt", "in")
POSE_FLAGS = ("bounce", "left-shut", "right-shut", "shut")
QUICK_MS = 100
"""How long a change takes where nothing is said."""
BLINK_MS = 260
_SHUT_HEIGHT, _SHUT_WIDTH = 0.14, 1.1
"""Scales of a closed eye, a line that is just high enough to be seen between its lids."""
_OVERSHOOT, _SETTLE = 0.16, 4
"""How much farther a bounce goes, as a share of the way, and frames until it is back."""
_STRETCH = 1.06
_SWING = 2
"""Frames of a tremble from one side to the other."""


@dataclass(frozen=True, slots=True)
class Pose:
    """An expression and what is done to it."""

    expression: Face = expressions.NEUTRAL.face
    x: float = 0.0
    y: float = 0.0
    tall: float = 1.0
    wide: float = 1.0
    tilt: float = 0.0
    """Degrees, clockwise."""
    is_left_shut: bool = False
    is_right_shut: bool = False

    def face(self) -> Face:
        """Return the 43 parameters."""
        base = combine(self.expression, look_at(self.x, self.y))
        return replace(
            base,
            angle=base.angle - math.radians(self.tilt),
            left_eye=self._formed(base.left_eye, self.is_left_shut),
            right_eye=self._formed(base.right_eye, self.is_right_shut),
        )

    def shut(self) -> Pose:
        """Return the pose with its eyes closed."""
        return replace(self, is_left_shut=True, is_right_shut=True)

    def _formed(self, eye: Eye, is_shut: bool) -> Eye:
        scale_x = eye.scale_x * self.wide
        if not is_shut:
            return replace(eye, scale_x=scale_x, scale_y=eye.scale_y * self.tall)
        return replace(
            eye.without_lids,
            scale_x=scale_x * _SHUT_WIDTH,
            scale_y=_SHUT_HEIGHT * min(self.tall, 1.0),
        )


class FaceTrack:
    """Collects the keyframes of a face that begins as the neutral one."""

    def __init__(self) -> None:
        """Begin with nothing: a score without a face leaves it alone."""
        self._faces: dict[int, Face] = {}
        self._pose = Pose()
        self._busy_until = 0

    def express(self, frame: int, phrase: Phrase) -> None:
        """Change to an expression by name; ``blink`` shuts the eyes for a moment."""
        name = phrase.one_word()
        if name == "blink":
            self._blink(frame, phrase)
            return
        try:
            expression = expressions.find(name).face
        except ValueError as error:
            raise ScoreError(str(error)) from None
        self._change(frame, phrase, _with(Pose(expression), phrase))

    def look(self, frame: int, phrase: Phrase) -> None:
        """Look elsewhere, or be formed otherwise, with the same expression."""
        if phrase.words not in ((), ("ahead",)):
            raise ScoreError(f"the eyes cannot look {' '.join(phrase.words)!r}")
        self._change(frame, phrase, _with(Pose(self._pose.expression), phrase))

    def tremble(self, frame: int, phrase: Phrase, *, is_upright: bool) -> None:
        """Move to and fro by some px, less and less, or up and down."""
        self._begin(frame)
        swings = max(2, phrase.frames("for") // _SWING)
        size, pose = phrase.one_number(), self._pose
        for swing in range(1, swings):
            way = size * (-1) ** swing * (1.0 - 0.5 * swing / swings)
            moved = replace(pose, y=pose.y + way) if is_upright else replace(pose, x=pose.x + way)
            self._faces[frame + swing * _SWING] = moved.face()
        self._end(frame + swings * _SWING, pose)

    def keyframes(self) -> Iterator[ProceduralFace]:
        """Return what was collected."""
        for frame, face in sorted(self._faces.items()):
            yield ProceduralFace(
                trigger_ms=frame * FRAME_MS,
                face_angle_deg=round(math.degrees(face.angle), 2),
                face_center_x=round(face.center_x, 2),
                face_center_y=round(face.center_y, 2),
                face_scale_x=face.scale_x,
                face_scale_y=face.scale_y,
                left_eye=tuple(round(value, 3) for value in eye_to_app(face.left_eye)),
                right_eye=tuple(round(value, 3) for value in eye_to_app(face.right_eye)),
            )

    def _change(self, frame: int, phrase: Phrase, pose: Pose) -> None:
        if frame == 0 and "in" not in phrase.numbers:
            self._faces[0] = pose.face()
            self._pose = pose
            return
        self._begin(frame)
        before, end = self._pose, frame + phrase.frames("in", QUICK_MS)
        if "bounce" in phrase.flags:
            self._faces[end] = _beyond(before, pose).face()
            end += _SETTLE
        self._end(end, pose)

    def _blink(self, frame: int, phrase: Phrase) -> None:
        self._begin(frame)
        whole = max(4, phrase.frames("in", BLINK_MS))
        pose, closed = self._pose, self._pose.shut().face()
        shut = max(2, whole * 2 // 5)
        self._faces[frame + shut] = closed
        self._faces[frame + max(shut, whole // 2)] = closed
        self._end(frame + whole, pose)

    def _begin(self, frame: int) -> None:
        if frame < self._busy_until:
            over = self._busy_until * FRAME_MS
            raise ScoreError(f"the face is on its way until {over} ms")
        if not self._faces:
            self._faces[0] = self._pose.face()
        self._faces.setdefault(frame, self._pose.face())

    def _end(self, frame: int, pose: Pose) -> None:
        self._faces[frame] = pose.face()
        self._pose, self._busy_until = pose, frame


def _with(pose: Pose, phrase: Phrase) -> Pose:
    given, flags = phrase.numbers, phrase.flags
    return replace(
        pose,
        x=given.get("right", 0.0) - given.get("left", 0.0),
        y=given.get("down", 0.0) - given.get("up", 0.0),
        tall=given.get("tall", 1.0),
        wide=given.get("wide", 1.0),
        tilt=given.get("tilt", 0.0),
        is_left_shut=bool(flags & {"shut", "left-shut"}),
        is_right_shut=bool(flags & {"shut", "right-shut"}),
    )


def _beyond(before: Pose, after: Pose) -> Pose:
    """Return a pose somewhat beyond ``after``: farther on its way, and stretched."""

    def on(start: float, end: float) -> float:
        return end + (end - start) * _OVERSHOOT

    return replace(
        after,
        x=on(before.x, after.x),
        y=on(before.y, after.y),
        tall=on(before.tall, after.tall) * _STRETCH,
        wide=on(before.wide, after.wide) * (2.0 - _STRETCH),
        tilt=on(before.tilt, after.tilt),
    )
