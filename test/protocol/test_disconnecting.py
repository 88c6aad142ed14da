"""How a connection ends, and that nothing follows (spec 01 §8)."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol import (
    Disconnected,
    DisconnectReason,
    NotConnected,
    State,
    encode_message,
)
from cozmo_driver.protocol.frames import FrameType, SubMessage, pack_sub_messages
from cozmo_driver.protocol.messages import MotorActionAck, SetAudioVolume

from .network import End, Network, client_and_server, frame_bytes

PING = frame_bytes(FrameType.PING, 0, 0, 1, bytes(17))


def reasons(end: End) -> list[DisconnectReason]:
    return [ended.reason for ended in end.ended]


def test_the_disconnect_request_has_the_bytes_of_the_specification() -> None:
    network = client_and_server()
    for value in range(9):
        network.engine.connection.send(SetAudioVolume(value), network.now)
        network.robot.connection.send(MotorActionAck(value), network.now)
    network.run(0.2)
    network.engine.connection.disconnect(network.now)
    network.run(0.1)
    assert network.engine.sent[-1][1] == bytes.fromhex("43 4F 5A 03 52 45 01 03 0B 00 0B 00 0A 00")


def test_both_ends_learn_of_it_and_the_request_goes_out_at_once() -> None:
    network = client_and_server()
    network.run(1.0)
    network.engine.connection.disconnect(network.now)
    asked_at = network.now
    network.run(0.1)
    assert network.engine.sent[-1][0] == asked_at
    assert reasons(network.engine) == [DisconnectReason.LOCAL]
    assert reasons(network.robot) == [DisconnectReason.REMOTE]
    assert network.robot.connection.state is State.IDLE


def test_after_the_disconnect_request_nothing_whatsoever_is_sent() -> None:
    network = client_and_server()
    for value in range(50):
        network.engine.connection.send(SetAudioVolume(value), network.now)
    network.run(0.001)
    network.engine.connection.disconnect(network.now)
    network.run(0.0)
    assert network.engine.frames()[-1].type == FrameType.DISCONNECT_REQUEST
    sent, events = len(network.engine.sent), len(network.engine.events)
    data = SubMessage(FrameType.SINGLE_RELIABLE, encode_message(MotorActionAck(1)))
    echo = SubMessage(FrameType.PING, bytes(17))
    response = SubMessage(FrameType.CONNECTION_RESPONSE, b"")
    datagrams = [
        frame_bytes(FrameType.MULTIPLE_MIXED, 1, 2, 1, response, data, echo),
        frame_bytes(FrameType.MULTIPLE_MIXED, 2, 2, 0, pack_sub_messages([data])),
        frame_bytes(FrameType.DISCONNECT_REQUEST, 2, 2, 1),
        PING,
        b"rubbish",
    ]
    for step in range(1000):
        network.inject(network.engine, datagrams[step % len(datagrams)])
        network.engine.connection.handle_timer(network.now)
        network.run(0.01)
    assert len(network.engine.sent) == sent
    assert len(network.engine.events) == events
    assert network.engine.connection.next_timer() is None


def test_a_robot_that_is_told_goodbye_falls_silent() -> None:
    network = client_and_server()
    for value in range(10):
        network.robot.connection.send(MotorActionAck(value), network.now)
    network.engine.connection.disconnect(network.now)
    network.run_until(lambda: network.robot.connection.state is State.IDLE)
    sent = len(network.robot.sent)
    for _ in range(100):
        network.inject(network.robot, PING)
        network.run(0.1)
    assert len(network.robot.sent) == sent
    with pytest.raises(NotConnected):
        network.robot.connection.send(MotorActionAck(1), network.now)


def test_a_disconnect_request_inside_a_container_is_understood() -> None:
    network = client_and_server()
    request = SubMessage(FrameType.DISCONNECT_REQUEST, b"")
    network.inject(network.robot, frame_bytes(FrameType.MULTIPLE_RELIABLE, 2, 2, 1, request))
    assert reasons(network.robot) == [DisconnectReason.REMOTE]


def test_a_disconnect_request_behind_a_lost_message_is_not_obeyed() -> None:
    network = client_and_server()
    network.inject(network.robot, frame_bytes(FrameType.DISCONNECT_REQUEST, 3, 3, 1))
    assert network.robot.connection.state is State.CONNECTED


def test_disconnecting_an_idle_end_does_nothing() -> None:
    network = Network()
    network.engine.connection.disconnect(network.now)
    network.run(1.0)
    assert network.engine.events == []
    assert network.engine.sent == []
    connected = client_and_server()
    for _ in range(2):
        connected.engine.connection.disconnect(connected.now)
    connected.run(1.0)
    assert reasons(connected.engine) == [DisconnectReason.LOCAL]
    assert len(connected.engine.frames(FrameType.DISCONNECT_REQUEST)) == 1


def test_giving_up_while_connecting_sends_nothing_more() -> None:
    network = Network()
    network.lose = lambda sender, datagram: True
    network.engine.connection.connect(network.now)
    network.run(0.7)
    network.engine.connection.disconnect(network.now)
    network.run(10.0)
    assert reasons(network.engine) == [DisconnectReason.LOCAL]
    assert {frame.type for frame in network.engine.frames()} == {FrameType.CONNECTION_REQUEST}
    assert len(network.engine.sent) == 2


def test_a_robot_that_hangs_up_says_nothing() -> None:
    network = client_and_server()
    network.robot.connection.send(MotorActionAck(1), network.now)
    sent = len(network.robot.sent)
    network.robot.connection.disconnect(network.now)
    network.run(10.0)
    assert reasons(network.robot) == [DisconnectReason.LOCAL]
    assert len(network.robot.sent) == sent
    assert reasons(network.engine) == [DisconnectReason.TIMEOUT]


@pytest.mark.parametrize("which", ["engine", "robot"])
def test_five_seconds_of_silence_end_the_connection(which: str) -> None:
    network = client_and_server()
    network.run(2.0)
    end: End = getattr(network, which)
    peer = network.robot if end is network.engine else network.engine
    network.lose = lambda sender, datagram: sender is peer
    heard: list[float] = [network.now]
    network.run(10.0)
    ((when, event),) = [(t, e) for t, e in end.events if isinstance(e, Disconnected)]
    assert event.reason is DisconnectReason.TIMEOUT
    assert when - heard[0] == pytest.approx(5.0, abs=0.04)


@pytest.mark.parametrize("which", ["engine", "robot"])
def test_any_frame_counts_as_a_sign_of_life_but_rubbish_does_not(which: str) -> None:
    network = client_and_server()
    network.lose = lambda sender, datagram: True
    end: End = getattr(network, which)
    begin = network.now
    for _ in range(40):
        network.run(0.25)
        network.inject(end, PING)
    assert end.connection.state is State.CONNECTED
    assert network.now - begin == pytest.approx(10.0)
    last = network.now
    for _ in range(40):
        network.run(0.25)
        network.inject(end, b"COZ\x03RE\x02" + PING[7:])
    ((when, _),) = [(t, e) for t, e in end.events if isinstance(e, Disconnected)]
    assert when - last == pytest.approx(5.0)
