"""Messages in words."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.protocol import Message, all_specs
from cozmo_driver.protocol.messages import (
    AnimationState,
    CubeLights,
    FaceImage,
    NVOpResult,
    PrintText,
    SetAppRunID,
    SetHeadlight,
    StopAllMotors,
    SyncTime,
)
from cozmo_driver.protocol.structs import LightState
from cozmo_driver.traffic.describe import as_json, describe, units

from ..each import for_each
from ..protocol.strategies import REPEATABLE, messages_of


def words(message: Message) -> str:
    """Return the description with plain spaces."""
    return ", ".join(describe(message)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (StopAllMotors(), ""),
        (SyncTime(240, -20.0), "timestamp 240 ms, drive_center_offset -20 mm"),
        (SetHeadlight(True), "enable yes"),
        (PrintText(-1, "it's\n"), "level -1, text \"it's\\n\""),
        (FaceImage(b""), "image empty"),
        (FaceImage(bytes(range(4))), "image 4 bytes: 00 01 02 03"),
        (SetAppRunID((1, 2, 3, 4)), "id [1, 2, 3, 4]"),
        (
            NVOpResult(0x80000001, 0, 0, -1, b"\0"),
            "tag CAMERA_CALIB (0x80000001), block 0 block, op READ (0), result NOT_FOUND (-1), "
            "data 1 byte: 00",
        ),
        (NVOpResult(7, 0, 99, 0, b""), "tag 7 (unknown), block 0 block, op 99 (unknown), "
         "result OKAY (0), data empty"),
        (
            AnimationState(1, 2, 3, 0b11, 0, 0),
            "timestamp 1 us, num_anim_bytes_played 2 B, num_audio_frames_played 3, "
            "enabled_anim_tracks 0x3 (HEAD | LIFT), tag 0, client_drop_count 0",
        ),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_message_is_described_with_names_and_units(message: Message, expected: str) -> None:
    assert words(message) == expected


def test_flags_without_a_name_are_shown_as_a_number() -> None:
    assert "0x81 (HEAD | 0x80)" in words(AnimationState(0, 0, 0, 0x81, 0, 0))
    assert "0x0 (none)" in words(AnimationState(0, 0, 0, 0, 0, 0))


@for_each("spec", all_specs())
@settings(REPEATABLE, max_examples=3)
@given(data=st.data())
def test_every_message_can_be_described_and_is_valid_json(
    spec: object, data: st.DataObject
) -> None:
    message = data.draw(messages_of(spec))  # type: ignore[arg-type]
    described = describe(message)
    assert len(described) == len(message)
    content = json.loads(json.dumps(as_json(message), allow_nan=False))
    assert list(content) == list(type(message)._fields)  # type: ignore[attr-defined]


def test_json_holds_bytes_as_hex_and_not_a_number_as_text() -> None:
    assert as_json(SyncTime(0, math.nan)) == {"timestamp": 0, "drive_center_offset": "nan"}
    assert as_json(FaceImage(b"\x01\xff")) == {"image": "01ff"}


def test_units_are_told_where_they_are_declared_also_those_in_structs() -> None:
    assert units(SyncTime) == {"timestamp": "ms", "drive_center_offset": "mm"}
    assert units(SetHeadlight) == {}
    assert units(CubeLights)["lights"] == units(LightState)
    assert units(LightState)["on_frames"] == "frame(30 ms)"
