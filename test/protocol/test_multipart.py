"""Messages larger than a frame travel in parts where both ends agree to that (spec 01 §3)."""

from __future__ import annotations

import pytest

from cozmo_driver.protocol import EngineConfig, MalformedFrame, RobotConfig, encode_message
from cozmo_driver.protocol.delivery import Assembler
from cozmo_driver.protocol.frames import (
    MAX_SENT_FRAME,
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    pack_sub_messages,
    split_into_parts,
)
from cozmo_driver.protocol.messages import FaceImage, MotorActionAck, NVOpResult, SetAudioVolume

from .network import Air, Network, client_and_server

LARGE = FaceImage(bytes(range(256)) * 20)
BLOCK = NVOpResult(1, 0, 0, 0, bytes(range(256)) * 16)


def joined(**options: object) -> Network:
    """Return a connected network whose two ends split and join messages."""
    return client_and_server(
        engine=EngineConfig(multipart=True),
        robot=RobotConfig(multipart=True, store_bytes=10_000),
        **options,
    )


def frame_of_parts(first: int, parts: list[bytes]) -> bytes:
    """Return a frame of the robot with such parts."""
    body = pack_sub_messages([SubMessage(FrameType.MULTI_PART, part) for part in parts])
    last = first + len(parts) - 1
    return build_frame(Frame(FrameType.MULTIPLE_MIXED, first, last, 1, body))


def test_a_large_message_of_the_engine_arrives_whole_and_in_its_place() -> None:
    network = joined()
    for message in (SetAudioVolume(1), LARGE, SetAudioVolume(2)):
        network.engine.connection.send(message, network.now)
    network.run(0.5)
    assert network.robot.messages == [SetAudioVolume(1), LARGE, SetAudioVolume(2)]
    assert max(len(data) for _, data in network.engine.sent) <= MAX_SENT_FRAME
    assert FrameType.MULTI_PART in {frame.type for frame in network.engine.frames()}


def test_a_large_message_of_the_robot_arrives_whole_and_in_its_place() -> None:
    network = joined()
    network.run(0.1)
    ordinals = [
        network.robot.connection.send(message, network.now)
        for message in (MotorActionAck(1), BLOCK, MotorActionAck(2))
    ]
    network.run(1.0)
    assert network.engine.messages == [MotorActionAck(1), BLOCK, MotorActionAck(2)]
    assert max(len(data) for _, data in network.robot.sent) <= 1420
    assert network.robot.connection.acknowledged == ordinals[-1]


@pytest.mark.parametrize("seed", range(3))
def test_parts_survive_a_bad_network(seed: int) -> None:
    network = joined(air=Air(loss=0.2, duplication=0.1, reordering=0.1), seed=seed)
    large = [FaceImage(bytes([n]) * 3000) for n in range(10)]
    blocks = [NVOpResult(n, 0, 0, 0, bytes([n]) * 3000) for n in range(10)]
    for message in large:
        network.engine.connection.send(message, network.now)
    waiting = list(blocks)

    def next_block() -> None:
        if waiting and network.robot.connection.send(waiting[0], network.now):
            waiting.pop(0)

    network.every(0.05, next_block)
    network.run_until(lambda: len(network.robot.messages) == len(network.engine.messages) == 10)
    assert network.robot.messages == large
    assert network.engine.messages == blocks


def test_a_message_whose_parts_do_not_all_fit_the_store_is_dropped_whole() -> None:
    network = client_and_server(robot=RobotConfig(multipart=True, store_bytes=4000))
    network.run(0.1)
    assert network.robot.connection.send(BLOCK, network.now) == 0
    assert network.robot.connection.statistics.dropped == 1
    assert network.robot.connection.waiting == 0


def test_parts_are_ignored_where_they_were_not_enabled() -> None:
    network = client_and_server(engine=EngineConfig(multipart=True))
    for message in (SetAudioVolume(1), LARGE, SetAudioVolume(2)):
        network.engine.connection.send(message, network.now)
    network.run(0.5)
    assert network.robot.messages == [SetAudioVolume(1), SetAudioVolume(2)]
    assert network.engine.connection.waiting == 0
    parts = split_into_parts(encode_message(BLOCK), 400)
    for seq, part in enumerate(parts, start=2):
        plain = client_and_server()
        plain.inject(plain.engine, frame_of_parts(seq, [part]))
        assert plain.engine.messages == plain.engine.violations == []


def test_a_part_out_of_turn_gives_up_the_message_and_is_counted() -> None:
    network = joined()
    parts = split_into_parts(encode_message(BLOCK), 1000)
    assert len(parts) == 5
    network.inject(network.engine, frame_of_parts(2, [parts[0]]))
    network.inject(network.engine, frame_of_parts(3, [parts[2]]))
    assert network.engine.connection.statistics.refused == {"malformed frame": 1}
    for seq, part in enumerate(parts, start=4):
        network.inject(network.engine, frame_of_parts(seq, [part]))
    assert network.engine.messages == [BLOCK]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([b"\x02\x02x"], "part 2 of 2 when 1 was due"),
        ([b"\x01\x03x", b"\x01\x03x"], "part 1 of 3 when 2 was due"),
        ([b"\x01\x03x", b"\x02\x04x"], "part 2 of 4 when 2 was due"),
        ([b"\x01"], "1 bytes"),
    ],
)
def test_the_assembler_refuses_parts_that_do_not_follow(parts: list[bytes], reason: str) -> None:
    assembler = Assembler()
    for part in parts[:-1]:
        assert assembler.add(part) is None
    with pytest.raises(MalformedFrame, match=reason):
        assembler.add(parts[-1])
    assert assembler.add(b"\x01\x02a") is None
    assert assembler.add(b"\x02\x02b") == b"ab"
