"""What the page knows of a robot: feeds to show, velocities, services, actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol


class Velocity(NamedTuple):
    """What is driven with: m/s and rad/s; of head and lift rad/s, up positive."""

    linear: float = 0.0
    angular: float = 0.0
    head: float = 0.0
    lift: float = 0.0


STANDING = Velocity()


class Picture(NamedTuple):
    """An encoded picture and its age when it was polled, s."""

    age: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service or an action has answered."""

    success: bool
    message: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """A parameter of one of the robot's nodes, and what it may be."""

    name: str
    value: Any
    """A bool, an int, a float, a str or a list of floats."""
    text: str
    """What it does, for people."""
    rule: str = ""
    """What else it must be, or why it cannot be changed, for people."""
    low: float | None = None
    high: float | None = None
    is_fixed: bool = False
    """It cannot be changed from a page."""


@dataclass(frozen=True, slots=True)
class RecordingState:
    """How far a recording is. ``error``: why it has ended by itself, empty for not at all."""

    size: int
    """Bytes."""
    topics: int
    dropped: int
    error: str


class RobotPort(Protocol):
    """One robot. Names of feeds, services and actions are those of a table: there is no way to
    any others. Every method in the server's loop.
    """

    name: str
    """Its namespace without slashes; empty for none."""
    feeds: frozenset[str]
    """Feeds whose values are JSON."""
    pictures: frozenset[str]
    """Feeds whose values are ``Picture``."""
    limits: Mapping[str, float]
    """For controls: linear, angular, head_low, head_high, lift_low, lift_high; SI."""

    def start(self, feed: str) -> None:
        """Subscribe."""

    def stop(self, feed: str) -> None:
        """Leave the topic."""

    def poll(self, feed: str) -> Any:
        """Return what came since the last call, None for nothing."""

    def drive(self, velocity: Velocity) -> None:
        """Command velocities, limited; all zero are commanded once, then others may drive."""

    def publish(self, topic: str, **fields: Any) -> None:
        """Publish a command. Raises ``ValueError`` for fields that make none."""

    async def call(self, service: str, **fields: Any) -> Answer:
        """Call a service; a failure is an answer, too."""

    async def parameter(self, node: str, name: str) -> Any:
        """Return a parameter of one of the robot's nodes, None where there is none."""

    async def set_parameter(self, node: str, name: str, value: Any) -> Answer:
        """Set a parameter; without that node, or with a value it refuses, a failure."""

    async def parameters(self, node: str) -> Sequence[ParameterInfo]:
        """Return all parameters of one of the robot's nodes, none where it does not run."""

    @property
    def recording(self) -> RecordingState | None:
        """The recording that has been started and not stopped."""

    async def start_recording(self, path: Path, most_bytes: int) -> Answer:
        """Record all topics of the robot into a new file."""

    async def stop_recording(self) -> Answer:
        """End the file; without a recording nothing happens."""

    async def do(self, action: str, **fields: Any) -> Answer:
        """Pursue a goal to its end; cancelling this cancels the goal."""
