"""Which group, or pattern of a cube's lights, is played for a trigger (spec 06 §6, 11 §4)."""

from __future__ import annotations

from typing import Any

from .errors import LoadWarning, ResourceError

_PAIRS, _TRIGGER, _TARGET = "Pairs", "CladEvent", "AnimName"


def read_trigger_map(content: Any, source: str) -> tuple[dict[str, str], list[LoadWarning]]:
    """Return the name for each trigger of a parsed file, and what was left out.

    The first pair of a trigger counts. Raises ``ResourceError``.
    """
    pairs = content.get(_PAIRS) if isinstance(content, dict) else None
    if not isinstance(pairs, list):
        raise ResourceError(f"{source}: a trigger map is an object with a list {_PAIRS!r}")
    names: dict[str, str] = {}
    warnings = []
    for number, pair in enumerate(pairs):
        trigger = pair.get(_TRIGGER) if isinstance(pair, dict) else None
        target = pair.get(_TARGET) if isinstance(pair, dict) else None
        if not isinstance(trigger, str) or not isinstance(target, str) or not trigger:
            text = f"pair {number} is left out: it has no {_TRIGGER!r} and {_TARGET!r}"
            warnings.append(LoadWarning(source, text))
        elif target:
            names.setdefault(trigger, target)
    return names, warnings
