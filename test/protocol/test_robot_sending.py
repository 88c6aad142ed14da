"""The robot's sending rules: tick, repeats, store, hot messages (spec 01 §5)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cozmo_driver.protocol import EncodeError, RobotConfig, decode_message, encode_message
from cozmo_driver.protocol.frames import Frame, FrameType, Ping, SubMessage, build_ping
from cozmo_driver.protocol.messages import (
    ImageChunk,
    MotorActionAck,
    NVOpResult,
    ObjectAvailable,
    SetAudioVolume,
)

from .network import Network, client_and_server, frame_bytes

RELIABLE, UNRELIABLE = FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE


def unheard_robot(**options: object) -> Network:
    """Return a connected network in which the engine no longer acknowledges."""
    network = client_and_server(**options)
    network.run(0.1)
    network.lose = lambda sender, datagram: sender is network.engine
    network.robot.sent.clear()
    return network


def content(frame: Frame) -> list[object]:
    return [
        decode_message(sub.payload)
        for sub in frame.sub_messages()
        if sub.type in (RELIABLE, UNRELIABLE)
    ]


def acks(frame: Frame) -> list[int]:
    """Return the ids of the acknowledged actions in a frame, in its order."""
    return [m.action_id for m in content(frame) if isinstance(m, MotorActionAck)]


def send_acks(network: Network, count: int, first: int = 1) -> list[int]:
    """Send numbered reliable messages and return their ordinals."""
    return [
        network.robot.connection.send(MotorActionAck(n), network.now)
        for n in range(first, first + count)
    ]


def chunk(number: int, size: int = 1144) -> ImageChunk:
    return ImageChunk(0, 1, 0, 8, 4, 0, number, 2, bytes([number]) * size)


def test_unreliable_messages_stand_in_front_of_the_numbered_ones() -> None:
    network = unheard_robot()
    network.robot.connection.send(MotorActionAck(1), network.now)
    network.robot.connection.send(ObjectAvailable(7, 1, 1), network.now)
    network.run(0.04)
    frame = network.robot.frames()[0]
    assert content(frame) == [ObjectAvailable(7, 1, 1), MotorActionAck(1)]
    assert (frame.seq_min, frame.seq_max) == (2, 2)


def test_the_robot_ticks_every_33_milliseconds_while_anything_is_unacknowledged() -> None:
    network = unheard_robot()
    send_acks(network, 1)
    network.run(1.0)
    intervals = [b - a for a, b in pairwise(network.robot.times())]
    assert len(intervals) == 29
    assert intervals == pytest.approx([0.033] * 29)


def test_after_a_silence_the_tick_goes_on_at_its_phase() -> None:
    network = unheard_robot()
    network.robot.connection.send(ObjectAvailable(7, 1, 1), network.now)
    network.run(0.04)
    (tick,) = network.robot.times()
    network.run(tick + 30.010 * 0.033 - network.now)
    for number in (8, 9):
        network.robot.connection.send(ObjectAvailable(number, 1, 1), network.now)
        network.run(0.033)
    assert network.robot.times()[1:] == pytest.approx([tick + 31 * 0.033, tick + 32 * 0.033])


def test_with_nothing_to_say_the_robot_is_silent() -> None:
    network = unheard_robot()
    network.run(3.0)
    assert network.robot.sent == []
    assert network.robot.connection.next_timer() is not None


def test_every_tick_repeats_all_that_is_unacknowledged_oldest_first() -> None:
    network = unheard_robot()
    send_acks(network, 2)
    network.run(0.034)
    send_acks(network, 2, first=3)
    network.run(0.07)
    frames = network.robot.frames()
    assert [acks(frame) for frame in frames] == [[1, 2], [1, 2, 3, 4], [1, 2, 3, 4]]
    assert [(f.seq_min, f.seq_max) for f in frames] == [(2, 3), (2, 5), (2, 5)]
    assert network.robot.connection.statistics.resends == 6
    network.inject(network.robot, frame_bytes(FrameType.PING, 0, 0, 4, bytes(17)))
    network.run(0.04)
    assert acks(network.robot.frames()[-1]) == [4]


def test_the_store_takes_32_messages_and_what_finds_it_full_is_dropped_and_counted() -> None:
    network = unheard_robot()
    assert send_acks(network, 34) == [*range(2, 34), 0, 0]
    assert network.robot.connection.statistics.dropped == 2
    assert network.robot.connection.waiting == 32
    network.run(0.04)
    assert acks(network.robot.frames()[0]) == list(range(1, 33))
    network.inject(network.robot, frame_bytes(FrameType.PING, 0, 0, 2, bytes(17)))
    assert send_acks(network, 2, first=40) == [34, 0]


def test_the_store_takes_1403_bytes() -> None:
    network = unheard_robot()
    block = NVOpResult(1, 0, 0, 0, bytes(650))
    size = 3 + len(encode_message(block))
    assert 2 * size < 1403 < 3 * size
    sent = [network.robot.connection.send(block, network.now) for _ in range(3)]
    assert sent == [2, 3, 0]
    assert network.robot.connection.statistics.dropped == 1
    network.inject(network.robot, frame_bytes(FrameType.PING, 0, 0, 2, bytes(17)))
    assert network.robot.connection.send(block, network.now) == 4


def test_the_ordinal_of_a_message_tells_when_it_is_acknowledged() -> None:
    network = client_and_server()
    network.run(0.1)
    assert network.robot.connection.is_acknowledged(1)
    assert send_acks(network, 3) == [2, 3, 4]
    assert network.robot.connection.send(ObjectAvailable(1, 1, 1), network.now) == 0
    assert not network.robot.connection.is_acknowledged(2)
    network.run(0.1)
    assert network.robot.connection.is_acknowledged(4)


def test_a_hot_message_forces_a_frame_at_once_and_the_tick_goes_on() -> None:
    network = unheard_robot()
    send_acks(network, 1)
    network.run(0.04)
    tick = network.robot.times()[0]
    network.run(0.001)
    network.robot.connection.send(ObjectAvailable(7, 1, 1), network.now, hot=True)
    hot_at = network.now
    network.run(0.04)
    assert network.robot.times()[:3] == pytest.approx([tick, hot_at, tick + 0.033])
    assert content(network.robot.frames()[1]) == [ObjectAvailable(7, 1, 1), MotorActionAck(1)]


def test_when_not_all_fits_a_tick_sends_the_oldest_and_a_hot_frame_the_newest() -> None:
    network = unheard_robot(robot=RobotConfig(max_frame=34))
    send_acks(network, 6)
    network.run(0.034)
    assert acks(network.robot.frames()[0]) == [1, 2, 3, 4]
    network.robot.connection.send(MotorActionAck(7), network.now, hot=True)
    network.run(0.001)
    frame = network.robot.frames()[1]
    assert acks(frame) == [4, 5, 6, 7]
    assert (frame.seq_min, frame.seq_max) == (5, 8)


def test_more_unreliable_bytes_than_a_frame_holds_go_out_in_several_frames() -> None:
    network = unheard_robot()
    chunks = [chunk(n) for n in range(5)]
    for one in chunks:
        network.robot.connection.send(one, network.now)
    send_acks(network, 1)
    network.run(0.04)
    assert [m for frame in network.robot.frames() for m in content(frame)] == [
        *chunks,
        MotorActionAck(1),
    ]
    assert max(len(data) for _, data in network.robot.sent) <= 1420
    assert len({t for t, _ in network.robot.sent}) == 1


def test_unreliable_messages_that_nobody_fetches_are_bounded() -> None:
    network = unheard_robot(robot=RobotConfig(unreliable_bytes=100))
    for _ in range(50):
        network.robot.connection.acknowledge_early()
    network.run(0.04)
    size = 3 + len(encode_message(ObjectAvailable(7, 1, 1)))
    for _ in range(20):
        network.robot.connection.send(ObjectAvailable(7, 1, 1), network.now)
    assert network.robot.connection.statistics.dropped == 20 - 100 // size
    network.run(0.04)
    network.robot.connection.send(ObjectAvailable(7, 1, 1), network.now)
    assert network.robot.connection.statistics.dropped == 20 - 100 // size


@pytest.mark.parametrize("message", [chunk(0, 1400), NVOpResult(1, 0, 0, 0, bytes(1400))])
def test_a_message_that_fits_no_frame_is_refused(message: ImageChunk | NVOpResult) -> None:
    network = client_and_server()
    with pytest.raises(EncodeError, match="a frame holds 1403"):
        network.robot.connection.send(message, network.now)


def test_a_ping_comes_back_unchanged_with_the_next_frame() -> None:
    network = unheard_robot()
    ping = build_ping(Ping(123.25, 4, 3, 0))
    network.inject(network.robot, frame_bytes(FrameType.PING, 0, 0, 1, ping))
    network.run(0.04)
    (frame,) = network.robot.frames()
    assert list(frame.sub_messages()) == [SubMessage(FrameType.PING, ping)]


def test_the_robot_cannot_send_a_message_of_the_engine() -> None:
    network = client_and_server()
    with pytest.raises(EncodeError, match="SetAudioVolume is a message of the engine"):
        network.robot.connection.send(SetAudioVolume(1), network.now)
