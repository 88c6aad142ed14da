"""The worked frames of the specification with what they contain (spec 01 §12).

``build`` is the frame as this package would write it: from its messages, not from its bytes.
"""

from __future__ import annotations

from typing import NamedTuple

from cozmo_driver.protocol import Message, encode_message
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    Ping,
    SubMessage,
    build_ping,
    pack_sub_messages,
)
from cozmo_driver.protocol.messages import (
    AbsoluteLocalizationUpdate,
    AnimationState,
    AudioSilence,
    DefaultCameraParams,
    GetManufacturingInfo,
    ImageRequest,
    InitController,
    ManufacturingID,
    MotorActionAck,
    MotorCalibration,
    NVCommand,
    ObjectAvailable,
    RequestCrashReports,
    SetAppRunID,
    SetCameraParams,
    SetHeadAngle,
    StartOfAnimation,
    SyncTime,
    SyncTimeAck,
)

_HEADER = "43 4F 5A 03 52 45 01 "

RELIABLE = FrameType.SINGLE_RELIABLE
UNRELIABLE = FrameType.SINGLE_UNRELIABLE


class Worked(NamedTuple):
    """One frame: its bytes and its content."""

    title: str
    data: bytes
    frame: Frame


def _hex(text: str) -> bytes:
    return bytes.fromhex(_HEADER + text)


def _single(kind: int, seq: int, ack: int, message: Message | None = None) -> Frame:
    return Frame(kind, seq, seq, ack, b"" if message is None else encode_message(message))


def _container(
    kind: int, seqs: tuple[int, int], ack: int, *content: tuple[int, Message | bytes]
) -> Frame:
    subs = [
        SubMessage(sub, data if isinstance(data, bytes) else encode_message(data))
        for sub, data in content
    ]
    return Frame(kind, *seqs, ack, pack_sub_messages(subs))


_PING = build_ping(Ping(53.8275, 1, 0, 0))
_GAMMA = bytes.fromhex("0B 1D 33 49 5D 6E 7C 99 AF C2 D0 DA E2 E7 F0 F7 FF")

WORKED = [
    Worked(
        "connection request",
        _hex("01 01 00 01 00 00 00"),
        _single(FrameType.CONNECTION_REQUEST, 1, 0),
    ),
    Worked(
        "connection response",
        _hex("09 01 00 01 00 01 00 02 00 00"),
        _container(FrameType.MULTIPLE_MIXED, (1, 1), 1, (FrameType.CONNECTION_RESPONSE, b"")),
    ),
    Worked(
        "ping",
        _hex("0B 00 00 00 00 09 00 52 B8 1E 85 EB E9 4A 40 01 00 00 00 00 00 00 00 00"),
        Frame(FrameType.PING, 0, 0, 9, _PING),
    ),
    Worked(
        "echo of a ping",
        _hex("09 00 00 00 00 01 00 0B 11 00 52 B8 1E 85 EB E9 4A 40 01 00 00 00 00 00 00 00 00"),
        _container(FrameType.MULTIPLE_MIXED, (0, 0), 1, (FrameType.PING, _PING)),
    ),
    Worked(
        "question for the identity",
        _hex("04 02 00 02 00 09 00 25"),
        _single(RELIABLE, 2, 9, GetManufacturingInfo()),
    ),
    Worked(
        "head angle",
        _hex("04 04 00 04 00 11 00 37 CD CC CC 3E 00 00 20 41 00 00 20 41 00 00 00 00 01"),
        _single(RELIABLE, 4, 17, SetHeadAngle(0.4, 10.0, 10.0, 0.0, 1)),
    ),
    Worked(
        "answer to the head angle",
        _hex("09 12 00 12 00 04 00 04 02 00 C4 01"),
        _container(FrameType.MULTIPLE_MIXED, (18, 18), 4, (RELIABLE, MotorActionAck(1))),
    ),
    Worked(
        "a single unreliable message",
        _hex("05 00 00 00 00 0A 00 8F"),
        _single(UNRELIABLE, 0, 10, AudioSilence()),
    ),
    Worked(
        "two reliable messages",
        _hex("07 02 00 03 00 09 00 04 01 00 25 04 09 00 4B 00 00 00 00 00 00 00 00"),
        _container(
            FrameType.MULTIPLE_RELIABLE,
            (2, 3),
            9,
            (RELIABLE, GetManufacturingInfo()),
            (RELIABLE, SyncTime(0, 0.0)),
        ),
    ),
    Worked(
        "two unreliable messages",
        _hex("08 00 00 00 00 0A 00 05 01 00 8F 05 01 00 8F"),
        _container(
            FrameType.MULTIPLE_UNRELIABLE,
            (0, 0),
            10,
            (UNRELIABLE, AudioSilence()),
            (UNRELIABLE, AudioSilence()),
        ),
    ),
    Worked(
        "an unreliable and a reliable message",
        _hex("09 0B 00 0B 00 0A 00 05 01 00 8F 04 02 00 9B 01"),
        _container(
            FrameType.MULTIPLE_MIXED,
            (11, 11),
            10,
            (UNRELIABLE, AudioSilence()),
            (RELIABLE, StartOfAnimation(1)),
        ),
    ),
    Worked(
        "calibration and clock of the robot",
        _hex("09 11 00 13 00 03 00 04 04 00 D1 02 01 00 04 04 00 D1 03 01 00 04 01 00 C2"),
        _container(
            FrameType.MULTIPLE_MIXED,
            (17, 19),
            3,
            (RELIABLE, MotorCalibration(2, True, False)),
            (RELIABLE, MotorCalibration(3, True, False)),
            (RELIABLE, SyncTimeAck()),
        ),
    ),
    Worked(
        "identity of the robot",
        _hex("09 0A 00 0A 00 02 00 04 0D 00 ED 55 66 77 08 05 00 00 00 02 00 00 00"),
        _container(
            FrameType.MULTIPLE_MIXED, (10, 10), 2, (RELIABLE, ManufacturingID(0x08776655, 5, 2))
        ),
    ),
    Worked(
        "state of the animations",
        _hex("09 00 00 00 00 0A 00 05 10 00 F1 07 6B B7 FE 00 00 00 00 00 00 00 00 FF 00 00"),
        _container(
            FrameType.MULTIPLE_MIXED,
            (0, 0),
            10,
            (UNRELIABLE, AnimationState(0xFEB76B07, 0, 0, 0xFF, 0, 0)),
        ),
    ),
    Worked(
        "a cube is heard",
        _hex("09 00 00 00 00 0A 00 05 0A 00 F3 A1 A2 A3 A4 02 00 00 00 45"),
        _container(
            FrameType.MULTIPLE_MIXED, (0, 0), 10, (UNRELIABLE, ObjectAvailable(0xA4A3A2A1, 2, 69))
        ),
    ),
    Worked(
        "limits of the camera",
        _hex(
            "09 0B 00 0B 00 0A 00 04 1E 00 C8 00 00 7F 40 00 00 00 40 00 00 43 00 "
            "0B 1D 33 49 5D 6E 7C 99 AF C2 D0 DA E2 E7 F0 F7 FF"
        ),
        _container(
            FrameType.MULTIPLE_MIXED,
            (11, 11),
            10,
            (RELIABLE, DefaultCameraParams(3.984375, 2.0, 0, 67, _GAMMA)),
        ),
    ),
    Worked("acknowledgement alone", _hex("0A 00 00 00 00 11 00"), Frame(FrameType.ACK, 0, 0, 17)),
    Worked(
        "first of three parts",
        _hex("06 0B 00 0B 00 0A 00 01 03 A5"),
        Frame(FrameType.MULTI_PART, 11, 11, 10, b"\x01\x03\xa5"),
    ),
    Worked(
        "disconnect request",
        _hex("03 0B 00 0B 00 0A 00"),
        _single(FrameType.DISCONNECT_REQUEST, 11, 10),
    ),
    Worked(
        "disconnect request inside a container",
        _hex("07 0B 00 0B 00 0A 00 03 00 00"),
        _container(FrameType.MULTIPLE_RELIABLE, (11, 11), 10, (FrameType.DISCONNECT_REQUEST, b"")),
    ),
    Worked(
        "start batch of an engine",
        _hex(
            "07 03 00 0A 00 0A 00"
            "04 09 00 4B F0 00 00 00 00 00 A0 C1"
            "04 01 00 9F"
            "04 03 00 4C 01 04"
            "04 19 00 45 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
            "04 08 00 57 00 00 00 00 00 00 01"
            "04 0D 00 81 01 00 00 80 01 00 00 00 00 00 00 00"
            "04 11 00 A0 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF"
            "04 05 00 80 00 00 00 00"
        ),
        _container(
            FrameType.MULTIPLE_RELIABLE,
            (3, 10),
            10,
            (RELIABLE, SyncTime(240, -20.0)),
            (RELIABLE, InitController()),
            (RELIABLE, ImageRequest(1, 4)),
            (RELIABLE, AbsoluteLocalizationUpdate(0, 0, 1, 0.0, 0.0, 0.0)),
            (RELIABLE, SetCameraParams(0.0, 0, True)),
            (RELIABLE, NVCommand(0x80000001, 1, 0, 0, b"")),
            (RELIABLE, SetAppRunID((0xFFFFFFFF,) * 4)),
            (RELIABLE, RequestCrashReports(0)),
        ),
    ),
]
