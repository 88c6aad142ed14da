"""How a connection begins (spec 01 §8)."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol import (
    Connected,
    Connection,
    Disconnected,
    DisconnectReason,
    NotConnected,
    Role,
    State,
    encode_message,
)
from cozmo_driver.protocol.frames import FrameType, SubMessage
from cozmo_driver.protocol.messages import (
    GetManufacturingInfo,
    MotorActionAck,
    ObjectAvailable,
    RobotAvailable,
    SetAudioVolume,
)

from .network import End, Network, client_and_server, frame_bytes

REQUEST = bytes.fromhex("43 4F 5A 03 52 45 01 01 01 00 01 00 00 00")
RESPONSE = bytes.fromhex("43 4F 5A 03 52 45 01 09 01 00 01 00 01 00 02 00 00")


def mixed(first: int, last: int, *subs: tuple[int, bytes]) -> bytes:
    """Return a frame of the robot."""
    content = [SubMessage(*sub) for sub in subs]
    return frame_bytes(FrameType.MULTIPLE_MIXED, first, last, 1, *content)


def test_the_robot_answers_at_once_and_both_ends_report_the_connection() -> None:
    network = Network(start=10.0)
    network.connect()
    assert network.robot.sent[0][0] == pytest.approx(10.003)
    assert network.now == pytest.approx(10.006)
    assert network.engine.of(Connected) == network.robot.of(Connected) == [Connected()]


def test_the_request_is_repeated_twice_a_second_until_it_is_answered() -> None:
    network = Network(start=0.0)
    network.lose = lambda sender, datagram: network.now < 1.2
    network.connect()
    assert network.engine.times(FrameType.CONNECTION_REQUEST) == [0.0, 0.5, 1.0, 1.5]
    assert {data for _, data in network.engine.sent} == {REQUEST}


def test_without_an_answer_connecting_ends_after_five_seconds() -> None:
    network = Network(air=None, start=0.0)
    network.lose = lambda sender, datagram: True
    network.engine.connection.connect(network.now)
    network.run(10.0)
    ((when, event),) = network.engine.events
    assert when == 5.0
    assert event == network.engine.ended[0]
    assert event.reason is DisconnectReason.NO_ANSWER  # type: ignore[union-attr]
    assert network.engine.connection.state is State.IDLE
    assert network.engine.connection.next_timer() is None
    assert len(network.engine.sent) == 10


def test_a_lost_response_comes_again_with_the_next_tick() -> None:
    network = Network(start=0.0)
    network.lose = lambda sender, datagram: sender is network.robot and network.now < 0.01
    network.connect()
    assert network.now == pytest.approx(0.003 + 0.033 + 0.003)
    assert len(network.engine.times(FrameType.CONNECTION_REQUEST)) == 1


def test_an_engine_that_never_got_the_answer_is_answered_again() -> None:
    network = Network(start=0.0)
    network.lose = lambda sender, datagram: sender is network.robot and network.now < 0.5
    network.connect()
    assert network.now < 0.51
    assert network.robot.ended == []
    network.engine.connection.send(SetAudioVolume(1), network.now)
    network.robot.connection.send(MotorActionAck(1), network.now)
    network.run(0.2)
    assert network.robot.messages == [SetAudioVolume(1)]
    assert network.engine.messages == [MotorActionAck(1)]
    assert network.engine.of(Connected) == [Connected()]


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.1, 0.29])
def test_a_duplicate_of_the_request_does_not_start_again(delay: float) -> None:
    network = client_and_server()
    network.robot.connection.send(MotorActionAck(1), network.now)
    network.run(delay)
    network.inject(network.robot, REQUEST)
    network.engine.connection.send(SetAudioVolume(1), network.now)
    network.run(0.2)
    assert network.robot.of(Connected) == [Connected()]
    assert network.robot.ended == []
    assert network.robot.messages == [SetAudioVolume(1)]
    assert network.engine.messages == [MotorActionAck(1)]


def test_a_request_of_a_new_engine_ends_the_connection_and_the_next_one_begins_another() -> None:
    network = client_and_server()
    network.engine.connection.send(SetAudioVolume(1), network.now)
    network.run(1.0)
    newcomer = Connection(Role.ENGINE)
    newcomer.connect(network.now)
    network.engine.connection = newcomer
    network.run(0.1)
    assert [end.reason for end in network.robot.ended] == [DisconnectReason.NEW_ENGINE]
    assert network.robot.connection.state is State.IDLE
    network.run(0.5)
    assert newcomer.state is State.CONNECTED
    newcomer.send(SetAudioVolume(2), network.now)
    network.run(0.1)
    assert network.robot.messages == [SetAudioVolume(1), SetAudioVolume(2)]


@pytest.mark.parametrize(
    "datagram",
    [
        mixed(0, 0, (5, encode_message(ObjectAvailable(1, 2, 3)))),
        mixed(1, 1, (4, encode_message(MotorActionAck(1)))),
        mixed(2, 2, (2, b"")),
        mixed(1, 1, (2, b""))[:-1],
        frame_bytes(FrameType.DISCONNECT_REQUEST, 1, 1, 1),
        REQUEST,
    ],
    ids=["unreliable", "another first", "another number", "cut short", "disconnect", "request"],
)
def test_only_the_response_connects(datagram: bytes) -> None:
    network = Network()
    network.lose = lambda sender, data: True
    begin = network.now
    network.engine.connection.connect(begin)
    network.run(3.0)
    network.inject(network.engine, datagram)
    assert network.engine.connection.state is State.CONNECTING
    assert network.engine.of(Connected) == network.engine.messages == network.engine.ended == []
    network.run(5.0)
    when, event = network.engine.events[-1]
    assert event == Disconnected(DisconnectReason.NO_ANSWER)
    assert when == begin + 5.0


def test_a_response_may_share_its_frame_with_other_messages() -> None:
    network = Network()
    network.lose = lambda sender, datagram: True
    network.engine.connection.connect(network.now)
    cube = encode_message(ObjectAvailable(1, 2, 3))
    identity = encode_message(RobotAvailable(7, 5))
    network.inject(network.engine, mixed(1, 2, (5, cube), (2, b""), (4, identity), (5, cube)))
    assert [type(event).__name__ for _, event in network.engine.events] == [
        "Connected",
        "MessageReceived",
        "MessageReceived",
    ]
    assert network.engine.messages == [RobotAvailable(7, 5), ObjectAvailable(1, 2, 3)]


def test_an_idle_engine_ignores_whatever_arrives() -> None:
    network = Network()
    for datagram in (RESPONSE, REQUEST, mixed(0, 0), b"x"):
        network.inject(network.engine, datagram)
    assert network.engine.connection.state is State.IDLE
    assert network.engine.messages == network.engine.of(Connected) == []
    assert network.engine.sent == []


def test_an_idle_robot_answers_nothing_but_a_request() -> None:
    network = Network()
    message = encode_message(GetManufacturingInfo())
    for datagram in (
        frame_bytes(FrameType.SINGLE_RELIABLE, 1, 1, 0, message),
        frame_bytes(FrameType.PING, 0, 0, 0, bytes(17)),
        frame_bytes(FrameType.DISCONNECT_REQUEST, 2, 2, 0),
        RESPONSE,
    ):
        network.inject(network.robot, datagram)
    network.run(1.0)
    assert network.robot.connection.state is State.IDLE
    assert network.robot.sent == []


@pytest.mark.parametrize("which", ["engine", "robot"])
def test_nothing_can_be_sent_before_there_is_a_connection(which: str) -> None:
    end: End = getattr(Network(), which)
    message = SetAudioVolume(1) if which == "engine" else MotorActionAck(1)
    with pytest.raises(NotConnected, match=type(message).__name__):
        end.connection.send(message, 0.0)


def test_a_robot_cannot_ask_for_a_connection() -> None:
    with pytest.raises(ValueError, match="only the engine"):
        Connection(Role.ROBOT).connect(0.0)


def test_an_engine_cannot_connect_twice() -> None:
    engine = Connection(Role.ENGINE)
    engine.connect(0.0)
    with pytest.raises(ValueError, match="connecting"):
        engine.connect(0.1)
    network = client_and_server()
    with pytest.raises(ValueError, match="connected"):
        network.engine.connection.connect(network.now)


def test_a_second_connection_begins_with_fresh_numbers_and_counters() -> None:
    network = client_and_server()
    for value in range(5):
        network.engine.connection.send(SetAudioVolume(value), network.now)
    network.run(0.2)
    network.engine.connection.disconnect(network.now)
    network.run(2.0)
    network.connect()
    assert network.engine.connection.statistics.messages_sent == 0
    assert network.engine.connection.waiting == 0
    assert network.engine.connection.send(SetAudioVolume(99), network.now) == 1
    network.run(0.2)
    assert network.engine.frames(FrameType.SINGLE_RELIABLE)[-1].seq_min == 2
    assert network.robot.messages[-1] == SetAudioVolume(99)
    assert network.engine.connection.is_acknowledged(1)
