"""The package cozmo_interfaces: it holds what the ROS interface names, documented, in SI units."""

from __future__ import annotations

import array
import importlib
import random
import re
from pathlib import Path
from typing import Any

import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

import cozmo_interfaces.action
import cozmo_interfaces.msg
import cozmo_interfaces.srv

from ..each import for_each

PACKAGE = Path(__file__).parents[2] / "cozmo_interfaces"

TABLE = {
    kind: sorted(path.stem for path in (PACKAGE / kind).iterdir())
    for kind in ("msg", "srv", "action")
}
MODULES = {
    "msg": cozmo_interfaces.msg,
    "srv": cozmo_interfaces.srv,
    "action": cozmo_interfaces.action,
}

WIRE_UNIT = re.compile(
    r"_(mm|mmps|mmps2|cm|ms|msec|us|sec|s|deg|degps|dps|rad|radps|frames?|ticks?|percent|hz|mv|g)$",
    re.IGNORECASE,
)

DECLARATION = re.compile(
    r"^[A-Za-z_][\w/]*(?:\[(?:<=)?\d*\])?\s+(?P<name>\w+)"
    r"\s*=?[^#]*(?:#\s*(?P<comment>.*))?$"
)


def declarations(text: str) -> list[tuple[str, str]]:
    """Names and comments of all fields and constants; a line that is none of these raises."""
    found = []
    for line in map(str.strip, text.splitlines()):
        if line and line != "---" and not line.startswith("#"):
            match = DECLARATION.match(line)
            if match is None:
                raise ValueError(f"not a field, constant or comment: {line!r}")
            found.append((match["name"], match["comment"] or ""))
    return found


def undocumented(text: str) -> list[str]:
    """Names of the fields and constants that say nothing about themselves."""
    return [name for name, comment in declarations(text) if len(comment.strip()) < 2]


def wire_units(text: str) -> list[str]:
    """Names of the fields and constants that carry a unit in their name."""
    return [name for name, _ in declarations(text) if WIRE_UNIT.search(name)]


def interface_files() -> list[Path]:
    return sorted(path for kind in TABLE for path in (PACKAGE / kind).iterdir())


FILES = for_each("path", interface_files())


def test_the_build_names_every_interface_file_once() -> None:
    built = re.findall(r'"((?:msg|srv|action)/\S+)"', (PACKAGE / "CMakeLists.txt").read_text())
    present = {path.relative_to(PACKAGE).as_posix() for path in interface_files()}
    assert len(built) == len(set(built))
    assert set(built) == present


def test_the_table_of_the_readme_has_every_interface_once() -> None:
    rows = re.findall(r"^\|.*\|$", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.M)
    named = re.findall(r"`(\w+)`", "".join(rows))
    assert sorted(named) == sorted(path.stem for path in interface_files())


@FILES
def test_every_file_is_documented_in_plain_text_and_si_units(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("# "), "it does not say first what it is"
    assert undocumented(text) == []
    assert wire_units(text) == []
    assert text.isascii()
    assert [line for line in text.splitlines() if len(line) > 120] == []


def test_a_stamped_datum_begins_with_its_header() -> None:
    messages = [getattr(cozmo_interfaces.msg, name) for name in TABLE["msg"]]
    fields = [list(message.get_fields_and_field_types().items()) for message in messages]
    stamped = [some for some in fields if "header" in dict(some)]
    assert len(stamped) > 10
    assert all(some[0] == ("header", "std_msgs/Header") for some in stamped)


@for_each(
    "answer",
    [
        *(getattr(cozmo_interfaces.srv, name).Response for name in TABLE["srv"]),
        *(getattr(cozmo_interfaces.action, name).Result for name in TABLE["action"]),
    ],
)
def test_every_answer_tells_success_reason_and_message(answer: Any) -> None:
    assert list(answer.get_fields_and_field_types().items())[:3] == [
        ("success", "boolean"),
        ("reason", "uint8"),
        ("message", "string"),
    ]


def test_reasons_are_distinct() -> None:
    text = (PACKAGE / "msg" / "Reason.msg").read_text()
    values = [getattr(cozmo_interfaces.msg.Reason, name) for name, _ in declarations(text)]
    assert len(values) == len(set(values)) > 10


def test_the_face_has_forty_three_values_and_is_neutral_by_default() -> None:
    face = cozmo_interfaces.msg.FaceParameters()
    values = {
        **{name: getattr(face, name) for name in list(face.get_fields_and_field_types())[:5]},
        **{f"left.{name}": getattr(face.left_eye, name) for name in eye_fields()},
        **{f"right.{name}": getattr(face.right_eye, name) for name in eye_fields()},
    }
    assert len(values) == 43
    scales = {name for name in values if "scale" in name}
    assert len(scales) == 6
    assert all(value == (1.0 if name in scales else 0.0) for name, value in values.items())


def eye_fields() -> list[str]:
    return list(cozmo_interfaces.msg.EyeParameters.get_fields_and_field_types())


RANGES = {
    "uint8": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "uint16": (0, 2**16 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint32": (0, 2**32 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint64": (0, 2**64 - 1),
    "int64": (-(2**63), 2**63 - 1),
}


def made_up_value(slot: Any, rng: random.Random) -> Any:
    """A value of a field type, never its default; floats are exact in single precision."""
    if isinstance(slot, AbstractNestedType):
        size = slot.size if isinstance(slot, Array) else rng.randint(1, 3)
        assert not isinstance(slot, BoundedSequence)
        return [made_up_value(slot.value_type, rng) for _ in range(size)]
    if isinstance(slot, NamespacedType):
        *modules, name = slot.namespaced_name()
        return made_up_message(getattr(importlib.import_module(".".join(modules)), name), rng)
    if isinstance(slot, AbstractString):
        return "".join(rng.choices("abc xyz_\u00e9", k=rng.randint(1, 12)))
    assert isinstance(slot, BasicType)
    if slot.typename == "boolean":
        return True
    if slot.typename in ("float", "double"):
        return rng.randint(1, 4000) / 64.0 + 2.0
    low, high = RANGES[slot.typename]
    return rng.randint(max(low, 1) if low == 0 else low, high)


def made_up_message(message_class: type, rng: random.Random) -> Any:
    """A message with every field set to a made-up value."""
    message = message_class()
    names = list(message_class.get_fields_and_field_types())
    for name, slot in zip(names, message_class.SLOT_TYPES, strict=True):
        setattr(message, name, made_up_value(slot, rng))
    return message


def parts(kind: str, name: str) -> list[type]:
    """The message classes an interface is made of."""
    interface = getattr(MODULES[kind], name)
    names = {"msg": (), "srv": ("Request", "Response"), "action": ("Goal", "Result", "Feedback")}
    return [getattr(interface, part) for part in names[kind]] or [interface]


@for_each(
    "message_class",
    [
        message_class
        for kind, names in TABLE.items()
        for name in names
        for message_class in parts(kind, name)
    ],
)
def test_every_message_survives_serialisation(message_class: type) -> None:
    message = made_up_message(message_class, random.Random(message_class.__name__))
    assert deserialize_message(serialize_message(message), message_class) == message


def test_sound_samples_take_an_array_of_int16() -> None:
    samples = array.array("h", [0, 1, -1, 32767, -32768])
    message = cozmo_interfaces.msg.Audio(sample_rate=22050, samples=samples)
    received = deserialize_message(serialize_message(message), cozmo_interfaces.msg.Audio)
    assert received.samples == samples


# The checks themselves are able to fail.


def test_a_field_without_a_comment_or_with_a_wire_unit_is_found() -> None:
    text = "# A thing.\nuint8 A=1\nfloat64 speed  # [m/s]\n---\nbool success\nbyte[] x  #\n"
    assert undocumented(text) == ["A", "success", "x"]
    text = "float64 lift_height_mm # x\nfloat32 speed_mmps # x\nuint8[4] on_frames # x\n"
    assert wire_units(text) == ["lift_height_mm", "speed_mmps", "on_frames"]
    assert wire_units("float64 height # x\nuint16[4] cliff_raw # x\n") == []
    with pytest.raises(ValueError, match="not a field"):
        declarations("float64\n")
