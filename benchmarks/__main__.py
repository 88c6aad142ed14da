"""``python -m benchmarks [SECTION ...]``: measure, print the table, write docs/benchmarks.md.

A section that fails is a row that says so. The document is written where all of them ran.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import traceback
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from .machine import Others
from .rows import Row, failed_row, table

SECTIONS = (
    "codec",
    "face",
    "commands",
    "link_cpu",
    "node_cpu",
    "renderer",
    "backlog",
    "cockpit",
    "stop",
    "planning",
    "vision",
    "facades",
)
_DOCUMENT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
_TEXT = """\
# Benchmarks

Results of `make bench` on {day}: CPython {python}, {machine}, {cores} cores. The driver and PyCozmo
are measured alternately in one run. Compare figures within the table only, not between machines.
PyCozmo does not use ROS: its figures are those of its client alone. {others}.

{table}

- Codec times are the best of seven runs. Latency is the time from the call in the program's thread
  until the datagram arrives at the robot's socket on the same machine; for emergency_stop it starts
  with the client's call, under the load of `make soak`.
- Datagrams are lost independently in both directions. `N in order` is what the robot received;
  "unfinished" means that the client did not connect or did not end within 90 s.
- CPU is that of the whole process, in % of one core, over ten seconds.
- The emulator's camera turns once around in each of its worlds; the slowest world is shown.
- An hour of pictures passes through the robot layer as fast as possible. The driver itself runs for
  the time given; the ages of the pictures (stamp to receipt) in the first quarter are compared with
  those in the last. `scripts/env python -m benchmarks.backlog --seconds 3600` runs for a real hour.
"""


def measure(names: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of the sections; of one that fails a row with the reason."""
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            yield from importlib.import_module(f".{name}", __package__).rows()
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            yield failed_row(name, error)


def main() -> int:
    """Run the sections asked for; 0 when none of them failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], help="default: all")
    parser.add_argument(
        "--without", nargs="+", choices=SECTIONS, default=[], help="leave these out"
    )
    given = parser.parse_args()
    names = [name for name in given.section or SECTIONS if name not in given.without]
    if sys.version_info >= (3, 13):
        print("PyCozmo does not import on Python 3.13 and later; use 3.10 to 3.12", file=sys.stderr)
        return 1
    others = Others()
    rows, is_whole = [], names == list(SECTIONS)
    try:
        for row in measure(names):
            rows.append(row)
    except KeyboardInterrupt:
        print("interrupted: what was measured until now", file=sys.stderr)
        is_whole = False
    text = table(rows)
    print(f"{text}\n\n{others}.")
    if is_whole:
        # The accuracy has a program and a table of its own.
        _, heading, accuracy = _DOCUMENT.read_text().partition("\n## Accuracy")
        _DOCUMENT.write_text(
            _TEXT.format(
                day=date.today().isoformat(),
                python=platform.python_version(),
                machine=platform.machine(),
                cores=len(os.sched_getaffinity(0)),
                table=text,
                others=others,
            )
            + heading
            + accuracy
        )
        print(f"\nwritten to {_DOCUMENT.relative_to(_DOCUMENT.parent.parent)}", file=sys.stderr)
    return int(any(row.is_failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
