"""Run the trials; print a line for each on stderr, and the table at the end."""

from __future__ import annotations

import argparse
import math
import os
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

from . import __doc__ as _about
from . import charger_trials, cube_trials
from .trial import Outcome, Task

_TASKS = {**cube_trials.TASKS, **charger_trials.TASKS}
_HEAD = (
    "| task | done | claimed, but not done | done, but told as failed | median / longest "
    "| attempts | off, median / most |\n"
    "|---|---|---|---|---|---|---|"
)


def main() -> int:
    """Do what is chosen; the exit code is 1 where less than what is to be reached was."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.manipulation", description=_about)
    parser.add_argument("--seeds", type=int, default=50, help="trials of each task")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="+", choices=_TASKS, help="tasks, by default all")
    parser.add_argument("--graph", action="store_true", help="through ROS, in real time")
    chosen = parser.parse_args()
    trial = _trial(chosen.graph)
    rows, are_reached = [_HEAD], True
    for name in chosen.only or _TASKS:
        task, outcomes = _TASKS[name], []
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            begun = time.monotonic()
            outcomes.append(outcome := trial(task, seed))
            took, load = time.monotonic() - begun, os.getloadavg()[0]
            print(
                f"{name} {seed}: {outcome} ({took:.0f} s, load {load:.0f})",
                file=sys.stderr,
                flush=True,
            )
        rows.append(row(task, outcomes))
        are_reached = are_reached and is_reached(task, outcomes)
    print("\n".join(rows))
    return 0 if are_reached else 1


def _trial(is_graph: bool) -> Callable[[Task, int], Outcome]:
    """Return how a task is tried; what the other way needs may be missing."""
    if is_graph:
        from . import graph

        # Whichever way it is ended, its programs end with it; in the background INT is ignored.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        return graph.trial
    from . import virtual

    return virtual.trial


def row(task: Task, outcomes: Sequence[Outcome]) -> str:
    """Return the summary as a row of a Markdown table."""
    good = _good(task, outcomes)
    times = [one.time for one in good] or [math.nan]
    off = [one.off for one in good if not math.isnan(one.off)]
    offs = f"{statistics.median(off):.1f} mm / {max(off):.1f} mm" if off else ""
    tries = Counter(one.attempts for one in good)
    limit = f" within {task.time_limit:g} s" if math.isfinite(task.time_limit) else ""
    return (
        f"| {task.title} | {len(good)} of {len(outcomes)}{limit} "
        f"| {sum(one.is_claimed and not one.is_done for one in outcomes)} "
        f"| {sum(one.is_done and not one.is_claimed for one in outcomes)} "
        f"| {statistics.median(times):.0f} s / {max(times):.0f} s "
        f"| {', '.join(f'{count} x {tries[count]}' for count in sorted(tries))} "
        f"| {offs} |"
    )


def _good(task: Task, outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.is_good and one.time <= task.time_limit]


def is_reached(task: Task, outcomes: Sequence[Outcome]) -> bool:
    """Whether enough trials were good, and none was told to be what it was not."""
    is_honest = all(one.is_claimed == one.is_done for one in outcomes)
    return is_honest and len(_good(task, outcomes)) >= task.goal * len(outcomes)


if __name__ == "__main__":
    sys.exit(main())
