"""The worked frames of the specification with what they contain (spec 01 §12).

``frame`` is the frame as this package would write it: from its messages, not from its bytes.
"""

from __future__ import annotations

from typing import NamedTuple

from cozmo_driver.protocol import Message, encode_message, messages
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    Ping,
    SubMessage,
    build_ping,
    pack_sub_messages,
)

_HEADER = "43 4F 5A 03 52 45 01 "
RELIABLE, UNRELIABLE = FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE


class Worked(NamedTuple):
    """One frame: its bytes and its content."""

    title: str
    data: bytes
    frame: Frame


def _worked(title: str, text: str, frame: Frame) -> Worked:
    return Worked(title, bytes.fromhex(_HEADER + text), frame)


def _single(kind: int, seq: int, ack: int, message: Message | None = None) -> Frame:
    return Frame(kind, seq, seq, ack, b"" if message is None else encode_message(message))


def _loose(message: Message) -> SubMessage:
    return SubMessage(UNRELIABLE, encode_message(message))


def _sub(content: Message | SubMessage) -> SubMessage:
    if isinstance(content, SubMessage):
        return content
    data = encode_message(content)
    return SubMessage(RELIABLE if data[0] < 0xF0 else UNRELIABLE, data)


def _container(kind: int, first: int, last: int, ack: int, *content: Message | SubMessage) -> Frame:
    return Frame(kind, first, last, ack, pack_sub_messages([_sub(one) for one in content]))


def _mixed(first: int, last: int, ack: int, *content: Message | SubMessage) -> Frame:
    return _container(FrameType.MULTIPLE_MIXED, first, last, ack, *content)


_PING = build_ping(Ping(53.8275, 1, 0, 0))
_GAMMA = bytes.fromhex("0B 1D 33 49 5D 6E 7C 99 AF C2 D0 DA E2 E7 F0 F7 FF")
_SILENCE, _IDENTITY = messages.AudioSilence(), messages.GetManufacturingInfo()
_START = (
    messages.SyncTime(240, -20.0),
    messages.InitController(),
    messages.ImageRequest(1, 4),
    messages.AbsoluteLocalizationUpdate(0, 0, 1, 0.0, 0.0, 0.0),
    messages.SetCameraParams(0.0, 0, True),
    messages.NVCommand(0x80000001, 1, 0, 0, b""),
    messages.SetAppRunID((0xFFFFFFFF,) * 4),
    messages.RequestCrashReports(0),
)

WORKED = [
    _worked("connection request", "01 01 00 01 00 00 00", _single(1, 1, 0)),
    _worked(
        "connection response",
        "09 01 00 01 00 01 00 02 00 00",
        _mixed(1, 1, 1, SubMessage(FrameType.CONNECTION_RESPONSE, b"")),
    ),
    _worked(
        "ping",
        "0B 00 00 00 00 09 00 52 B8 1E 85 EB E9 4A 40 01 00 00 00 00 00 00 00 00",
        Frame(FrameType.PING, 0, 0, 9, _PING),
    ),
    _worked(
        "echo of a ping",
        "09 00 00 00 00 01 00 0B 11 00 52 B8 1E 85 EB E9 4A 40 01 00 00 00 00 00 00 00 00",
        _mixed(0, 0, 1, SubMessage(FrameType.PING, _PING)),
    ),
    _worked(
        "question for the identity", "04 02 00 02 00 09 00 25", _single(RELIABLE, 2, 9, _IDENTITY)
    ),
    _worked(
        "head angle",
        "04 04 00 04 00 11 00 37 CD CC CC 3E 00 00 20 41 00 00 20 41 00 00 00 00 01",
        _single(RELIABLE, 4, 17, messages.SetHeadAngle(0.4, 10.0, 10.0, 0.0, 1)),
    ),
    _worked(
        "answer to the head angle",
        "09 12 00 12 00 04 00 04 02 00 C4 01",
        _mixed(18, 18, 4, messages.MotorActionAck(1)),
    ),
    _worked("a single unreliable message", "05 00 00 00 00 0A 00 8F", _single(5, 0, 10, _SILENCE)),
    _worked(
        "two reliable messages",
        "07 02 00 03 00 09 00 04 01 00 25 04 09 00 4B 00 00 00 00 00 00 00 00",
        _container(7, 2, 3, 9, _IDENTITY, messages.SyncTime(0, 0.0)),
    ),
    _worked(
        "two unreliable messages",
        "08 00 00 00 00 0A 00 05 01 00 8F 05 01 00 8F",
        _container(8, 0, 0, 10, _loose(_SILENCE), _loose(_SILENCE)),
    ),
    _worked(
        "an unreliable and a reliable message",
        "09 0B 00 0B 00 0A 00 05 01 00 8F 04 02 00 9B 01",
        _mixed(11, 11, 10, _loose(_SILENCE), messages.StartOfAnimation(1)),
    ),
    _worked(
        "calibration and clock of the robot",
        "09 11 00 13 00 03 00 04 04 00 D1 02 01 00 04 04 00 D1 03 01 00 04 01 00 C2",
        _mixed(
            *(17, 19, 3),
            messages.MotorCalibration(2, True, False),
            messages.MotorCalibration(3, True, False),
            messages.SyncTimeAck(),
        ),
    ),
    _worked(
        "identity of the robot",
        "09 0A 00 0A 00 02 00 04 0D 00 ED 55 66 77 08 05 00 00 00 02 00 00 00",
        _mixed(10, 10, 2, messages.ManufacturingID(0x08776655, 5, 2)),
    ),
    _worked(
        "state of the animations",
        "09 00 00 00 00 0A 00 05 10 00 F1 07 6B B7 FE 00 00 00 00 00 00 00 00 FF 00 00",
        _mixed(0, 0, 10, messages.AnimationState(0xFEB76B07, 0, 0, 0xFF, 0, 0)),
    ),
    _worked(
        "a cube is heard",
        "09 00 00 00 00 0A 00 05 0A 00 F3 A1 A2 A3 A4 02 00 00 00 45",
        _mixed(0, 0, 10, messages.ObjectAvailable(0xA4A3A2A1, 2, 69)),
    ),
    _worked(
        "limits of the camera",
        "09 0B 00 0B 00 0A 00 04 1E 00 C8 00 00 7F 40 00 00 00 40 00 00 43 00 " + _GAMMA.hex(" "),
        _mixed(11, 11, 10, messages.DefaultCameraParams(3.984375, 2.0, 0, 67, _GAMMA)),
    ),
    _worked("acknowledgement alone", "0A 00 00 00 00 11 00", Frame(FrameType.ACK, 0, 0, 17)),
    _worked(
        "first of three parts",
        "06 0B 00 0B 00 0A 00 01 03 A5",
        Frame(FrameType.MULTI_PART, 11, 11, 10, b"\x01\x03\xa5"),
    ),
    _worked("disconnect request", "03 0B 00 0B 00 0A 00", _single(3, 11, 10)),
    _worked(
        "disconnect request inside a container",
        "07 0B 00 0B 00 0A 00 03 00 00",
        _container(7, 11, 11, 10, SubMessage(FrameType.DISCONNECT_REQUEST, b"")),
    ),
    _worked(
        "start batch of an engine",
        "07 03 00 0A 00 0A 00 04 09 00 4B F0 00 00 00 00 00 A0 C1 04 01 00 9F 04 03 00 4C 01 04 "
        "04 19 00 45 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
        "04 08 00 57 00 00 00 00 00 00 01 04 0D 00 81 01 00 00 80 01 00 00 00 00 00 00 00 "
        "04 11 00 A0 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 04 05 00 80 00 00 00 00",
        _container(7, 3, 10, 10, *_START),
    ),
]
