"""What is delivered, in which order, and what is acknowledged (spec 01 §4, §10)."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol import Message, ProtocolViolation, State, encode_message
from cozmo_driver.protocol.frames import FrameType, SubMessage, pack_sub_messages
from cozmo_driver.protocol.messages import (
    AnimationState,
    AudioSilence,
    MotorActionAck,
    ObjectAvailable,
    SetAudioVolume,
    StopAllMotors,
)

from .network import Network, client_and_server, frame_bytes

RELIABLE, UNRELIABLE = FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE


def connected_engine() -> Network:
    """Return a network whose air is dead, so that the robot's frames can be made up."""
    network = client_and_server()
    network.lose = lambda sender, datagram: True
    return network


def frame(first: int, *content: Message | SubMessage | bytes, ack: int = 0) -> bytes:
    """Return a frame of the robot; messages are reliable up to the tag 0xEF, bytes are raw."""
    body, count = b"", 0
    for one in content:
        if isinstance(one, bytes):
            body += one
            continue
        if not isinstance(one, SubMessage):
            payload = encode_message(one)
            one = SubMessage(RELIABLE if payload[0] < 0xF0 else UNRELIABLE, payload)
        count += one.type != UNRELIABLE
        body += pack_sub_messages([one])
    last = first + count - 1 if count else 0
    return frame_bytes(FrameType.MULTIPLE_MIXED, first if count else 0, last, ack, body)


def acknowledgement(network: Network) -> int:
    """Return the number that the engine acknowledges now."""
    network.run(0.1)
    return network.engine.frames()[-1].ack


def received(network: Network) -> list[int]:
    """Return the ids of the actions that the engine was told of."""
    return [m.action_id for m in network.engine.messages if isinstance(m, MotorActionAck)]


def test_reliable_messages_are_delivered_in_order_and_acknowledged_together() -> None:
    network = connected_engine()
    network.inject(
        network.engine, frame(2, MotorActionAck(1), MotorActionAck(2), MotorActionAck(3))
    )
    assert received(network) == [1, 2, 3]
    assert acknowledgement(network) == 4


def test_messages_behind_a_gap_are_neither_delivered_nor_acknowledged() -> None:
    network = connected_engine()
    network.inject(network.engine, frame(3, MotorActionAck(2)))
    assert received(network) == []
    assert network.engine.connection.statistics.gaps == 1
    assert acknowledgement(network) == 1
    network.inject(network.engine, frame(2, MotorActionAck(1), MotorActionAck(2)))
    assert received(network) == [1, 2]
    assert acknowledgement(network) == 3


def test_repeated_messages_are_delivered_once_and_counted() -> None:
    network = connected_engine()
    network.inject(network.engine, frame(2, MotorActionAck(1)))
    network.inject(network.engine, frame(2, MotorActionAck(1), MotorActionAck(2)))
    network.inject(network.engine, frame(2, MotorActionAck(1), MotorActionAck(2)))
    assert received(network) == [1, 2]
    assert network.engine.connection.statistics.duplicates == 3


def test_unreliable_messages_of_an_old_or_early_frame_are_still_delivered() -> None:
    network = connected_engine()
    network.inject(network.engine, frame(2, MotorActionAck(1)))
    network.inject(network.engine, frame(2, ObjectAvailable(1, 1, 1), MotorActionAck(1)))
    network.inject(network.engine, frame(9, ObjectAvailable(2, 2, 2), MotorActionAck(8)))
    network.inject(network.engine, frame(0, ObjectAvailable(3, 3, 3)))
    assert [m.factory_id for m in network.engine.messages if isinstance(m, ObjectAvailable)] == [
        1,
        2,
        3,
    ]
    assert received(network) == [1]


def test_an_unknown_message_is_dropped_counted_and_acknowledged() -> None:
    network = connected_engine()
    unknown = SubMessage(RELIABLE, b"\xcc\x01\x02")
    network.inject(network.engine, frame(2, MotorActionAck(1), unknown, MotorActionAck(3)))
    assert received(network) == [1, 3]
    assert network.engine.connection.statistics.refused == {"unknown message": 1}
    assert acknowledgement(network) == 4


def test_a_message_of_the_wrong_size_is_dropped_counted_and_acknowledged() -> None:
    network = connected_engine()
    wrong = SubMessage(RELIABLE, encode_message(MotorActionAck(2)) + b"\0")
    empty = SubMessage(RELIABLE, b"")
    network.inject(network.engine, frame(2, MotorActionAck(1), wrong, empty, MotorActionAck(3)))
    assert received(network) == [1, 3]
    assert network.engine.connection.statistics.refused == {"malformed message": 2}
    assert acknowledgement(network) == 5


def test_a_malformed_sub_message_stops_the_walk_and_only_what_was_delivered_is_acknowledged() -> (
    None
):
    network = connected_engine()
    network.inject(
        network.engine, frame(2, MotorActionAck(1), b"\x04\x50\x00\xc4", MotorActionAck(3))
    )
    assert received(network) == [1]
    assert network.engine.connection.statistics.refused == {"malformed frame": 1}
    assert acknowledgement(network) == 2


def test_a_violation_is_reported_once_per_kind_and_counted_always() -> None:
    network = connected_engine()
    for _ in range(3):
        network.inject(network.engine, b"not a frame")
        network.inject(network.engine, frame(0, SubMessage(UNRELIABLE, b"\xff")))
    assert [violation.kind for violation in network.engine.violations] == [
        "malformed frame",
        "unknown message",
    ]
    assert "0xff" in network.engine.violations[1].detail
    assert network.engine.connection.statistics.refused == {
        "malformed frame": 3,
        "unknown message": 3,
    }


@pytest.mark.parametrize("to", ["engine", "robot"])
def test_a_message_of_the_wrong_direction_is_refused(to: str) -> None:
    network = connected_engine()
    end = getattr(network, to)
    message: Message = SetAudioVolume(1) if to == "engine" else MotorActionAck(1)
    sub = SubMessage(RELIABLE, encode_message(message))
    network.inject(end, frame(2, sub))
    assert end.messages == []
    assert end.of(ProtocolViolation)[0].kind == "unknown message"
    assert "wrong end" in end.of(ProtocolViolation)[0].detail


def test_reliable_messages_in_a_frame_without_numbers_are_refused() -> None:
    network = connected_engine()
    subs = SubMessage(RELIABLE, encode_message(MotorActionAck(1)))
    for first in (0, 65535):
        network.inject(network.engine, frame_bytes(FrameType.MULTIPLE_MIXED, first, first, 0, subs))
    assert received(network) == []
    assert network.engine.connection.statistics.refused == {"malformed frame": 2}


def test_numbers_are_counted_from_the_first_because_some_engines_write_a_wrong_last() -> None:
    network = connected_engine()
    subs = [SubMessage(RELIABLE, encode_message(SetAudioVolume(n))) for n in (1, 2)]
    network.inject(network.robot, frame_bytes(FrameType.MULTIPLE_RELIABLE, 2, 4, 1, *subs))
    network.inject(network.robot, frame_bytes(FrameType.MULTIPLE_RELIABLE, 4, 5, 1, *subs))
    assert [m.volume for m in network.robot.messages] == [1, 2, 1, 2]


def test_an_engine_may_send_unreliable_frames_too() -> None:
    network = connected_engine()
    silence = SubMessage(UNRELIABLE, encode_message(AudioSilence()))
    network.inject(
        network.robot, frame_bytes(FrameType.MULTIPLE_UNRELIABLE, 0, 0, 1, silence, silence)
    )
    network.inject(
        network.robot, frame_bytes(FrameType.SINGLE_UNRELIABLE, 0, 0, 1, silence.payload)
    )
    assert network.robot.messages == [AudioSilence()] * 3


def test_what_follows_a_disconnect_request_in_its_frame_is_ignored() -> None:
    network = connected_engine()
    goodbye = SubMessage(FrameType.DISCONNECT_REQUEST, b"")
    network.inject(
        network.engine,
        frame(2, MotorActionAck(1), goodbye, MotorActionAck(3), AnimationState(0, 0, 0, 0, 0, 0)),
    )
    assert [type(m).__name__ for m in network.engine.messages] == ["MotorActionAck"]
    assert network.engine.connection.state is State.IDLE


def test_frames_that_nobody_sends_change_nothing() -> None:
    network = connected_engine()
    before = len(network.engine.events)
    network.inject(network.engine, frame_bytes(FrameType.ACK, 0, 0, 1))
    network.inject(network.engine, frame_bytes(FrameType.CONNECTION_RESPONSE, 1, 1, 1))
    network.inject(network.engine, frame(0))
    assert len(network.engine.events) == before
    assert network.engine.connection.state is State.CONNECTED


def test_the_acknowledgement_of_a_malformed_frame_still_counts() -> None:
    network = connected_engine()
    network.engine.connection.send(StopAllMotors(), network.now)
    network.run(0.001)
    network.inject(network.engine, frame(0, b"\x04", ack=2))
    assert network.engine.connection.waiting == 0
