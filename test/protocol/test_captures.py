"""Traffic of a real robot decodes to the last byte and passes through both ends."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.protocol import (
    Connected,
    Connection,
    Event,
    MessageReceived,
    Role,
    decode_message,
    encode_message,
    spec_of,
)
from cozmo_driver.protocol.frames import (
    CONTAINER_TYPES,
    FrameType,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
    parse_frame,
    parse_ping,
)
from cozmo_driver.protocol.messages import (
    FirmwareVersion,
    MotorActionAck,
    MotorCalibration,
    RobotState,
    SetHeadAngle,
    SyncTime,
)

from ..each import for_each
from .recordings import B_MOTION, B_SOUND, B_START, IMAGE, SESSION, Recorded, recording

RECORDED = [
    recorded
    for path in (SESSION, IMAGE, B_START, B_MOTION, B_SOUND)
    for recorded in recording(path)
]
MESSAGES_OF_SESSION = Counter(
    **{
        "PrintTrace": 9,
        "SyncTimeAck": 1,
        "MotorActionAck": 1,
        "RobotAvailable": 1,
        "RobotState": 28,
    },
    **{"MotorCalibration": 4, "WiFiFlashID": 1, "ManufacturingID": 1, "FirmwareVersion": 1},
    ObjectAvailable=5,
)
RESPONSE = bytes.fromhex("43 4F 5A 03 52 45 01 09 01 00 01 00 01 00 02 00 00")

every_datagram = for_each("recorded", RECORDED)


def content(sub: SubMessage) -> Any:
    """Return what is in a sub-message, decoded."""
    if sub.type in (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE):
        return decode_message(sub.payload)
    if sub.type == FrameType.PING:
        return parse_ping(sub.payload)
    assert sub.payload == b""
    return None


def written(sub: SubMessage, value: Any) -> SubMessage:
    """Return the sub-message written anew from its decoded content."""
    if sub.type in (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE):
        return SubMessage(sub.type, encode_message(value))
    return SubMessage(sub.type, build_ping(value) if sub.type == FrameType.PING else b"")


def names(messages: list[Any]) -> Counter[str]:
    """Count messages by name."""
    return Counter(type(message).__name__ for message in messages)


def replay(end: Connection, frames: list[Recorded], start: float) -> list[tuple[float, Event]]:
    """Hand datagrams to one end at their times, with all of its own timers in between."""
    events: list[tuple[float, Event]] = []

    def drain(now: float) -> None:
        end.datagrams_to_send(now)
        while (event := end.next_event()) is not None:
            events.append((now - start, event))

    for recorded in frames:
        due = start + recorded.seconds
        while (timer := end.next_timer()) is not None and timer < due:
            end.handle_timer(timer)
            drain(timer)
        end.receive(recorded.data, due)
        drain(due)
    return events


def messages(events: list[tuple[float, Event]]) -> list[Any]:
    return [event.message for _, event in events if isinstance(event, MessageReceived)]


def test_the_recordings_are_complete() -> None:
    assert Counter(recorded.to_robot for recorded in recording(SESSION)) == {True: 27, False: 37}
    assert [recorded.to_robot for recorded in recording(IMAGE)] == [False] * 4


@every_datagram
def test_a_recorded_datagram_decodes_and_is_written_again_to_the_last_byte(
    recorded: Recorded,
) -> None:
    frame = parse_frame(recorded.data)
    subs = list(frame.sub_messages())
    again = [written(sub, content(sub)) for sub in subs]
    assert again == subs
    body = pack_sub_messages(again) if frame.type in CONTAINER_TYPES else again[0].payload
    assert build_frame(frame._replace(body=body)) == recorded.data


@every_datagram
def test_reliability_and_direction_are_as_declared(recorded: Recorded) -> None:
    for sub in parse_frame(recorded.data).sub_messages():
        if sub.type in (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE):
            spec = spec_of(sub.payload[0])
            assert spec.reliable is (sub.type == FrameType.SINGLE_RELIABLE)
            assert (spec.direction.value == "engine to robot") is recorded.to_robot


def engine_after(path: Path) -> tuple[Connection, list[tuple[float, Event]]]:
    """Return an engine that was given the robot's side of a recorded session, and its events."""
    engine = Connection(Role.ENGINE)
    engine.connect(50.0)
    return engine, replay(engine, [r for r in recording(path) if not r.to_robot], 50.0)


def others(events: list[tuple[float, Event]]) -> list[type]:
    """Return the kinds of events that are no messages."""
    return [type(event) for _, event in events if not isinstance(event, MessageReceived)]


def order_of_reliable(events: list[tuple[float, Event]]) -> list[str]:
    """Return the names of the reliable messages but for traces."""
    found = [e.message for _, e in events if isinstance(e, MessageReceived) and e.reliable]
    return [name for m in found if (name := type(m).__name__) != "PrintTrace"]


def test_the_recorded_session_is_delivered_once_in_order_and_as_the_specification_says() -> None:
    engine, events = engine_after(SESSION)
    assert engine.statistics.refused == {}
    assert engine.statistics.gaps == 0
    # The response, repeated in the identification frame.
    assert engine.statistics.duplicates == 1
    assert engine.statistics.datagrams_received == 37
    assert others(events) == [Connected]
    found = messages(events)
    assert names(found) == MESSAGES_OF_SESSION
    assert order_of_reliable(events) == [
        *("RobotAvailable", "FirmwareVersion", "WiFiFlashID", "ManufacturingID", "SyncTimeAck"),
        *(*["MotorCalibration"] * 3, "MotorActionAck", "MotorCalibration"),
    ]
    times = [m.timestamp for m in found if isinstance(m, RobotState)]
    assert [b - a for a, b in pairwise(times)] == [30] * 27
    (firmware,) = [m for m in found if isinstance(m, FirmwareVersion)]
    assert json.loads(firmware.json)["version"] == 2457
    assert [tuple(m) for m in found if isinstance(m, MotorCalibration)] == [
        *((2, True, False), (3, True, False), (2, False, False), (3, False, False))
    ]
    assert [m for m in found if isinstance(m, MotorActionAck)] == [MotorActionAck(1)]
    heads = [m.head_angle for m in found if isinstance(m, RobotState)]
    assert heads[0] == pytest.approx(-0.436, abs=1e-3)
    assert heads[-1] == pytest.approx(0.4, abs=0.02)


def test_a_robot_takes_the_recorded_engine_without_a_refusal() -> None:
    robot = Connection(Role.ROBOT)
    events = replay(robot, [r for r in recording(SESSION) if r.to_robot], 50.0)
    assert robot.statistics.refused == {}
    assert robot.statistics.gaps == robot.statistics.duplicates == 0
    assert names(messages(events)) == {"GetManufacturingInfo": 1, "SyncTime": 1, "SetHeadAngle": 1}
    assert messages(events)[1] == SyncTime(0, 0.0)
    assert messages(events)[2] == SetHeadAngle(pytest.approx(0.4), 10.0, 10.0, 0.0, 1)
    assert others(events) == [Connected]


def test_the_start_of_another_robot_passes_through_both_ends() -> None:
    """It repeats its identity, and its answers come in another order than the first one's."""
    engine, events = engine_after(B_START)
    assert engine.statistics.refused == {}
    assert engine.statistics.gaps == 0
    assert order_of_reliable(events) == [
        *("RobotAvailable", "FirmwareVersion", "WiFiFlashID", "ManufacturingID", "CrashReport"),
        *("NVOpResult", "DefaultCameraParams", *["MotorCalibration"] * 2, "SyncTimeAck"),
    ]
    robot = Connection(Role.ROBOT)
    events = replay(robot, [r for r in recording(B_START) if r.to_robot], 50.0)
    assert robot.statistics.refused == {}
    assert names(messages(events)) == Counter(
        [
            *("GetManufacturingInfo", "SyncTime", "InitController", "ImageRequest", "NVCommand"),
            *("AbsoluteLocalizationUpdate", "SetCameraParams", "SetAppRunID"),
            "RequestCrashReports",
        ]
    )


@pytest.mark.parametrize(("path", "states"), [(B_MOTION, 23), (B_SOUND, 4)])
def test_what_is_unreliable_passes_though_reliable_messages_are_missing(
    path: Path, states: int
) -> None:
    engine = Connection(Role.ENGINE)
    engine.connect(50.0)
    engine.receive(RESPONSE, 50.0)
    frames = [r for r in recording(path) if not r.to_robot]
    begin = frames[0].seconds - 0.1
    events = replay(engine, [r._replace(seconds=r.seconds - begin) for r in frames], 50.0)
    assert names(messages(events))["RobotState"] == states
    assert engine.statistics.refused == {}
    assert engine.statistics.gaps > 0
