"""The package cozmo_interfaces: it holds what the ROS interface names, documented, in SI units."""

from __future__ import annotations

import array
import importlib
import random
import re
from dataclasses import dataclass
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

# The interface table: what the nodes publish, accept, offer and serve.
MESSAGES = [
    "Audio",
    "BackpackLights",
    "BehaviorInfo",
    "BehaviorState",
    "ConnectionState",
    "Cube",
    "CubeAccel",
    "CubeArray",
    "CubeEvent",
    "CubeLights",
    "Expression",
    "EyeParameters",
    "Face",
    "FaceArray",
    "FaceParameters",
    "ImageQuality",
    "LightState",
    "Marker",
    "MarkerArray",
    "Mood",
    "Motion",
    "Needs",
    "ObjectState",
    "ObjectStates",
    "ObjectTag",
    "PathSegment",
    "Reason",
    "RobotEvent",
    "RobotInfo",
    "RobotStatus",
]
SERVICES = [
    "ApplyNeedAction",
    "ConnectCube",
    "DefineObject",
    "EnrollFace",
    "ForgetFace",
    "ForgetObjects",
    "LearnMarkers",
    "ListAnimations",
    "ListBehaviors",
    "ListExpressions",
    "NvErase",
    "NvRead",
    "NvWrite",
    "SetOdometry",
    "SetVisionModes",
    "SetVolume",
    "TriggerReaction",
]
ACTIONS = [
    "Dock",
    "DockCharger",
    "DriveDistance",
    "FollowPath",
    "GoToObject",
    "GoToPose",
    "MoveHead",
    "MoveLift",
    "PickUpCube",
    "PlaceCube",
    "PlayAnimation",
    "PlayAudio",
    "RollCube",
    "RunBehavior",
    "Say",
    "StackCubes",
    "TurnInPlace",
    "Undock",
    "UpdateFirmware",
]
TABLE = {"msg": MESSAGES, "srv": SERVICES, "action": ACTIONS}
MODULES = {
    "msg": cozmo_interfaces.msg,
    "srv": cozmo_interfaces.srv,
    "action": cozmo_interfaces.action,
}

STAMPED = [
    "Audio",
    "BehaviorState",
    "ConnectionState",
    "CubeAccel",
    "CubeArray",
    "CubeEvent",
    "Mood",
    "Needs",
    "RobotEvent",
    "RobotInfo",
    "RobotStatus",
]

WIRE_UNIT = re.compile(
    r"_(mm|mmps|mmps2|cm|ms|msec|us|sec|s|deg|degps|dps|rad|radps|frames?|ticks?|percent|hz|mv|g)$",
    re.IGNORECASE,
)

DECLARATION = re.compile(
    r"^(?P<type>[A-Za-z_][\w/]*(?:\[(?:<=)?\d*\])?)\s+(?P<name>\w+)"
    r"\s*(?P<assigned>=)?\s*(?P<value>[^#]*?)\s*(?:#\s*(?P<comment>.*))?$"
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One field or constant of an interface file; `part` counts the parts between `---` lines."""

    part: int
    type: str
    name: str
    is_constant: bool
    comment: str


def declarations(text: str) -> list[Declaration]:
    """All fields and constants of an interface file; a line that is none of these raises."""
    found = []
    part = 0
    for line in text.splitlines():
        stripped = line.strip()
        if stripped == "---":
            part += 1
        elif stripped and not stripped.startswith("#"):
            match = DECLARATION.match(stripped)
            if match is None:
                raise ValueError(f"not a field, constant or comment: {line!r}")
            found.append(
                Declaration(
                    part,
                    match["type"],
                    match["name"],
                    match["assigned"] is not None,
                    match["comment"] or "",
                )
            )
    return found


def undocumented(text: str) -> list[str]:
    """Names of the fields and constants that say nothing about themselves."""
    return [d.name for d in declarations(text) if len(d.comment.strip()) < 2]


def wire_units(text: str) -> list[str]:
    """Names of the fields and constants that carry a unit in their name."""
    return [d.name for d in declarations(text) if WIRE_UNIT.search(d.name)]


def interface_files() -> list[Path]:
    return sorted(path for kind in TABLE for path in (PACKAGE / kind).iterdir())


FILES = for_each("path", interface_files())


def test_the_package_holds_exactly_the_types_of_the_interface_table() -> None:
    expected = {f"{kind}/{name}.{kind}" for kind, names in TABLE.items() for name in names}
    assert {path.relative_to(PACKAGE).as_posix() for path in interface_files()} == expected


def test_the_build_names_every_interface_file_once() -> None:
    built = re.findall(r'"((?:msg|srv|action)/\S+)"', (PACKAGE / "CMakeLists.txt").read_text())
    present = {path.relative_to(PACKAGE).as_posix() for path in interface_files()}
    assert len(built) == len(set(built))
    assert set(built) == present


@FILES
def test_every_file_is_documented_in_plain_text_and_si_units(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("# "), "it does not say first what it is"
    assert undocumented(text) == []
    assert wire_units(text) == []
    assert text.isascii()
    assert [line for line in text.splitlines() if len(line) > 120] == []


@for_each("name", STAMPED)
def test_a_stamped_datum_begins_with_its_header(name: str) -> None:
    fields = list(getattr(cozmo_interfaces.msg, name).get_fields_and_field_types().items())
    assert fields[0] == ("header", "std_msgs/Header")


@for_each(
    "answer",
    [
        *(getattr(cozmo_interfaces.srv, name).Response for name in SERVICES),
        *(getattr(cozmo_interfaces.action, name).Result for name in ACTIONS),
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
    values = [getattr(cozmo_interfaces.msg.Reason, d.name) for d in declarations(text)]
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


def test_a_field_without_a_comment_is_found() -> None:
    text = "# A thing.\nuint8 A=1\nfloat64 speed  # [m/s]\n---\nbool success\nbyte[] x  #\n"
    assert undocumented(text) == ["A", "success", "x"]


def test_a_wire_unit_is_found() -> None:
    text = "float64 lift_height_mm # x\nfloat32 speed_mmps # x\nuint8[4] on_frames # x\n"
    assert wire_units(text) == ["lift_height_mm", "speed_mmps", "on_frames"]
    assert wire_units("float64 height # x\nuint16[4] cliff_raw # x\n") == []


def test_a_line_that_declares_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="not a field"):
        declarations("float64\n")


def test_constants_defaults_and_parts_are_told_apart() -> None:
    found = declarations("int32 C=-1 # one\nfloat32 scale 1.0  # two\n---\nCube[] cubes # three\n")
    assert [(d.part, d.type, d.name, d.is_constant, d.comment) for d in found] == [
        (0, "int32", "C", True, "one"),
        (0, "float32", "scale", False, "two"),
        (1, "Cube[]", "cubes", False, "three"),
    ]
