"""Made-up values for every declared message, from its fields and not from its codec."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from cozmo_driver.protocol import MessageSpec
from cozmo_driver.protocol.wire import (
    Array,
    Field,
    Octets,
    Scalar,
    Text,
    VarArray,
    VarOctets,
    fields_of,
)

REPEATABLE = settings(derandomize=True, deadline=None, database=None)
"""The same examples in every run."""

_LONGEST_TAIL = 255


def scalars(code: str) -> st.SearchStrategy[Any]:
    """Return every value that a ``struct`` code can hold, except NaN, which equals nothing."""
    if code == "?":
        return st.booleans()
    if code in "fd":
        return st.floats(width=32 if code == "f" else 64, allow_nan=False)
    bits = 8 * struct.calcsize("<" + code)
    low = -(1 << (bits - 1)) if code.islower() else 0
    return st.integers(low, low + (1 << bits) - 1)


def _texts() -> st.SearchStrategy[str]:
    return st.text(max_size=80).filter(lambda text: len(text.encode()) <= _LONGEST_TAIL)


def _values(field: Field) -> st.SearchStrategy[Any]:
    wire = field.wire
    if isinstance(wire, Scalar):
        return scalars(wire.code)
    if isinstance(wire, Octets):
        return st.binary(min_size=wire.count, max_size=wire.count)
    if isinstance(wire, Array):
        element = wire.element
        one = instances(element) if isinstance(element, type) else scalars(element)
        return st.tuples(*[one] * wire.count)
    if isinstance(wire, VarOctets):
        return st.binary(max_size=_LONGEST_TAIL)
    if isinstance(wire, VarArray):
        return st.lists(scalars(wire.element), max_size=_LONGEST_TAIL // 4).map(tuple)
    if isinstance(wire, Text):
        return _texts()
    assert field.struct_class is not None
    return instances(field.struct_class)


def instances(cls: type) -> st.SearchStrategy[Any]:
    """Return instances of a message or struct class."""
    return st.builds(cls, *[_values(field) for field in fields_of(cls)])


def messages_of(spec: MessageSpec) -> st.SearchStrategy[Any]:
    return instances(spec.cls)
