"""The trace of a session tells what happened, when."""

from __future__ import annotations

from typing import Any

import pytest

from cozmo_driver.protocol import decode_message, encode_message
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    Ping,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
)
from cozmo_driver.protocol.messages import (
    GetManufacturingInfo,
    MotorActionAck,
    RobotState,
    SetHeadAngle,
    SyncTime,
)
from cozmo_driver.traffic.dissect import Dissector
from cozmo_driver.traffic.sessions import RecordedFrame
from cozmo_driver.traffic.sources import open_file
from cozmo_driver.traffic.trace import SessionSeries, TraceEvent, Tracer

from .capture_files import SESSION

HEAD = encode_message(SetHeadAngle(0.4))
ASK = encode_message(GetManufacturingInfo())
SYNC = encode_message(SyncTime(0))
DONE = encode_message(MotorActionAck(1))
REQUEST = build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))
GOODBYE = build_frame(Frame(FrameType.DISCONNECT_REQUEST, 9, 9, 0))


def said(seq: int, *payloads: bytes, ack: int = 1) -> bytes:
    """Return a frame with reliable messages."""
    subs = [SubMessage(FrameType.SINGLE_RELIABLE, payload) for payload in payloads]
    last = seq + len(subs) - 1
    kind = FrameType.MULTIPLE_MIXED
    return build_frame(Frame(kind, seq, last, ack, pack_sub_messages(subs)))


def heard(*subs: tuple[int, bytes], ack: int = 0) -> bytes:
    """Return a frame of the robot without a number."""
    body = pack_sub_messages([SubMessage(*sub) for sub in subs])
    return build_frame(Frame(FrameType.MULTIPLE_MIXED, 0, 0, ack, body))


def answer() -> bytes:
    body = pack_sub_messages([SubMessage(FrameType.CONNECTION_RESPONSE, b"")])
    return build_frame(Frame(FrameType.MULTIPLE_MIXED, 1, 1, 1, body))


def ping(number: int) -> bytes:
    return build_frame(Frame(FrameType.PING, 0, 0, 0, build_ping(Ping(1000.0 * number, number, 0))))


def echo(number: int) -> bytes:
    return heard((FrameType.PING, build_ping(Ping(1000.0 * number, number, 0))))


def state(stamp: int) -> bytes:
    blank = decode_message(b"\xf0" + bytes(91))
    assert isinstance(blank, RobotState)
    return heard((FrameType.SINGLE_UNRELIABLE, encode_message(blank._replace(timestamp=stamp))))


def traced(*course: tuple[float, bool, bytes]) -> list[TraceEvent]:
    dissector, tracer = Dissector(), Tracer()
    events = []
    for number, (seconds, to_robot, data) in enumerate(course, start=1):
        recorded = RecordedFrame(number, seconds, to_robot, data)
        events += tracer.update(dissector.dissect(recorded))
    return events + tracer.end()


def of_kind(events: list[TraceEvent], kind: str) -> list[tuple[float, dict[str, Any]]]:
    return [(event.seconds, event.values) for event in events if event.kind == kind]


def test_a_session_goes_through_its_phases() -> None:
    events = traced(
        (0.0, True, REQUEST),
        (0.5, True, REQUEST),
        (0.6, False, answer()),
        (0.7, True, said(2, ASK)),
        (0.8, True, said(3, SYNC)),
        (2.0, False, state(30)),
        (9.0, True, GOODBYE),
    )
    phases = [(seconds, values["name"]) for seconds, values in of_kind(events, "phase")]
    assert phases == [
        (0.0, "connecting"),
        (0.6, "connected"),
        (0.8, "starting"),
        (2.0, "running"),
        (9.0, "ended"),
    ]
    series = SessionSeries()
    for event in events:
        series.update(event)
    assert series.durations() == pytest.approx(
        {"connecting": 0.6, "connected": 0.2, "starting": 1.2, "running": 7.0, "ended": 0.0}
    )


def test_what_begins_in_the_middle_runs() -> None:
    assert of_kind(traced((3.0, False, state(30))), "phase") == [(3.0, {"name": "running"})]


def test_pings_are_answered_once_or_lost() -> None:
    events = traced(
        (0.0, True, ping(1)),
        (0.1, True, ping(2)),
        (0.13, False, echo(2)),
        (0.14, False, echo(2)),
        (0.9, True, ping(3)),
        (1.2, False, heard()),
        (1.5, True, ping(4)),
    )
    ((seconds, values),) = of_kind(events, "round_trip")
    assert (seconds, values["after"]) == (0.13, pytest.approx(0.03))
    # The third and fourth may still be answered after the end.
    assert of_kind(events, "ping_lost") == [(0.0, {})]


def test_a_message_is_acknowledged_from_its_first_sending_on() -> None:
    events = traced(
        (0.0, True, said(2, HEAD, ASK)),
        (0.04, True, said(2, HEAD, ASK)),
        (0.05, False, heard(ack=2)),
        (0.09, False, heard(ack=0)),
        (0.10, False, heard(ack=3)),
    )
    done = [(values["seq"], values["after"]) for _, values in of_kind(events, "acknowledged")]
    assert done == [(2, pytest.approx(0.05)), (3, pytest.approx(0.1))]
    frames = of_kind(events, "frame")
    assert [values["repeated"] for _, values in frames] == [0, 2, 0, 0, 0]
    assert frames[0][1]["names"] == ["SetHeadAngle", "GetManufacturingInfo"]
    assert frames[1][1]["names"] == []


def test_numbers_that_did_not_come_are_a_gap_once() -> None:
    events = traced(
        (0.0, False, said(2, DONE)),
        (0.1, False, said(5, DONE)),
        (0.2, False, said(3, DONE, DONE, DONE)),
        (0.3, False, said(6, DONE)),
    )
    assert of_kind(events, "gap") == [(0.1, {"way": "RX", "missing": 2})]


def test_numbers_go_round_without_a_gap() -> None:
    events = traced((0.0, False, said(65534, DONE)), (0.1, False, said(1, DONE)))
    assert of_kind(events, "gap") == []


def test_missing_states_are_counted_by_their_stamps() -> None:
    stamps = [300, 330, 420, 390, 450, 20, 50, 100000]
    events = traced(*((n / 30, False, state(stamp)) for n, stamp in enumerate(stamps)))
    missing = [values["missing"] for _, values in of_kind(events, "states_missing")]
    # Neither an overtaken state nor a clock set back or far ahead is a loss of so many.
    assert missing == [2, 1]
    series = SessionSeries()
    for event in events:
        series.update(event)
    assert series.missing_states == 3


def test_silence_of_the_robot_is_told_when_it_ends() -> None:
    events = traced(
        (0.0, False, heard()), (0.9, False, heard()), (1.5, True, ping(1)), (4.0, False, heard())
    )
    assert of_kind(events, "silence") == [(4.0, {"after": pytest.approx(3.1)})]


def test_sessions_are_traced_apart() -> None:
    dissector, tracer = Dissector(), Tracer()
    events = []
    for session, data in ((1, said(2, HEAD)), (2, said(2, HEAD)), (1, said(2, HEAD))):
        events += tracer.update(dissector.dissect(RecordedFrame(1, 0.0, True, data, session)))
    repeated = [(e.session, e.values["repeated"]) for e in events if e.kind == "frame"]
    assert repeated == [(1, 0), (2, 0), (1, 1)]


def test_the_recorded_session_of_a_robot_lost_nothing() -> None:
    dissector, tracer = Dissector(), Tracer()
    with open_file(str(SESSION)) as traffic:
        events = [e for frame in traffic.frames for e in tracer.update(dissector.dissect(frame))]
    events += tracer.end()
    kinds = {event.kind for event in events}
    assert len(of_kind(events, "round_trip")) == 24
    assert kinds == {"frame", "phase", "round_trip", "acknowledged"}
    phases = [(round(s, 2), v["name"]) for s, v in of_kind(events, "phase")]
    assert phases == [
        (0.0, "connecting"),
        (0.0, "connected"),
        (0.33, "starting"),
        (1.65, "running"),
    ]
