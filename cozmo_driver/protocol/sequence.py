"""Sequence numbers: 1 to 65534 in a circle, 0 for none (spec 01 §4)."""

from __future__ import annotations

FIRST = 1
LAST = 65534
COUNT = LAST


def following(seq: int, steps: int = 1) -> int:
    """Return the number ``steps`` after ``seq``."""
    return (seq - 1 + steps) % COUNT + 1


def distance(start: int, end: int) -> int:
    """Return how many steps lead from ``start`` forward to ``end``: 0 to 65533."""
    return (end - start) % COUNT


def is_ahead(seq: int, reference: int) -> bool:
    """Tell whether ``seq`` lies in the half circle after ``reference``."""
    return 0 < distance(reference, seq) < COUNT // 2
