"""Names and values that the SDK's enumerations have (``names.yaml``)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ...plain_yaml import load_yaml

_FILE = Path(__file__).with_name("names.yaml")


@lru_cache(1)
def _names() -> Any:
    return load_yaml(_FILE.read_text(encoding="utf-8"))


def named_values(kind: str) -> dict[str, int]:
    """Return the entries of an enumeration with their numbers."""
    entries = _names()[kind]
    if isinstance(entries, dict):
        return {str(name): int(value) for name, value in entries.items()}
    return {str(name): number for number, name in enumerate(entries)}
