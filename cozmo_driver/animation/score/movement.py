"""Head, lift and body of a score."""

from __future__ import annotations

from ...resources.clips import FRAME_MS
from ...resources.keyframes import (
    BodyMotion,
    HeadAngle,
    LiftHeight,
    RecordHeading,
    TurnToRecordedHeading,
)
from .errors import ScoreError
from .phrases import Phrase

HEAD_LIMITS = (-25, 44)
"""deg"""
LIFT_LIMITS = (32, 92)
"""mm"""
JOINT_NUMBERS, JOINT_FLAGS = ("in", "vary"), ("bounce",)
BODY_NUMBERS = ("in", "radius")
REST_HEAD, REST_LIFT = 0, 32
"""Where head and lift are taken to be when a clip begins."""
_OVERSHOOT, _SETTLE = 0.18, 4
"""How much farther a bounce goes, as a share of the way, and frames until it is back."""
_LEAST = 2
"""A bounce goes at least so many deg or mm too far."""
_TURN_SPEED = 180
"""deg/s at which the robot turns to its recorded heading."""


class Joint:
    """Where head or lift is to go: frame, frames it takes, place, variability."""

    def __init__(self, name: str, rest: int, limits: tuple[int, int]) -> None:
        """Begin at rest."""
        self.moves: list[tuple[int, int, int, int]] = []
        self._name, self._at, self._limits = name, rest, limits

    def move(self, frame: int, phrase: Phrase) -> None:
        """Add a movement. Raises ``ScoreError``."""
        to, duration = round(phrase.one_number()), phrase.frames("in")
        vary = round(phrase.numbers.get("vary", 0))
        low, high = self._limits
        if not low <= to - vary or not to + vary <= high:
            raise ScoreError(f"the {self._name} goes from {low} to {high}")
        if self.moves and frame < self.moves[-1][0] + self.moves[-1][1]:
            over = (self.moves[-1][0] + self.moves[-1][1]) * FRAME_MS
            raise ScoreError(f"the {self._name} is on its way until {over} ms")
        way = to - self._at
        if "bounce" in phrase.flags and way:
            farther = max(_LEAST, round(abs(way) * _OVERSHOOT)) * (1 if way > 0 else -1)
            self.moves.append((frame, duration, min(max(to + farther, low), high), 0))
            frame, duration = frame + duration, _SETTLE
        self.moves.append((frame, duration, to, vary))
        self._at = to

    def head_angles(self) -> tuple[HeadAngle, ...]:
        """Return the movements as those of the head."""
        return tuple(
            HeadAngle(frame * FRAME_MS, frames * FRAME_MS, to, vary)
            for frame, frames, to, vary in self.moves
        )

    def lift_heights(self) -> tuple[LiftHeight, ...]:
        """Return the movements as those of the lift."""
        return tuple(
            LiftHeight(frame * FRAME_MS, frames * FRAME_MS, to, vary)
            for frame, frames, to, vary in self.moves
        )


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
