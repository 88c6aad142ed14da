"""``python -m benchmarks.day``: live a day, say how it went, draw it.

With ``--sees`` it has eyes and hands and goes home by itself; ``--seeds N`` lives so many such days
and prints the table of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from .run import Day, live_a_day

LONGEST_IDLE = 60.0
EMPTY = 3.4
"""V at which the robot is about to switch itself off."""
_PICTURE = Path(__file__).parents[2] / "docs" / "images" / "behavior_day.png"


def main() -> int:
    """Return 1 where something was not as it shall be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=_PICTURE, help="where the picture goes")
    parser.add_argument("--no-plot", action="store_true")
    parser.add_argument("--sees", action="store_true", help="with people, cubes and charger")
    parser.add_argument("--seeds", type=int, default=0, help="so many days that see, as a table")
    arguments = parser.parse_args()
    if arguments.seeds:
        return table(arguments.hours, range(arguments.seed, arguments.seed + arguments.seeds))
    began = time.process_time()
    day = live_a_day(arguments.hours, arguments.seed, sees=arguments.sees)
    took = time.process_time() - began
    share = 100 * took / day.hours / 3600
    print(f"{day.hours:g} h in {took:.0f} s of processor time: {share:.2f} %")
    complaints = report(day)
    if not arguments.no_plot:
        from .plot import draw

        draw(day, arguments.plot)
        print(f"drawn: {arguments.plot}")
    for complaint in complaints:
        print(f"NOT AS IT SHALL BE: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


def table(hours: float, seeds: range) -> int:
    """Print a row for each day, and what was never chosen in all of them together."""
    print("| seed | home | lowest, V | rules broken | same within 10 min | never chosen |")
    print("|--:|--:|--:|--:|--:|--:|")
    never: set[str] | None = None
    is_met = True
    for seed in seeds:
        day = live_a_day(hours, seed, sees=True)
        same, count = day.repeats()
        arrived = sum(is_there for _, is_there in day.homecomings)
        lowest = min(day.voltages)
        bad = day.broken_rules + day.broken + sorted(day.unknown)
        print(
            f"| {seed} | {arrived} of {len(day.homecomings)} | {lowest:.2f} | {len(bad)} | "
            f"{same} of {count}, {100 * same / max(1, count):.1f} % | {len(day.never)} |",
            flush=True,
        )
        for text in bad[:5]:
            print(f"seed {seed}: {text}", file=sys.stderr, flush=True)
        print(f"seed {seed}: the same again: {day.repeated()}", file=sys.stderr, flush=True)
        is_met &= not bad and lowest > EMPTY and same < 0.05 * count
        never = day.never if never is None else never & day.never
    print(f"\nnever chosen: {', '.join(sorted(never or ())) or '-'}")
    return int(not is_met or bool(never))


def report(day: Day) -> list[str]:
    """Print the figures of a day; return what is wrong with it."""
    share: dict[str, float] = defaultdict(float)
    for span in day.spans:
        seen = span.seen
        name = seen.activity or ("reactions" if seen.reaction else seen.state.name.lower())
        share[name] += span.ended - span.began
    for name, seconds in sorted(share.items(), key=lambda one: -one[1]):
        print(f"  {name:20} {seconds / 3600:6.2f} h")
    for name in day.moods[0]:
        values = [mood[name] for mood in day.moods]
        mean = sum(values) / len(values)
        print(f"  {name:12} {min(values):+.2f} .. {max(values):+.2f}, mean {mean:+.2f}")
    print(f"  {day.moves} moves of the treads, {len(day.deeds)} deeds of people")
    idle, since = day.longest_idle()
    print(f"  longest idle: {idle:.1f} s at {since:.0f} s")
    return [
        *day.broken_rules,
        *day.broken,
        *(f"nothing knows {name}" for name in sorted(day.unknown)),
        *([f"nothing to do for {idle:.0f} s at {since:.0f} s"] if idle > LONGEST_IDLE else []),
        *(f"never chosen: {name}" for name in sorted(day.never)),
    ]


if __name__ == "__main__":
    sys.exit(main())
