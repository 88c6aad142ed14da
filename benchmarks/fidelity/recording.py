"""A figure beside its emulated one, and the emulated robot that it is measured on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.messages import RobotState
from test.emulator.bench import Bench

HARDWARE = {"A": "1.5", "B": "1.0"}
PERIOD = 0.030
"""s between two states."""
_PHASE = 0.005

States = list[tuple[float, RobotState]]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a real robot, what the emulator makes of it, and how far it may be off."""

    what: str
    robot: str
    real: float
    emulated: float
    tolerance: float
    unit: str = ""

    @property
    def is_met(self) -> bool:
        return abs(self.emulated - self.real) <= self.tolerance


Section = Callable[[int], Iterator[Row]]
"""Measures with a phase: how many times 5 ms later everything is sent."""


def mean(section: Section, phases: int) -> list[Row]:
    """Return a section's rows, each the mean over ``phases``: 6 of them make a state's 30 ms."""
    runs = [list(section(phase)) for phase in range(phases)]
    return [
        Row(r.what, r.robot, r.real, fmean(same.emulated for same in rows), r.tolerance, r.unit)
        for r, *others in zip(*runs, strict=True)
        for rows in [(r, *others)]
    ]


def robot_like(robot: str, phase: int, **options: object) -> EmulatorOptions:
    """Return one of the robots that were measured: its figures have no other's errors."""
    errors = {"hardware": HARDWARE[robot], "variation": Variation()}
    return EmulatorOptions(seed=phase, **errors, **options)  # type: ignore[arg-type]


def bench_of(robot: str, phase: int, **options: object) -> Bench:
    """Return such a robot on a level floor that treads do not slip on, but in turns."""
    return Bench(robot_like(robot, phase, **options), World(ideal=True))


class Recording:
    """An emulated robot that has been standing for a second, and what it sends."""

    def __init__(self, robot: str, phase: int, **options: object) -> None:
        self.bench = bench_of(robot, phase, **options)
        self.bench.start()
        self.bench.run(1.0 + phase * _PHASE)

    def states(self, seconds: float, *messages: Message) -> States:
        """Send messages; return the states of the next seconds, each with its time since then."""
        bench = self.bench
        begin = bench.time
        bench.forget()
        bench.send(*messages)
        bench.run(seconds)
        return [(t - begin, m) for t, m in bench.received if isinstance(m, RobotState)]


def after(bench: Bench, begin: float, kind: type[Message]) -> float:
    """Return when the first message of a kind came, ms after ``begin`` (s)."""
    return (next(t for t, m in bench.received if isinstance(m, kind)) - begin) * 1e3
