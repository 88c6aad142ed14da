"""Runs a target on many inputs, each with limits of time and memory; findings become files."""

from __future__ import annotations

import hashlib
import logging
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .mutation import mutated
from .table import TARGETS
from .target import Target

# What is left out of bad files is told in the log, thousands of times here.
logging.getLogger("cozmo_driver").addHandler(logging.NullHandler())
LONGEST_RUN = 20.0
"""Seconds that one input may take; the machine may be busy with something else."""
MOST_MEMORY = 1 << 30
"""Bytes that a run may need beyond what it had after its seeds."""
_MOST_FINDINGS = 20


class TooSlow(BaseException):
    """An input that takes too long; no handler of exceptions swallows it."""


@dataclass(slots=True)
class Report:
    """What a run did: counts, seconds, peak memory in bytes."""

    target: str
    executions: int = 0
    inputs: int = 0
    """Datagrams or files: an execution may take several."""
    seconds: float = 0.0
    peak: int = 0
    growth: int = 0
    findings: dict[str, str] = field(default_factory=dict)
    """Text of the error by the name of its file."""


def run_once(target: Target, data: bytes, longest: float = LONGEST_RUN) -> None:
    """Run a target on one input. Raises whatever is a finding, among it ``TooSlow``."""
    with _alarm(longest):
        target.run(data)


def fuzz(
    target: Target,
    seed: int,
    goes_on: Callable[[Report], bool],
    findings: Path,
    last_input: Path | None = None,
) -> Report:
    """Run a target on its seeds, then on damaged ones as long as ``goes_on``.

    With ``last_input`` the input is in that file before it is used, whatever it does to Python.
    """
    rng = random.Random(f"{seed} {target.name}")
    seeds = target.seeds()
    report = Report(target.name)

    def execute(data: bytes) -> None:
        if last_input is not None:
            last_input.write_bytes(data)
        _execute(target, data, report, findings)

    with _limited_memory():
        for data in seeds:
            execute(data)
        before, start = _peak(), time.monotonic()
        report.executions = report.inputs = 0
        while goes_on(report) and len(report.findings) < _MOST_FINDINGS:
            execute(mutated(rng, seeds, target.tokens, target.longest))
            report.seconds = time.monotonic() - start
    report.peak = _peak()
    report.growth = report.peak - before
    return report


def alone(name: str, seed: int, seconds: float, count: float | None, findings: Path) -> Report:
    """Run a target in a process that is its own: for a time, or ``count`` times its share."""
    target, end = TARGETS[name], time.monotonic() + seconds
    if count is not None:
        runs = max(1, round(target.share * count))
        goes_on = lambda report: report.executions < runs  # noqa: E731
    else:
        goes_on = lambda report: time.monotonic() < end  # noqa: E731
    kept = last_input_of(name, findings)
    report = fuzz(target, seed, goes_on, findings, kept)
    kept.unlink()
    return report


def last_input_of(name: str, findings: Path) -> Path:
    """Return where the input that a process uses is kept, for when the process ends with it."""
    findings.mkdir(parents=True, exist_ok=True)
    return findings / f".{name}-last-input"


def describe(error: BaseException) -> tuple[str, str]:
    """Return what an error is, the same for each input that leads to it, and its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "/cozmo_driver/" in one.filename] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {place}", "".join(traceback.format_exception(error))


def save(target: Target, data: bytes, findings: Path) -> Path:
    """Keep an input; return its file."""
    findings.mkdir(parents=True, exist_ok=True)
    path = findings / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def reproduction(target: str, path: Path) -> str:
    """Return the command that runs a target on a file."""
    return f"scripts/env python -m test.fuzz --target {target} --reproduce {path}"


def _execute(target: Target, data: bytes, report: Report, findings: Path) -> None:
    report.executions += 1
    report.inputs += target.count(data)
    try:
        run_once(target, data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        what, detail = describe(error)
        if what in report.findings.values():
            return
        path = save(target, data, findings)
        report.findings[str(path)] = what
        print(
            f"{detail}\n{target.name}: {what}\n{reproduction(target.name, path)}", file=sys.stderr
        )


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Let what takes too much memory fail with ``MemoryError`` instead of the whole machine."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + MOST_MEMORY
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise TooSlow(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
