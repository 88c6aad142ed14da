"""``python -m benchmarks [SECTION ...]``: measure, print the table, write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from datetime import date
from pathlib import Path

from .rows import Row, table

SECTIONS = ("codec", "face", "commands", "link_cpu", "node_cpu", "renderer", "backlog")
_DOCUMENT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
_TEXT = """\
# Benchmarks

What `make bench` printed on {day}: CPython {python}, {machine}, {cores} cores. Both sides are
measured in one run, in turn; compare within the table, never with another machine's. PyCozmo has no
ROS: its figures are those of its bare client.

{table}

- Times of codecs are the best of seven rounds. Latency is from handing the command over, in the
  program's thread, to the datagram's arrival at the robot's socket over UDP on this machine; of
  emergency_stop from the client's call, while the load of `make soak` asks everything else.
- Under loss every datagram is lost independently, in both directions; `N in order` is what the
  robot took; unfinished: the client never connected or did not end within 90 s.
- CPU is that of the whole process, in % of one core, over ten seconds.
- The emulator's camera turns once around in each of its worlds; the dearest one is shown.
- An hour of pictures goes through the robot layer as fast as it can; the driver itself runs for the
  time given, and compared are the ages, from stamp to receipt, of the first quarter's pictures and
  of the last quarter's. `scripts/env python -m benchmarks.backlog --seconds 3600` takes its time.
"""


def main() -> int:
    """Run the sections asked for; all of them are written to the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], help="default: all")
    names = parser.parse_args().section or list(SECTIONS)
    if sys.version_info >= (3, 13):
        print("PyCozmo does not import on Python 3.13 and later; use 3.10 to 3.12", file=sys.stderr)
        return 1
    rows: list[Row] = []
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f".{name}", __package__).rows()
    text = table(rows)
    print(text)
    if list(names) == list(SECTIONS):
        # The accuracy has a program and a table of its own.
        _, heading, accuracy = _DOCUMENT.read_text().partition("\n## Accuracy")
        _DOCUMENT.write_text(
            _TEXT.format(
                day=date.today().isoformat(),
                python=platform.python_version(),
                machine=platform.machine(),
                cores=len(os.sched_getaffinity(0)),
                table=text,
            )
            + heading
            + accuracy
        )
        print(f"\nwritten to {_DOCUMENT.relative_to(_DOCUMENT.parent.parent)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
