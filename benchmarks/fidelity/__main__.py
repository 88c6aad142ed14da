"""Print the table, or write it into docs/simulation.md; 1 where a row is outside its tolerance."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __doc__ as _ABOUT
from .driving import driving
from .link import cube, frames
from .motion import head, lift, treads, turn
from .recording import Row, Section, mean
from .standing import battery, calibration, standing
from .streams import animation, camera, connection
from .twin import twin

WANTED = 0.95
"""Share of a twin's rows that shall be within their tolerance."""
PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
_BEGIN, _END = "<!-- fidelity -->\n", "<!-- end of fidelity -->\n"

SECTIONS: dict[str, tuple[Section, int]] = {
    "treads": (treads, 6),
    "driving": (driving, 12),
    "turn": (turn, 6),
    "head": (head, 6),
    "lift": (lift, 6),
    "standing": (standing, 1),
    "calibration": (calibration, 6),
    "battery": (battery, 1),
    "animation": (animation, 2),
    "camera": (camera, 1),
    "connection": (connection, 6),
    "frames": (frames, 1),
    "cube": (cube, 6),
}
"""By name; with the phases that each is measured at."""


def measure(name: str) -> list[Row]:
    """Return the rows of a section."""
    return mean(*SECTIONS[name])


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [
        "| figure | robot | real | emulated | difference | tolerance |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for row in rows:
        figures = (row.real, row.emulated, row.emulated - row.real, row.tolerance)
        cells = " | ".join("0" if abs(f) < 2e-6 else f"{f:.4g}" for f in figures)
        unit = f", {row.unit}" if row.unit else ""
        mark = "" if row.is_met else " **outside**"
        lines.append(f"| {row.what}{unit} | {row.robot} | {cells}{mark} |")
    return "\n".join(lines) + "\n"


def _compare(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Print how far a robot's twin is off; 0 where 95 % of the rows are within their tolerance."""
    if arguments.write or arguments.section:
        parser.error("--report compares one robot: name neither sections nor --write")
    try:
        rows = twin(arguments.report)
    except ValueError as error:
        parser.error(str(error))
    if not rows:
        parser.error(f"{arguments.report}: no step of it measured anything that can be compared")
    print(table(rows), end="")
    met = sum(row.is_met for row in rows)
    print(f"\n{met} of {len(rows)} rows are within their tolerance")
    return 0 if met >= WANTED * len(rows) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=_ABOUT)
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], help="default: all")
    parser.add_argument("--write", action="store_true", help="write it into docs/simulation.md")
    parser.add_argument(
        "--report",
        type=Path,
        metavar="REPORT",
        help="of cozmo checkup: compare that robot with its twin (cozmo emulator --like REPORT)",
    )
    arguments = parser.parse_args()
    if arguments.report:
        return _compare(parser, arguments)
    if arguments.write and arguments.section:
        parser.error("--write writes all sections: name none")
    rows = [row for name in arguments.section or SECTIONS for row in measure(name)]
    if arguments.write:
        before, rest = PAGE.read_text().split(_BEGIN)
        PAGE.write_text(before + _BEGIN + table(rows) + _END + rest.split(_END)[1])
    else:
        print(table(rows), end="")
    return 0 if all(row.is_met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
