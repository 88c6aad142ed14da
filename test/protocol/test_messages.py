"""Messages survive the wire; what does not fit is refused (spec 02)."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from cozmo_driver.protocol import (
    EncodeError,
    MalformedMessage,
    MessageSpec,
    UnknownMessage,
    all_specs,
    decode_message,
    encode_message,
    spec_of,
)
from cozmo_driver.protocol.messages import (
    BleSendData,
    CubeLights,
    EndOfAnimation,
    FaceImage,
    ImageRequest,
    MotorCalibration,
    NVCommand,
    NVOpResult,
    PrintText,
    PrintTrace,
    SetAudioVolume,
    SetHeadAngle,
    StopAllMotors,
    SyncTimeAck,
)
from cozmo_driver.protocol.structs import BleFrame, LightState
from cozmo_driver.protocol.wire import VarOctets

from ..each import for_each

SPECS = list(all_specs())
every_message = for_each("spec", SPECS)
with_octets_tail = [s for s in SPECS if s.fields and isinstance(s.fields[-1].wire, VarOctets)]


def smallest(spec: MessageSpec) -> bytes:
    """Return the shortest encoding of a message: all zeros."""
    return bytes([spec.tag]) + bytes(spec.codec.min_size)


@every_message
def test_one_byte_too_few_is_malformed(spec: MessageSpec) -> None:
    with pytest.raises(MalformedMessage, match=spec.name if spec.codec.min_size else "tag"):
        decode_message(smallest(spec)[:-1])


@every_message
def test_one_byte_too_many_is_malformed(spec: MessageSpec) -> None:
    with pytest.raises(MalformedMessage, match=spec.name):
        decode_message(smallest(spec) + b"\0")


@for_each("spec", with_octets_tail)
def test_a_byte_array_may_be_cut_short_by_the_end_of_the_message(spec: MessageSpec) -> None:
    head = smallest(spec)
    length = struct.calcsize("<" + spec.fields[-1].wire.length_code)  # type: ignore[union-attr]
    declares_nine = head[:-length] + (9).to_bytes(length, "little")
    assert decode_message(declares_nine + b"abc")[-1] == b"abc"
    assert decode_message(declares_nine)[-1] == b""


def test_text_and_arrays_of_numbers_are_never_cut_short() -> None:
    whole = encode_message(PrintTrace(1, 2, 0, 3, (4, 5)))
    for cut in (1, 3, 4, 8):
        with pytest.raises(MalformedMessage):
            decode_message(whole[:-cut])
    with pytest.raises(MalformedMessage):
        decode_message(encode_message(PrintText(0, "hello"))[:-1])


def test_text_that_is_not_utf8_is_malformed() -> None:
    spoilt = encode_message(PrintText(0, "abc"))[:-1] + b"\xff"
    with pytest.raises(MalformedMessage, match="PrintText"):
        decode_message(spoilt)


def test_a_tag_that_nobody_declared_is_unknown() -> None:
    declared = {spec.tag for spec in SPECS}
    for tag in set(range(256)) - declared:
        with pytest.raises(UnknownMessage, match=f"{tag:#04x}"):
            decode_message(bytes([tag, 1, 2, 3]))


@pytest.mark.parametrize(
    "message",
    [
        ImageRequest(send_mode=250, resolution=-100),
        NVOpResult(tag=0x12345678, block=0, op=99, result=-128, data=b""),
    ],
    ids=lambda m: type(m).__name__,
)
def test_an_unknown_enum_value_survives_as_a_plain_number(message: Any) -> None:
    decoded = decode_message(encode_message(message))
    assert decoded == message
    assert type(decoded[0]) is int


def test_any_byte_but_zero_is_true_and_true_is_written_as_one() -> None:
    tag = spec_of(MotorCalibration).tag
    assert decode_message(bytes([tag, 2, 7, 0])) == MotorCalibration(2, True, False)
    assert encode_message(MotorCalibration(2, True, False)) == bytes([tag, 2, 1, 0])


@pytest.mark.parametrize(
    "message",
    [
        SetAudioVolume(-1),
        SetAudioVolume("loud"),  # type: ignore[arg-type]
        SetHeadAngle(1e40),
        FaceImage(bytes(65536)),
        FaceImage(5),  # type: ignore[arg-type]
        NVCommand(1, 1, 0, 0, None),  # type: ignore[arg-type]
        PrintText(0, "x" * 256),
        PrintText(0, "\udc80"),
        PrintText(0, b"bytes"),  # type: ignore[arg-type]
        PrintTrace(1, 2, 0, 3, (2**31,)),
        PrintTrace(1, 2, 0, 3, 4),  # type: ignore[arg-type]
        BleSendData(BleFrame(0, b"too short")),
        BleSendData(BleFrame(0, bytes(17))),
        CubeLights((LightState(0, 0, 0, 0, 0, 0, 0),) * 5),
        CubeLights((1, 2, 3, 4)),  # type: ignore[arg-type]
    ],
    ids=lambda m: f"{type(m).__name__}-{len(str(m))}",
)
def test_values_that_do_not_fit_are_an_error_that_names_the_message(message: Any) -> None:
    with pytest.raises(EncodeError, match=type(message).__name__):
        encode_message(message)


def test_only_declared_messages_can_be_encoded() -> None:
    with pytest.raises(EncodeError, match="tuple"):
        encode_message((1, 2))
    with pytest.raises(EncodeError, match="BleFrame"):
        encode_message(BleFrame(0, bytes(16)))


def test_messages_of_two_types_are_never_equal() -> None:
    assert StopAllMotors() == StopAllMotors()
    assert StopAllMotors() != EndOfAnimation()
    assert len({StopAllMotors(), EndOfAnimation(), StopAllMotors(), SyncTimeAck()}) == 3
    assert SetAudioVolume(1) != (1,)


def test_a_message_without_fields_is_true() -> None:
    assert StopAllMotors()
