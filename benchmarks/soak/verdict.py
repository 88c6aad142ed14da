"""Judges what a soak saw; pure functions."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cozmo_driver.robot import Reason

from .goals import Outcome

WARM_UP = 60.0
"""s after which memory may grow no more."""
MOST_GROWTH = 2.0
"""MB."""
_WINDOW = 10.0
"""s that memory is averaged over: what comes and goes is no growth."""
_MARGIN = 1.0
"""s around an outage in which its effects are expected."""
_FEW = 5
"""Goals that may all be unlucky."""
_EXPECTED = re.compile(
    r"^\[(DEBUG|INFO)\]"
    r"|(follow_path|drive_distance|turn_in_place|move_head|move_lift|play_audio)"
    r"( ended)?: .*(link|no state came|no robot is ready|robot did not answer|connection)"
    r"|(cmd_vel|audio) is refused: "
    r"|audio comes faster than it is played"
    r"|stopped: no (cmd_vel for|state comes from the robot)"
    r"|the robot fell silent"
    r"|the robot did not acknowledge its stop"
    # The resampler's library, where the process ends in the middle of a sound.
    r"|nanobind|^ - (leaked|\.\.\. skipped)"
)
_OUTAGE = (Reason.LINK_LOST, Reason.NOT_CONNECTED)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the result."""

    what: str
    value: str
    limit: str
    is_met: bool


def memory(samples: Sequence[tuple[float, float]], length: float) -> Finding:
    """Judge resident memory: (s since the start, MB) each second of ``length`` s."""
    what = "memory of the driver"
    largest = max((size for _, size in samples), default=0.0)
    if length < 2 * WARM_UP:
        return Finding(what, f"{largest:.1f} MB", "too short to measure its growth", True)
    before = _mean(samples, WARM_UP - _WINDOW)
    ends = range(int(WARM_UP), int(length - _WINDOW) + 1)
    growth = max(_mean(samples, end) for end in ends) - before
    return Finding(
        "growth of memory after the first minute",
        f"{growth:+.2f} MB of {before:.1f} MB",
        f"<= {MOST_GROWTH:g} MB",
        growth <= MOST_GROWTH,
    )


def _mean(samples: Sequence[tuple[float, float]], start: float) -> float:
    return statistics.fmean(size for at, size in samples if start <= at <= start + _WINDOW)


def handles(before: int, after: int) -> Finding:
    """Judge the open files and sockets at the end of the first outage and of the last one."""
    return Finding("open files", f"{before} then {after}", "no more", after <= before)


def goals(
    outcomes: Sequence[Outcome], pending: Sequence[str], outages: Sequence[tuple[float, float]]
) -> list[Finding]:
    """Judge every goal; ``outages`` are the times without a link, s as in the outcomes."""
    wrong = [outcome for outcome in outcomes if not _is_expected(outcome, outages)]
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        name = Reason(outcome.reason).name if outcome.reason else "reached"
        counts.setdefault(outcome.action, Counter())[name] += 1
    rows = [
        Finding(
            f"goals of {action}",
            ", ".join(f"{count} {name}" for name, count in by_name.most_common()),
            "some reached",
            by_name["reached"] > 0 or by_name.total() < _FEW,
        )
        for action, by_name in sorted(counts.items())
    ]
    rows.append(
        Finding("goals and calls without an answer", ", ".join(pending) or "0", "0", not pending)
    )
    first = outages[0][0] if outages else 0.0
    texts = [
        f"{o.start - first:.2f} to {o.end - first:.2f} s: {Reason(o.reason).name} {o.message}"
        for o in wrong
    ]
    rows.append(
        Finding("goals that failed without an outage", "; ".join(texts) or "0", "0", not wrong)
    )
    return rows


def _is_expected(outcome: Outcome, outages: Iterable[tuple[float, float]]) -> bool:
    if outcome.reason in (Reason.NONE, Reason.SUPERSEDED):
        return True
    return outcome.reason in _OUTAGE and any(
        outcome.start <= end + _MARGIN and outcome.end >= start - _MARGIN for start, end in outages
    )


def log(text: str) -> list[Finding]:
    """Judge the driver's log line by line; what is expected is counted."""
    lines = [line for line in text.splitlines() if line.strip()]
    unexpected = [line for line in lines if not _EXPECTED.search(line)]
    warned = sum(not line.startswith(("[INFO]", "[DEBUG]")) for line in lines)
    return [
        Finding("lines of the log", f"{len(lines)}, {warned} of them warnings", "-", True),
        Finding(
            "unexpected lines",
            "; ".join(dict.fromkeys(unexpected)) or "0",
            "0",
            not unexpected,
        ),
    ]


def table(findings: Sequence[Finding]) -> str:
    """Return the findings as a Markdown table with aligned columns."""
    cells = [["what", "measured", "limit", "met"]]
    cells += [[f.what, f.value, f.limit, "yes" if f.is_met else "**no**"] for f in findings]
    widths = [min(70, max(len(line[i]) for line in cells)) for i in range(4)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)
