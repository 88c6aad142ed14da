"""Results of the checks, and their presentation."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import groupby
from typing import Any

from ..common import counted

_CHECK_WIDTH = 13
_OUTCOME_WIDTH = 8


class Outcome(Enum):
    """How a check ended; only a failed one keeps a robot from being driven."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what it looked at, what it saw, and what to do; ``saw`` is why it was skipped."""

    group: str
    check: str
    outcome: Outcome
    saw: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    name: str

    def ok(self, check: str, saw: str) -> Finding:
        return Finding(self.name, check, Outcome.OK, saw)

    def warning(self, check: str, saw: str, advice: str) -> Finding:
        return Finding(self.name, check, Outcome.WARNING, saw, advice)

    def failed(self, check: str, saw: str, advice: str = "") -> Finding:
        return Finding(self.name, check, Outcome.FAILED, saw, advice)

    def skipped(self, check: str, saw: str, advice: str = "") -> Finding:
        return Finding(self.name, check, Outcome.SKIPPED, saw, advice)


def is_usable(findings: Iterable[Finding]) -> bool:
    return all(finding.outcome is not Outcome.FAILED for finding in findings)


def as_document(robot: str, findings: list[Finding]) -> dict[str, Any]:
    return {
        "robot": robot,
        "usable": is_usable(findings),
        "checks": [{**asdict(one), "outcome": one.outcome.value} for one in findings],
    }


def lines(findings: Iterable[Finding], width: int) -> Iterator[str]:
    """Yield the findings for people, at most ``width`` columns wide where words allow it."""
    for group, members in groupby(findings, key=lambda finding: finding.group):
        yield group
        for finding in members:
            head = f"  {finding.outcome.value:<{_OUTCOME_WIDTH}} {finding.check:<{_CHECK_WIDTH}} "
            yield from _wrapped(finding.saw, head, " " * len(head), width)
            if finding.advice:
                margin = " " * (len(head) - 3)
                yield from _wrapped(finding.advice, f"{margin}-> ", " " * len(head), width)


def summary(findings: list[Finding]) -> str:
    count = Counter(finding.outcome for finding in findings)
    failed, warnings = count[Outcome.FAILED], count[Outcome.WARNING]
    if failed:
        return f"not usable: {counted(failed, 'check')} failed; begin with the first"
    return f"usable, with {counted(warnings, 'warning')}" if warnings else "usable"


def _wrapped(text: str, first: str, other: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=other,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]
