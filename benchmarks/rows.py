"""Rows of the result and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured work: figures of both sides, and whether the target is met."""

    work: str
    theirs: str
    ours: str
    ratio: str
    target: str
    met: bool | None
    is_failed: bool = False
    """It was not measured."""


def ratio_row(work: str, theirs_us: float, ours_us: float, at_least: float) -> Row:
    """Return the row of a work that both sides do, times in us, with the ratio to reach."""
    ratio = theirs_us / ours_us
    return Row(
        work,
        f"{theirs_us:.2f} us",
        f"{ours_us:.2f} us",
        f"{ratio:.1f}x faster",
        f">= {at_least:g}x",
        ratio >= at_least,
    )


def limit_row(work: str, theirs: float | None, ours: float, limit: float, unit: str) -> Row:
    """Return the row of a figure that must not exceed a limit."""
    compared = f"{theirs / ours:.1f}x less" if theirs and ours else "-"
    return Row(
        work,
        "-" if theirs is None else f"{theirs:.2f} {unit}",
        f"{ours:.2f} {unit}",
        compared,
        f"<= {limit:g} {unit}",
        ours <= limit,
    )


def failed_row(section: str, error: BaseException) -> Row:
    """Return the row of a section that was not measured to its end, and why."""
    reason = f"{type(error).__name__}: {error}".splitlines()[0].replace("|", "/")
    return Row(f"{section}: not measured, {reason}", "-", "-", "-", "-", None, True)


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table with aligned columns."""
    head = ["work", "PyCozmo 0.8.0", "cozmo_driver", "ratio", "target", "met"]
    met = {True: "yes", False: "**no**", None: "-"}
    cells = [head] + [[r.work, r.theirs, r.ours, r.ratio, r.target, met[r.met]] for r in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)
