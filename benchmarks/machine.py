"""What else was running on this machine while something was measured."""

from __future__ import annotations

import os
import time

import psutil

_NAMED = 3
"""Programs that are named, those that took most."""
_LEAST = 0.01
"""Share of one core below which a program is not worth its name."""


class Others:
    """Watches the programs that are neither this one nor started by it, from now on."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._busy, self._own = _busy(), _own()
        self._programs = _programs()

    def __str__(self) -> str:
        """Return what they took of the machine until now, in words."""
        elapsed = max(time.monotonic() - self._begun, 1e-3)
        cores = os.cpu_count() or 1
        others = max(0.0, (_busy() - self._busy) - (_own() - self._own))
        took: dict[str, float] = {}
        for key, (name, seconds) in _programs().items():
            before = self._programs.get(key, (name, 0.0))[1]
            took[name] = took.get(name, 0.0) + (seconds - before) / elapsed
        most = sorted(took.items(), key=lambda one: -one[1])[:_NAMED]
        named = [f"{name} {100 * share:.0f} %" for name, share in most if share >= _LEAST]
        share = 100 * others / elapsed / cores
        text = f"Other programs took {share:.0f} % of the {cores} cores meanwhile"
        return f"{text} (of one core: {', '.join(named)})" if named else text


def _busy() -> float:
    """Return what all programs took of the processor since it started, s."""
    times = psutil.cpu_times()
    return float(sum(times[:8]) - times.idle - getattr(times, "iowait", 0.0))


def _own() -> float:
    """Return what this program and those it started took, s."""
    running = 0.0
    for child in psutil.Process().children(recursive=True):
        running += _seconds(child)
    return sum(os.times()[:4]) + running


def _programs() -> dict[tuple[int, float], tuple[str, float]]:
    """Return name and time, s, of each other program."""
    own = {os.getpid(), *(child.pid for child in psutil.Process().children(recursive=True))}
    return {
        (one.pid, one.info["create_time"]): (one.info["name"], _seconds(one))
        for one in psutil.process_iter(["name", "create_time"])
        if one.pid not in own
    }


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)
