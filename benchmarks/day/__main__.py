"""``python -m benchmarks.day``: live a day, say how it went, draw it."""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from .run import Day, live_a_day

LONGEST_IDLE = 60.0
_PICTURE = Path(__file__).parents[2] / "docs" / "images" / "behavior_day.png"


def main() -> int:
    """Return 1 where something was not as it shall be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=_PICTURE, help="where the picture goes")
    parser.add_argument("--no-plot", action="store_true")
    arguments = parser.parse_args()
    began = time.process_time()
    day = live_a_day(arguments.hours, arguments.seed)
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
