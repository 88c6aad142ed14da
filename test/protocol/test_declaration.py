"""The declared messages are those of the specification (spec 02)."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.protocol import Direction, all_specs, decode_message, encode_message, spec_of
from cozmo_driver.protocol.wire import (
    Array,
    Octets,
    Scalar,
    Text,
    VarArray,
    VarOctets,
    WireType,
    fields_of,
)

from ..each import for_each
from .expected_messages import EXPECTED, Expected
from .strategies import REPEATABLE, messages_of

NEVER_IN_NORMAL_USE = {0x06, 0x0D, 0x0F, 0x12, 0x30, 0x52, 0x65, 0x89, 0xA1, 0xA2, 0xAA, 0xAB, 0xAC}
"""Spec README, without those that an explicit request allows."""

every_message = for_each("expected", EXPECTED)


def flattened_layout(cls: type) -> str:
    """Return the ``struct`` codes of a class's fixed fields, one after the other."""
    codes = ""
    for field in fields_of(cls):
        wire = field.wire
        if field.struct_class is not None:
            codes += flattened_layout(field.struct_class)
        elif isinstance(wire, Scalar):
            codes += wire.code
        elif isinstance(wire, Octets):
            codes += f"{wire.count}s"
        elif isinstance(wire, Array) and isinstance(wire.element, type):
            codes += flattened_layout(wire.element) * wire.count
        elif isinstance(wire, Array):
            codes += str(wire.element) * wire.count
    return codes


def expanded(layout: str) -> str:
    """Return a layout without repeat counts, except those of byte strings."""
    codes, count = "", ""
    for char in layout:
        if char.isdigit():
            count += char
        else:
            codes += count + char if char == "s" else char * int(count or 1)
            count = ""
    return codes


def tail_of(cls: type) -> str | None:
    """Return the variable last field of a class as length and element codes."""
    fields = fields_of(cls)
    wire: WireType | None = fields[-1].wire if fields else None
    if isinstance(wire, VarOctets):
        return f"{wire.length_code}*s"
    if isinstance(wire, VarArray):
        return f"{wire.length_code}*{wire.element}"
    return f"{wire.length_code}*text" if isinstance(wire, Text) else None


def flattened_values(value: object) -> list[object]:
    """Return the leaves of a message in the order of its fields."""
    if not isinstance(value, tuple):
        return [value]
    return [leaf for part in value for leaf in flattened_values(part)]


@every_message
def test_a_message_is_declared_as_the_specification_lists_it(expected: Expected) -> None:
    spec = spec_of(expected.tag)
    assert spec.name == expected.name
    assert (spec.direction is Direction.ENGINE_TO_ROBOT) is expected.to_robot
    assert spec.reliable is expected.reliable
    assert spec.codec.min_size == expected.size
    assert spec.codec.variable is (expected.tail is not None)
    assert flattened_layout(spec.cls) == expanded(expected.layout)
    assert tail_of(spec.cls) == expected.tail


@every_message
@settings(REPEATABLE, max_examples=5)
@given(data=st.data())
def test_a_message_is_encoded_as_the_specification_lays_it_out_and_decodes_to_what_it_was(
    expected: Expected, data: st.DataObject
) -> None:
    message = data.draw(messages_of(spec_of(expected.tag)))
    encoded = encode_message(message)
    if expected.tail is None:
        fields = struct.pack("<" + expected.layout, *flattened_values(message))
        assert encoded == bytes([expected.tag]) + fields
    decoded = decode_message(encoded)
    assert (type(decoded), decoded) == (type(message), message)
    assert encode_message(decoded) == encoded


def test_robot_messages_from_0xf0_on_are_unreliable_and_all_others_reliable() -> None:
    unreliable = {spec.tag for spec in all_specs() if not spec.reliable}
    assert unreliable == {spec.tag for spec in all_specs() if spec.tag >= 0xF0}


def test_messages_that_can_harm_a_robot_are_marked() -> None:
    marked = {spec.tag for spec in all_specs() if spec.never_send}
    assert marked >= NEVER_IN_NORMAL_USE
    assert all(spec_of(tag).direction is Direction.ENGINE_TO_ROBOT for tag in marked)


def test_an_undeclared_tag_or_class_has_no_declaration() -> None:
    with pytest.raises(KeyError):
        spec_of(0xFF)
    with pytest.raises(KeyError):
        spec_of(int)


def test_every_message_says_what_it_is() -> None:
    assert [s.name for s in all_specs() if not (s.cls.__doc__ or "").strip().endswith(".")] == []
