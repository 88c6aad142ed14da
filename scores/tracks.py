"""What the beats of a score make: keyframes of face, head, lift, body and lights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from cozmo_driver.face import Eye, Face, combine, expressions, eye_to_app, look_at
from cozmo_driver.resources import (
    FRAME_MS,
    BackpackLights,
    BodyMotion,
    HeadAngle,
    LiftHeight,
    ProceduralFace,
    RecordHeading,
    TurnToRecordedHeading,
)

from .phrases import Phrase, ScoreError

J = TypeVar("J", HeadAngle, LiftHeight)

POSE_NUMBERS = ("left", "right", "up", "down", "tall", "wide", "tilt", "in")
POSE_FLAGS = ("bounce", "left-shut", "right-shut", "shut")
QUICK_MS = 100
"""How long a change takes without "in"."""
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
        base = combine(self.expression, look_at(self.x, self.y))
        return replace(
            base,
            angle=base.angle - math.radians(self.tilt),
            left_eye=self._formed(base.left_eye, self.is_left_shut),
            right_eye=self._formed(base.right_eye, self.is_right_shut),
        )

    def shut(self) -> Pose:
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


class FaceBeats:
    """Collects the keyframes of a face that starts as the neutral one."""

    def __init__(self) -> None:
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

    def adjust(self, frame: int, phrase: Phrase) -> None:
        """Look elsewhere, or be formed otherwise, with the same expression."""
        if phrase.words not in ((), ("ahead",)):
            raise ScoreError(f"the eyes cannot look {' '.join(phrase.words)!r}")
        self._change(frame, phrase, _with(Pose(self._pose.expression), phrase))

    def tremble(self, frame: int, phrase: Phrase, *, is_upright: bool) -> None:
        """Move to and fro by some px, less and less, or up and down."""
        self._start(frame)
        swings = max(2, phrase.frames("for") // _SWING)
        size, pose = phrase.one_number(), self._pose
        for swing in range(1, swings):
            way = size * (-1) ** swing * (1.0 - 0.5 * swing / swings)
            moved = replace(pose, y=pose.y + way) if is_upright else replace(pose, x=pose.x + way)
            self._faces[frame + swing * _SWING] = moved.face()
        self._end(frame + swings * _SWING, pose)

    def keyframes(self) -> Iterator[ProceduralFace]:
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
        self._start(frame)
        before, end = self._pose, frame + phrase.frames("in", QUICK_MS)
        if "bounce" in phrase.flags:
            self._faces[end] = _beyond(before, pose).face()
            end += _SETTLE
        self._end(end, pose)

    def _blink(self, frame: int, phrase: Phrase) -> None:
        self._start(frame)
        whole = max(4, phrase.frames("in", BLINK_MS))
        pose, closed = self._pose, self._pose.shut().face()
        shut = max(2, whole * 2 // 5)
        self._faces[frame + shut] = closed
        self._faces[frame + max(shut, whole // 2)] = closed
        self._end(frame + whole, pose)

    def _start(self, frame: int) -> None:
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


HEAD_LIMITS = (-25, 44)
"""deg"""
LIFT_LIMITS = (32, 92)
"""mm"""
JOINT_NUMBERS, JOINT_FLAGS = ("in", "vary"), ("bounce",)
BODY_NUMBERS = ("in", "radius")
REST_HEAD, REST_LIFT = 0, 32
"""Where head and lift are taken to be when a clip begins."""
_JOINT_OVERSHOOT, _JOINT_SETTLE = 0.18, 4
"""How much farther a bounce goes, as a share of the way, and frames until it is back."""
_LEAST = 2
"""A bounce goes at least so many deg or mm too far."""
_TURN_SPEED = 180
"""deg/s at which the robot turns to its recorded heading."""


class JointBeats(Generic[J]):
    """Collects the keyframes of head or lift, which starts at rest."""

    def __init__(
        self,
        kind: Callable[[int, int, int, int], J],
        name: str,
        rest: int,
        limits: tuple[int, int],
    ) -> None:
        self.keyframes: list[J] = []
        self._kind: Callable[[int, int, int, int], J] = kind
        self._name, self._at, self._limits = name, rest, limits
        self._busy_until = 0

    def move(self, frame: int, phrase: Phrase) -> None:
        to, duration = round(phrase.one_number()), phrase.frames("in")
        vary = round(phrase.numbers.get("vary", 0))
        low, high = self._limits
        if not low <= to - vary or not to + vary <= high:
            raise ScoreError(f"the {self._name} goes from {low} to {high}")
        if frame < self._busy_until:
            over = self._busy_until * FRAME_MS
            raise ScoreError(f"the {self._name} is on its way until {over} ms")
        way = to - self._at
        if "bounce" in phrase.flags and way:
            farther = max(_LEAST, round(abs(way) * _JOINT_OVERSHOOT)) * (1 if way > 0 else -1)
            self._add(frame, duration, min(max(to + farther, low), high), 0)
            frame, duration = frame + duration, _JOINT_SETTLE
        self._add(frame, duration, to, vary)
        self._at = to

    def _add(self, frame: int, duration: int, to: int, vary: int) -> None:
        self.keyframes.append(self._kind(frame * FRAME_MS, duration * FRAME_MS, to, vary))
        self._busy_until = frame + duration


def drive(frame: int, phrase: Phrase) -> BodyMotion:
    """Return a drive by some mm, straight or with a radius in mm; positive ones turn left."""
    radius = phrase.numbers.get("radius")
    return _motion(frame, phrase, "STRAIGHT" if radius is None else str(round(radius)))


def turn(frame: int, phrase: Phrase) -> BodyMotion:
    """Return a turn in place by some degrees, counter-clockwise where positive."""
    return _motion(frame, phrase, "TURN_IN_PLACE")


def recorded_heading(frame: int, phrase: Phrase) -> RecordHeading | TurnToRecordedHeading:
    """Return what remembers the heading, or turns back to it."""
    match phrase.one_word():
        case "record":
            return RecordHeading(frame * FRAME_MS)
        case "return":
            return TurnToRecordedHeading(
                frame * FRAME_MS,
                phrase.frames("in") * FRAME_MS,
                speed_deg_per_s=_TURN_SPEED,
                use_shortest_direction=True,
            )
    raise ScoreError("of the heading there is 'record' and 'return'")


def _motion(frame: int, phrase: Phrase, radius: str) -> BodyMotion:
    frames = phrase.frames("in")
    speed = round(phrase.one_number() * 1000 / (frames * FRAME_MS))
    return BodyMotion(frame * FRAME_MS, frames * FRAME_MS, radius, speed)


LIGHT_NUMBERS = ("for", "every", "dim")
COLORS: dict[str, tuple[float, float, float]] = {
    "off": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "orange": (1.0, 0.35, 0.0),
    "yellow": (1.0, 0.75, 0.0),
    "green": (0.0, 1.0, 0.0),
    "teal": (0.0, 0.8, 0.6),
    "blue": (0.0, 0.2, 1.0),
    "purple": (0.5, 0.0, 0.9),
    "pink": (1.0, 0.2, 0.5),
    "white": (0.9, 0.9, 0.9),
}
_WAYS = ("steady", "pulse", "chase", "blink", "fade")
_PLACES = {1: (None, 0, 0, 0, None), 3: (None, 0, 1, 2, None), 5: (0, 1, 2, 3, 4)}
"""For so many colours: which of them left, front, middle, back and right show."""
_PERIOD_MS = 600.0
_STEP = 3
"""Frames between two keyframes of lights that fade."""


def backpack_lights(frame: int, phrase: Phrase) -> Iterator[BackpackLights]:
    """Return the lights: a way, then one, three or five colours. Raises ``ScoreError``."""
    words = phrase.words
    way, *names = words if words and words[0] in _WAYS else ("steady", *words)
    if len(names) not in _PLACES:
        raise ScoreError("lights have one colour, three (front to back) or five (left first)")
    colors = [_color(name, phrase.numbers.get("dim", 1.0)) for name in names]
    lights = [None if place is None else colors[place] for place in _PLACES[len(names)]]
    end = frame + phrase.frames("for")
    period = phrase.frames("every", _PERIOD_MS)
    step = {"steady": end - frame, "pulse": _STEP, "fade": _STEP}.get(way, max(1, period // 4))
    for at in range(frame, end, step):
        shares = _shares(way, at - frame, end - frame, period)
        left, front, middle, back, right = (
            _rgba(light, share) for light, share in zip(lights, shares, strict=True)
        )
        yield BackpackLights(
            trigger_ms=at * FRAME_MS,
            duration_ms=min(step, end - at) * FRAME_MS,
            left=left,
            right=right,
            front=front,
            middle=middle,
            back=back,
        )


def _shares(way: str, elapsed: int, whole: int, period: int) -> Sequence[float]:
    """Return how bright each light is at a frame of the pattern."""
    phase = elapsed / period
    match way:
        case "pulse":
            return (0.1 + 0.9 * (0.5 - 0.5 * math.cos(2.0 * math.pi * phase)),) * 5
        case "fade":
            return (1.0 - elapsed / whole,) * 5
        case "blink":
            return (1.0 if phase % 1.0 < 0.5 else 0.0,) * 5
        case "chase":
            lit = int(phase * 4.0) % 4
            return (1.0, *(1.0 if lit == index else 0.08 for index in range(3)), 1.0)
    return (1.0,) * 5


def _color(name: str, share: float) -> tuple[float, float, float]:
    if name not in COLORS:
        raise ScoreError(f"there is no colour {name!r}; there are {', '.join(COLORS)}")
    if not 0.0 <= share <= 1.0:
        raise ScoreError("lights are dimmed to a share from 0 to 1")
    red, green, blue = COLORS[name]
    return red * share, green * share, blue * share


def _rgba(
    color: tuple[float, float, float] | None, share: float
) -> tuple[float, float, float, float]:
    if color is None:
        return 0.0, 0.0, 0.0, 1.0
    red, green, blue = (round(part * share, 3) for part in color)
    return red, green, blue, 1.0
