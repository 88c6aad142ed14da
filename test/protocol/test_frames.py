"""Frames as bytes (spec 01 §2-3, §12)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.protocol import MalformedFrame, decode_message
from cozmo_driver.protocol.frames import (
    HEADER_SIZE,
    MAGIC,
    MAX_RECEIVED_FRAME,
    Frame,
    FrameType,
    Part,
    Ping,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
    parse_frame,
    parse_part,
    parse_ping,
)
from cozmo_driver.protocol.messages import RobotState
from cozmo_driver.protocol.structs import AccelData

from .strategies import REPEATABLE
from .worked_frames import WORKED, Worked

worked_frames = pytest.mark.parametrize("worked", WORKED, ids=lambda w: w.title)

STATE = bytes.fromhex(
    "05 5C 00 F0 37 05 00 00 00 00 00 00 00 00 00 00 00 00 7A 3D 00 00 00 00 00 00 00 00 "
    "19 24 9C 3A 07 EA 46 3C 00 00 00 00 00 00 00 00 F3 16 DD BE 45 06 4B BE 66 5E 49 C5 "
    "EC D1 66 44 A4 F3 16 46 4E 0C 80 BC 14 D0 2E BD 5B 6D 83 BB 00 81 95 40 11 31 00 00 "
    "6A 03 00 00 00 00 00 00 00 00 FF"
)


def header(kind: int, seq_min: int = 0, seq_max: int = 0, ack: int = 0) -> bytes:
    return (
        MAGIC + bytes([kind]) + b"".join(n.to_bytes(2, "little") for n in (seq_min, seq_max, ack))
    )


@worked_frames
def test_a_worked_frame_decodes_to_its_content(worked: Worked) -> None:
    assert parse_frame(worked.data) == worked.frame


@worked_frames
def test_a_worked_frame_is_written_with_the_same_bytes(worked: Worked) -> None:
    assert build_frame(worked.frame) == worked.data


def test_the_worked_robot_state_decodes_to_the_stated_values() -> None:
    (sub,) = Frame(FrameType.MULTIPLE_MIXED, 0, 0, 0, STATE).sub_messages()
    state = decode_message(sub.payload)
    assert isinstance(state, RobotState)
    assert state.timestamp == 1335
    assert state.head_angle == pytest.approx(-0.4318, abs=5e-5)
    assert state.lift_angle == pytest.approx(-0.1983, abs=5e-5)
    assert AccelData(*map(round, state.accel)) == AccelData(-3222, 923, 9661)
    assert state.battery_voltage == pytest.approx(4.672, abs=5e-4)
    assert state.status == 0x3111
    assert state.cliff_data_raw == (874, 0, 0, 0)
    assert state.curr_path_segment == -1
    assert pack_sub_messages([sub]) == STATE


@settings(REPEATABLE, max_examples=500)
@given(st.binary(max_size=1600), st.booleans())
def test_random_bytes_are_malformed_or_a_frame_and_nothing_else(data: bytes, magic: bool) -> None:
    try:
        frame = parse_frame(MAGIC + data if magic else data)
        list(frame.sub_messages())
    except MalformedFrame:
        return
    assert build_frame(frame) == MAGIC + data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "0 bytes"),
        (header(11)[:-1], "13 bytes"),
        (b"X" + header(11)[1:], "magic"),
        (header(0), "type 0"),
        (header(12), "type 12"),
        (header(9) + bytes(MAX_RECEIVED_FRAME - HEADER_SIZE + 1), "at most 1472"),
    ],
)
def test_a_datagram_that_is_no_frame_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedFrame, match=reason):
        parse_frame(data)


def test_the_largest_datagram_is_accepted() -> None:
    assert len(parse_frame(header(4) + bytes(MAX_RECEIVED_FRAME - HEADER_SIZE)).body) == 1458


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"\x04", "1 bytes left"), (b"\x04\x02\x00A", "2 bytes, 1 left"), (b"\x04\xff\xff", "65535")],
)
def test_sub_messages_before_a_misfit_are_still_found(body: bytes, reason: str) -> None:
    walk = Frame(FrameType.MULTIPLE_MIXED, 1, 1, 0, b"\x05\x01\x00\x8f" + body).sub_messages()
    assert next(walk) == SubMessage(FrameType.SINGLE_UNRELIABLE, b"\x8f")
    with pytest.raises(MalformedFrame, match=reason):
        next(walk)


@settings(REPEATABLE, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=50)), max_size=20))
def test_sub_messages_survive_packing(content: list[tuple[int, bytes]]) -> None:
    subs = [SubMessage(*one) for one in content]
    frame = Frame(FrameType.MULTIPLE_MIXED, 0, 0, 0, pack_sub_messages(subs))
    assert list(frame.sub_messages()) == subs


def test_a_ping_has_17_bytes() -> None:
    ping = Ping(53.828, 1, 2, 0)
    assert len(build_ping(ping)) == 17
    assert parse_ping(build_ping(ping)) == ping
    for size in (0, 16, 18):
        with pytest.raises(MalformedFrame, match=f"{size} bytes"):
            parse_ping(bytes(size))


@pytest.mark.parametrize("payload", [b"", b"\x01", b"\x00\x02", b"\x03\x02", b"\x01\x00"])
def test_a_part_that_cannot_exist_is_malformed(payload: bytes) -> None:
    with pytest.raises(MalformedFrame, match="part"):
        parse_part(payload)


def test_a_part_knows_its_place() -> None:
    assert parse_part(b"\x02\x03rest") == Part(2, 3, b"rest")
