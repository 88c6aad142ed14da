"""Conversations and their sessions are told apart."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol import encode_message
from cozmo_driver.protocol.frames import Frame, FrameType, SubMessage, build_frame
from cozmo_driver.protocol.frames import pack_sub_messages as pack
from cozmo_driver.protocol.messages import AudioSilence, GetManufacturingInfo, SyncTimeAck
from cozmo_driver.traffic import Endpoint
from cozmo_driver.traffic.sessions import Sessions

ENGINE, ROBOT = Endpoint("10.0.0.2", 40000), Endpoint("10.0.0.1", 5000)
REQUEST = build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))
GOODBYE = build_frame(Frame(FrameType.DISCONNECT_REQUEST, 5, 5, 0))
PING = build_frame(Frame(FrameType.PING, 0, 0, 0, bytes(17)))


def mixed(*subs: tuple[int, bytes]) -> bytes:
    body = pack([SubMessage(kind, payload) for kind, payload in subs])
    return build_frame(Frame(FrameType.MULTIPLE_MIXED, 0, 0, 1, body))


ANSWER = mixed((FrameType.CONNECTION_RESPONSE, b""))
ECHO = mixed((FrameType.PING, bytes(17)))
SAID = mixed((FrameType.SINGLE_RELIABLE, encode_message(SyncTimeAck())))
ASKED = mixed((FrameType.SINGLE_RELIABLE, encode_message(GetManufacturingInfo())))
PLAYED = mixed((FrameType.SINGLE_UNRELIABLE, encode_message(AudioSilence())))
EMPTY = mixed()


@pytest.mark.parametrize(
    ("data", "to_robot"),
    [
        (REQUEST, True),
        (GOODBYE, True),
        (PING, True),
        (ASKED, True),
        (PLAYED, True),
        (ANSWER, False),
        (ECHO, False),
        (SAID, False),
    ],
)
def test_who_is_the_robot_follows_from_the_first_frame_whatever_its_port(
    data: bytes, to_robot: bool
) -> None:
    sessions = Sessions()
    ends = (ENGINE, ROBOT) if to_robot else (ROBOT, ENGINE)
    frame = sessions.frame_of(1, 0.0, *ends, data)
    assert frame is not None
    assert frame.to_robot is to_robot
    assert (sessions.ends[1].engine, sessions.ends[1].robot) == (ENGINE, ROBOT)


def test_a_frame_that_may_be_of_either_is_judged_by_the_port() -> None:
    robot = Endpoint("10.0.0.1", 5551)
    for ends, to_robot in (((ENGINE, robot), True), ((robot, ENGINE), False)):
        for data in (EMPTY, EMPTY + b"\4"):
            frame = Sessions().frame_of(1, 0.0, *ends, data)
            assert frame is not None
            assert frame.to_robot is to_robot


@pytest.mark.parametrize(
    ("course", "sessions"),
    [
        # A repeated request is the same session until the engine went on, a copy of it, too.
        ([(0, REQUEST), (0.5, REQUEST), (0.6, PING), (9, REQUEST)], [1, 1, 1, 2]),
        ([(0, REQUEST), (0.1, PING), (0.2, REQUEST)], [1, 1, 1]),
        ([(0, REQUEST), (0.1, GOODBYE), (0.11, REQUEST)], [1, 1, 2]),
        # The beginning of the first one was not captured.
        ([(0, PING), (0.1, PING), (0.2, REQUEST)], [1, 1, 2]),
    ],
)
def test_a_request_begins_a_session_once(
    course: list[tuple[float, bytes]], sessions: list[int]
) -> None:
    found = Sessions()
    frames = [found.frame_of(1, seconds, ENGINE, ROBOT, data) for seconds, data in course]
    assert [frame and frame.session for frame in frames] == sessions


def test_two_robots_at_a_time_have_a_session_each() -> None:
    sessions = Sessions()
    other = Endpoint("10.0.0.9", 5000)
    order = [(ENGINE, ROBOT), (ENGINE, other), (ROBOT, ENGINE), (other, ENGINE)]
    frames = [sessions.frame_of(1, 0.0, *ends, PING) for ends in order[:2]]
    frames += [sessions.frame_of(1, 0.0, *ends, ECHO) for ends in order[2:]]
    assert [(f.session, f.to_robot) for f in frames if f] == [
        (1, True),
        (2, True),
        (1, False),
        (2, False),
    ]


def test_a_damaged_frame_of_a_known_conversation_is_kept_for_the_reader_to_judge() -> None:
    sessions = Sessions()
    sessions.frame_of(1, 0.0, ENGINE, ROBOT, REQUEST)
    frame = sessions.frame_of(2, 0.1, ROBOT, ENGINE, b"noise")
    assert frame is not None
    assert (frame.session, frame.to_robot) == (1, False)


def test_endless_conversations_are_counted_and_not_remembered() -> None:
    sessions = Sessions()
    taken = [
        sessions.frame_of(1, 0.0, Endpoint("10.0.0.2", port), ROBOT, REQUEST)
        for port in range(1, 1501)
    ]
    assert sum(frame is not None for frame in taken) == 1000
    assert len(sessions.ends) == 1000
    assert sessions.refused == {"belongs to no one of the first 1000 sessions": 500}
