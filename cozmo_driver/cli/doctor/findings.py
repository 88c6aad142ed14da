"""Checks, their results, and how those are shown."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from ..common import counted

_CHECK_WIDTH = 13
_OUTCOME_WIDTH = 8


class Outcome(Enum):
    """How a check ended; only a failed one keeps a robot from being driven."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


class Result(NamedTuple):
    """What a check saw, and what to do; ``saw`` is why it was skipped."""

    outcome: Outcome
    saw: str
    advice: str = ""


ok = partial(Result, Outcome.OK)
warning = partial(Result, Outcome.WARNING)
failed = partial(Result, Outcome.FAILED)
skipped = partial(Result, Outcome.SKIPPED)

Checks = Mapping[str, Callable[..., Iterable[Result]]]
"""Checks of a group by name, in their order; each may have several results, or none."""


@dataclass(frozen=True, slots=True)
class Finding:
    group: str
    check: str
    outcome: Outcome
    saw: str
    advice: str = ""


def found(group: str, checks: Checks, *subject: object) -> list[Finding]:
    """Return what the checks of a group find about a subject, which each of them gets."""
    return [
        Finding(group, name, *result)
        for name, check in checks.items()
        for result in check(*subject)
    ]


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
        for one in members:
            head = f"  {one.outcome.value:<{_OUTCOME_WIDTH}} {one.check:<{_CHECK_WIDTH}} "
            margin = " " * len(head)
            for first, text in ((head, one.saw), (margin[3:] + "-> ", one.advice)):
                if text:
                    wrap = textwrap.TextWrapper(width, first, margin, break_on_hyphens=False)
                    wrap.break_long_words = False
                    yield from wrap.wrap(text)


def summary(findings: list[Finding]) -> str:
    count = Counter(finding.outcome for finding in findings)
    failures, warnings = count[Outcome.FAILED], count[Outcome.WARNING]
    if failures:
        return f"not usable: {counted(failures, 'check')} failed; begin with the first"
    return f"usable, with {counted(warnings, 'warning')}" if warnings else "usable"
