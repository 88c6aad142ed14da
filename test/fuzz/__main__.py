"""``python -m test.fuzz``: feed every reader of the driver with damage, and say what it did."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from . import guided
from .run import Report, alone, describe, last_input_of, reproduction, run_once, save
from .table import TARGETS

_FINDINGS = Path("findings")
_EXAMPLES = """examples:
  python -m test.fuzz                                    each target for 60 s
  python -m test.fuzz --target world --seconds 600       one of them, for longer
  python -m test.fuzz --count                            a million datagrams, 100 000 files
  python -m test.fuzz --target world --reproduce FILE    a finding again
"""
_TARGET_HELP = f"may be given again; all of them: {', '.join(TARGETS)}"
_COUNT_HELP = "instead of a time: FACTOR times each target's share of the long run (1)"
_DRIVER_HELP = "guided by coverage where atheris is installed, else seeded damage"
_FINDINGS_HELP = "where inputs are kept that do harm (findings)"
_ROW = "{:<15}{:>10}{:>10}{:>8}{:>9}{:>9}{:>8}  {}"
_HEAD = ("target", "runs", "inputs", "s", "runs/s", "peak MB", "grown", "findings")


def main() -> int:
    """Return 0 when nothing was found, 1 with findings."""
    parser = argparse.ArgumentParser(
        prog="python -m test.fuzz",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--target", action="append", choices=TARGETS, metavar="NAME", help=_TARGET_HELP)
    add("--seconds", type=float, default=60.0, help="for each target (60)")
    add("--count", type=float, nargs="?", const=1.0, metavar="FACTOR", help=_COUNT_HELP)
    add("--seed", type=int, default=1, help="of the damage (1)")
    add("--driver", choices=("auto", "atheris", "mutation"), default="auto", help=_DRIVER_HELP)
    add("--findings", type=Path, default=_FINDINGS, metavar="FOLDER", help=_FINDINGS_HELP)
    add("--reproduce", type=Path, metavar="FILE", help="run a target on a file")
    arguments = parser.parse_args()
    names = arguments.target or list(TARGETS)
    if arguments.reproduce is not None:
        return _reproduce(names, arguments.reproduce)
    guides = arguments.driver == "atheris" or (
        arguments.driver == "auto" and arguments.count is None and guided.is_available()
    )
    reports = []
    print(_ROW.format(*_HEAD))
    for name in names:
        if guides:
            report = guided.fuzz(name, arguments.seconds, arguments.seed, arguments.findings)
        else:
            report = _in_a_process_of_its_own(name, arguments)
        reports.append(report)
        _print(report)
    _print_totals(reports)
    return 1 if any(report.findings for report in reports) else 0


def _in_a_process_of_its_own(name: str, arguments: argparse.Namespace) -> Report:
    """Run a target so that its memory is its own and even a crash of Python is a finding."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(
                alone, name, arguments.seed, arguments.seconds, arguments.count, arguments.findings
            ).result()
        except BrokenProcessPool:
            kept = last_input_of(name, arguments.findings)
            path = save(TARGETS[name], kept.read_bytes(), arguments.findings)
            kept.unlink()
            what = "the process ended"
            print(f"{name}: {what}\n{reproduction(name, path)}", file=sys.stderr)
            return Report(name, findings={str(path): what})


def _reproduce(names: list[str], path: Path) -> int:
    if len(names) != 1:
        print("name the target of the file: --target NAME", file=sys.stderr)
        return 2
    try:
        run_once(TARGETS[names[0]], path.read_bytes())
    except BaseException as error:
        print("".join(describe(error)[::-1]), file=sys.stderr)
        return 1
    print(f"{path} does no harm to {names[0]}")
    return 0


def _print(report: Report) -> None:
    rate = report.executions / report.seconds if report.seconds else 0.0
    cells = (
        *(report.target, report.executions, report.inputs, round(report.seconds), round(rate)),
        *(report.peak >> 20, report.growth >> 20, len(report.findings) or "-"),
    )
    print(_ROW.format(*cells), flush=True)
    for path, what in report.findings.items():
        print(f"    {what}\n    {reproduction(report.target, Path(path))}", flush=True)


def _print_totals(reports: list[Report]) -> None:
    datagrams = sum(one.inputs for one in reports if TARGETS[one.target].is_datagrams)
    files = sum(one.inputs for one in reports if not TARGETS[one.target].is_datagrams)
    print(
        f"{datagrams} datagrams and {files} files in {sum(one.seconds for one in reports):.0f} s, "
        f"peak {max(one.peak for one in reports) >> 20} MB, "
        f"grown at most {max(one.growth for one in reports) >> 20} MB, "
        f"{sum(len(one.findings) for one in reports)} findings"
    )


if __name__ == "__main__":
    sys.exit(main())
