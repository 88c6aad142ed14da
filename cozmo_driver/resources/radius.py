"""The words and numbers that a clip gives for the radius of a curve (spec 06 §4)."""

from __future__ import annotations

import re

POINT_TURN = 0
STRAIGHT = 32767

_WORDS = {"TURN_IN_PLACE": POINT_TURN, "POINT_TURN": POINT_TURN, "STRAIGHT": STRAIGHT}
_LOW, _HIGH = -32768, 32767
_DIGITS = 6
"""More of them are beyond the limits whatever they are."""
# What C's atoi takes: white space, a sign, digits; the rest of the text does not matter.
_LEADING_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?)0*([0-9]*)")


def radius_of(text: str) -> int:
    """Return the radius in mm, 0 for a turn in place, 32767 for straight on.

    Words are case-sensitive; a text with a digit counts as the whole number it begins with, 0 if
    it begins with none. Raises ``ValueError`` for any other text.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not re.search(r"[0-9]", text):
        known = ", ".join(_WORDS)
        raise ValueError(f"{text[:40]!r} is neither a number of mm nor one of {known}")
    match = _LEADING_INTEGER.match(text)
    assert match is not None
    sign, digits = match.groups()
    size = int(digits[:_DIGITS] or 0)
    return max(_LOW, min(_HIGH, -size if sign == "-" else size))
