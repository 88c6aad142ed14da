"""``python -m benchmarks.old_programs [WORD ...]``: examples of the SDK and of PyCozmo, unmodified.

Each runs by ``cozmo run`` against an emulated robot in a world that fits it (spec 21 §9), and is
judged by how it ends: exit code, output, and where robot and cubes really are. The examples are
read from ``../shared``, or the folder that OLD_PROGRAMS names.
"""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from cozmo_driver.emulator import EmulatorState, RunningEmulator, World, running_emulator
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.robot import DRIVE_CENTER

from . import SHARED

EXAMPLES_FOLDER = Path(os.environ.get("OLD_PROGRAMS", SHARED))
FOLDERS = {
    "sdk": EXAMPLES_FOLDER / "sdk_examples",
    "pycozmo": EXAMPLES_FOLDER / "pycozmo_examples" / "examples",
}
_FLOOR: dict[str, Any] = {"name": "floor", "floor": [{"rectangle": [-3, -3, 3, 3]}]}
_REACH, _SHARE, _ANGLE = 0.015, 0.03, math.radians(3.0)
"""m, share of the way, and rad that an end pose may be wrong by (spec 21 §9)."""
_POLL = 0.1
_BRAKING = 2.0
"""s in which a robot that was told to stop stands."""
_ENDING = 15.0
"""s that a program may take to end after Ctrl-C."""


@dataclass
class Run:
    """A program that has ended, and the robot that it had."""

    code: int
    output: str
    seconds: float
    emulators: list[RunningEmulator]
    problems: list[str] = field(default_factory=list)

    @property
    def truth(self) -> Any:
        return self.emulators[0].truth()

    @property
    def received(self) -> Any:
        return self.emulators[0].state().received


Check = Callable[[Run], "str | None"]


@dataclass
class Example:
    """A program, its world, and what must be the case when it has ended."""

    path: str
    checks: list[Check] = field(default_factory=list)
    world: dict[str, Any] | None = None
    arguments: tuple[str, ...] = ()
    stop_after: float | None = None
    """s, then Ctrl-C; it must end with 0."""
    begun: str = ""
    """What it must have said before ``stop_after`` counts."""
    timeout: float = 120.0
    code: int = 0
    meanwhile: Callable[[RunningEmulator, threading.Event], None] | None = None
    """What is done to the robot while the program runs."""
    robots: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    port: int = 0
    needs: str = ""
    """A module of another package, without which it is left out."""

    @property
    def file(self) -> Path:
        kind, _, path = self.path.partition("/")
        return FOLDERS[kind] / path if kind else Path(self.path)


def world(*cubes: tuple[float, ...], **more: Any) -> dict[str, Any]:
    """Return a floor with cubes at x, y and optionally roll, in m and degrees."""
    placed = [
        {"number": number, "x": x, "y": y, "roll": float(rest[0]) if rest else 0.0}
        for number, (x, y, *rest) in enumerate(cubes, start=1)
    ]
    return {**_FLOOR, "cubes": placed, **more}


# -- what must be the case


def at(x: float, y: float, degrees: float | None = None, way: float = 0.0) -> Check:
    """The robot is at a pose, m and degrees, after a way of so many m."""

    def check(run: Run) -> str | None:
        pose = run.truth.pose
        away = math.hypot(pose.x - x, pose.y - y)
        turned = 0.0 if degrees is None else abs(_wrapped(pose.yaw - math.radians(degrees)))
        if away <= _REACH + _SHARE * (way or math.hypot(x, y)) and turned <= _ANGLE:
            return None
        return f"at {pose.x:.3f}, {pose.y:.3f}, {math.degrees(pose.yaw):.1f} deg"

    return check


def moved(x: float, y: float, degrees: float) -> Check:
    """What the robot turns about has moved by so many m, and it has turned by degrees."""
    angle, lever = math.radians(degrees), DRIVE_CENTER.x
    return at(
        x + lever * (1 - math.cos(angle)), y - lever * math.sin(angle), degrees, math.hypot(x, y)
    )


def says(pattern: str, count: int = 1) -> Check:
    def check(run: Run) -> str | None:
        found = len(re.findall(pattern, run.output))
        return None if found >= count else f"{found} times {pattern!r}"

    return check


def lacks(pattern: str) -> Check:
    return lambda run: f"says {pattern!r}" if re.search(pattern, run.output) else None


def got(message: str, count: int = 1) -> Check:
    def check(run: Run) -> str | None:
        found = run.received.get(message, 0)
        return None if found >= count else f"{found} {message}"

    return check


def takes(low: float, high: float) -> Check:
    def check(run: Run) -> str | None:
        return None if low <= run.seconds <= high else f"took {run.seconds:.1f} s"

    return check


def head(degrees: float) -> Check:
    def check(run: Run) -> str | None:
        angle = math.degrees(run.truth.head_angle)
        return None if abs(angle - degrees) < 3 else f"head at {angle:.1f} deg"

    return check


def lift(mm: float) -> Check:
    def check(run: Run) -> str | None:
        height = 1000 * run.truth.lift_height
        return None if abs(height - mm) < 6 else f"lift at {height:.0f} mm"

    return check


def cube(number: int, condition: Callable[[Any], bool], what: str) -> Check:
    def check(run: Run) -> str | None:
        one = run.truth.cubes[str(number)]
        return None if condition(one) else f"cube {number} is not {what}: {one}"

    return check


def stacked(run: Run) -> str | None:
    heights = sorted(one.z for one in run.truth.cubes.values())
    return None if heights[-1] > 0.06 else f"no cube is on another: {heights}"


def before_cube(number: int, distance: float) -> Check:
    """The front axle is so many m from a cube's middle."""

    def check(run: Run) -> str | None:
        pose, one = run.truth.pose, run.truth.cubes[str(number)]
        away = math.hypot(one.x - pose.x, one.y - pose.y)
        return None if abs(away - distance) < 0.02 else f"{1000 * away:.0f} mm from the cube"

    return check


def still(run: Run) -> str | None:
    try:
        # What stopped it may just have come: its treads brake.
        run.emulators[0].wait_for(lambda state: _fastest(state) < 1, _BRAKING)
    except TimeoutError:
        return f"still drives at {_fastest(run.emulators[0].state()):.0f} mm/s"
    return None


def _fastest(state: EmulatorState) -> float:
    return max(abs(state.left_speed), abs(state.right_speed))


def upright(one: Any) -> bool:
    return abs(one.roll) < 0.1 and abs(one.pitch) < 0.1


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)


# -- running


@contextmanager
def emulators(example: Example) -> Iterator[list[RunningEmulator]]:
    layout = None if example.world is None else layout_of(example.world, "world")
    started: list[RunningEmulator] = []
    contexts = []
    try:
        for index in range(example.robots):
            options = {"ideal": True, "seed": index, "port": example.port, **example.options}
            context = running_emulator(world=World(layout, ideal=True), **options)
            started.append(context.__enter__())
            contexts.append(context)
        yield started
    finally:
        for context in reversed(contexts):
            context.__exit__(None, None, None)


def run(example: Example) -> Run:
    """Run an example to its end, or interrupt it."""
    with ExitStack() as stack:
        robots = stack.enter_context(emulators(example))
        addresses = [f"--robot={one.host}:{one.port}" for one in robots]
        command = [sys.executable, "-m", "cozmo_driver.cli.main", "run", "--no-pictures"]
        begun = time.monotonic()
        said = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
        process = subprocess.Popen(
            [*command, *addresses, example.file.name, *example.arguments],
            cwd=example.file.parent,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            # Of a benchmark in the background Ctrl-C may be switched off.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(
                    [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
                ),
                "PYTHONUNBUFFERED": "1",
            },
        )
        over = threading.Event()
        helper = None
        if example.meanwhile is not None:
            helper = threading.Thread(target=example.meanwhile, args=(robots[0], over))
            helper.start()
        try:
            _await_end(process, example, said)
        finally:
            over.set()
            if helper is not None:
                helper.join()
        seconds = time.monotonic() - begun
        result = Run(process.returncode, _text(said), seconds, robots)
        result.problems = list(_problems(example, result))
        return result


def _await_end(process: subprocess.Popen[bytes], example: Example, said: IO[str]) -> None:
    """Wait for the end of a program; one that goes on for ever is interrupted, then killed."""
    limit = time.monotonic() + example.timeout
    while not re.search(example.begun, _text(said)) and time.monotonic() < limit:
        if process.poll() is not None:
            return
        time.sleep(_POLL)
    if example.stop_after is not None:
        limit = time.monotonic() + example.stop_after
    try:
        process.wait(limit - time.monotonic())
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _text(said: IO[str]) -> str:
    said.seek(0)
    return said.read()


def _problems(example: Example, run: Run) -> Iterator[str]:
    if run.code != example.code:
        yield f"exit code {run.code}"
    if example.code == 0 and "Traceback" in run.output:
        yield "a traceback"
    if example.stop_after is None and run.seconds >= example.timeout:
        yield "did not end"
    if example.stop_after is not None and run.seconds < example.stop_after - 1:
        yield f"ended after {run.seconds:.1f} s"
    for check in [*example.checks, still]:
        if (problem := check(run)) is not None:
            yield problem


def main(words: list[str]) -> int:
    """Run the examples whose path has one of the words; print the table."""
    from .old_program_examples import EXAMPLES

    chosen = [one for one in EXAMPLES if not words or any(word in one.path for word in words)]
    failed = ran = 0
    for example in chosen:
        if not example.file.is_file():
            print(f"{example.path}: not there")
            continue
        if example.needs and find_spec(example.needs) is None:
            print(f"{example.path}: needs {example.needs}")
            continue
        result = run(example)
        problems = result.problems
        ran += 1
        failed += bool(problems)
        end = "; ".join(problems) or "as expected"
        print(f"{example.path} | {result.seconds:.0f} s | {end}", flush=True)
        if problems and "-v" in sys.argv:
            print(result.output[-3000:])
    print(f"{ran - failed} of {ran} as expected")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word != "-v"]))
