"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """Return ``1 entry`` or ``2 entries``; ``several`` is ``one`` and an s by default."""
    return f"{number} {one if number == 1 else several or one + 's'}"
