"""What a step of the checkup is, and what it finds; SI units."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .bench import Bench


class Verdict(Enum):
    PASSED = "passed"
    UNUSUAL = "unusual"
    """It works, beside what the measured robots showed."""
    FAILED = "failed"
    """It does not work; only where that cannot be mistaken."""
    SKIPPED = "skipped"
    """Nobody knows: it was not done, was interrupted, or there was nothing to measure."""


class Quantity(NamedTuple):
    """``unit`` is one of SI, or empty for a number or a text without one."""

    value: float | str
    unit: str = ""


Values = Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class Series:
    """Curves for a plot; ``points`` are (x, y) by the name of the curve."""

    title: str
    x: str
    y: str
    points: Mapping[str, Sequence[tuple[float, float]]]
    """The axes' labels hold their units; at most a few hundred points a curve."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG of the camera, kept with the report unless that is not wanted."""

    name: str
    caption: str
    jpeg: bytes = field(repr=False)
    time: float
    """When it was taken, s of the loop's clock."""


@dataclass(frozen=True, slots=True)
class Result:
    """``sentence`` says what was found, ``advice`` what to do about it."""

    verdict: Verdict
    sentence: str
    values: Values = field(default_factory=dict)
    advice: str = ""
    series: tuple[Series, ...] = ()
    pictures: tuple[Picture, ...] = ()


class Motion(Enum):
    """What of the robot a step moves."""

    NOTHING = 0
    JOINTS = 1
    """Head and lift."""
    TREADS = 2


@dataclass(frozen=True, slots=True)
class Step:
    """One measurement, described before it is done."""

    name: str
    title: str
    does: str
    """What will happen, for people."""
    run: Callable[[Bench], Awaitable[Result]] = field(repr=False)
    """Raises ``RobotError``, ``ConnectionLost``; the treads may still turn then."""
    needs: str = ""
    """What to prepare."""
    motion: Motion = Motion.NOTHING
    is_optional: bool = False
    """Only done where somebody asks for it."""
    is_on_ground: bool = False
    """Lifting the robot spoils it; so it does for all that drive."""
    is_pushed: bool = False
    """It drives against something."""
    is_at_edge: bool = False
    """It drives to an edge."""

    @property
    def drives(self) -> bool:
        return self.motion is Motion.TREADS


def skipped(sentence: str, advice: str = "", **values: Quantity) -> Result:
    return Result(Verdict.SKIPPED, sentence, values, advice)


def failed(sentence: str, advice: str, **values: Quantity) -> Result:
    return Result(Verdict.FAILED, sentence, values, advice)
