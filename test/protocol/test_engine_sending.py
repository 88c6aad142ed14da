"""The engine's sending rules: packing, window, resends, budget of the relay (spec 01 §6)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cozmo_driver.protocol import (
    EncodeError,
    EngineConfig,
    MessageReceived,
    RefusedMessage,
    SendQueueFull,
    encode_message,
)
from cozmo_driver.protocol.frames import (
    HEADER_SIZE,
    MAX_SENT_FRAME,
    Frame,
    FrameType,
    build_frame,
    parse_frame,
)
from cozmo_driver.protocol.messages import (
    AnimationState,
    AudioSample,
    FaceImage,
    KillBodyCode,
    MotorActionAck,
    OtaWrite,
    RobotState,
    SetAudioVolume,
    SetHeadAngle,
    SetHeadlight,
    StopAllMotors,
)

from .network import STATE, Air, End, Network, client_and_server, frame_bytes

RELIABLE, SEVERAL = FrameType.SINGLE_RELIABLE, FrameType.MULTIPLE_RELIABLE


def deaf_robot(**options: object) -> Network:
    """Return a connected network in which nothing of the engine arrives any more."""
    network = client_and_server(**options)
    network.run(0.1)
    network.lose = lambda sender, datagram: sender is network.engine
    return network


def send_volumes(network: Network, count: int, first: int = 1) -> None:
    for value in range(first, first + count):
        network.engine.connection.send(SetAudioVolume(value), network.now)


def data_frames(network: Network) -> list[Frame]:
    """Return the frames of the engine that carry messages."""
    return network.engine.frames(RELIABLE, SEVERAL)


def acknowledge(network: Network, seq: int) -> None:
    """Let the robot acknowledge everything up to ``seq``."""
    network.inject(network.engine, frame_bytes(FrameType.MULTIPLE_MIXED, 0, 0, seq))


def test_a_message_leaves_at_once() -> None:
    network = client_and_server()
    network.run(0.0101)
    handed_over = network.now
    network.engine.connection.send(SetAudioVolume(7), network.now)
    network.run(0.01)
    assert network.engine.times(RELIABLE) == [handed_over]
    assert network.robot.messages == [SetAudioVolume(7)]


def test_the_ordinal_of_a_message_tells_when_it_is_acknowledged() -> None:
    network = client_and_server()
    ordinals = [network.engine.connection.send(SetAudioVolume(n), network.now) for n in range(3)]
    assert ordinals == [1, 2, 3]
    assert not network.engine.connection.is_acknowledged(1)
    assert network.engine.connection.waiting == 3
    network.run(0.1)
    assert network.engine.connection.is_acknowledged(3)
    assert network.engine.connection.send(SetAudioVolume(9), network.now) == 4


def test_an_urgent_message_passes_a_full_window_and_a_full_queue() -> None:
    network = deaf_robot(engine=EngineConfig(queue=100))
    engine = network.engine.connection
    send_volumes(network, 60)
    network.run(0.2)
    send_volumes(network, 100, 61)
    with pytest.raises(SendQueueFull):
        send_volumes(network, 1)
    stop = engine.send(StopAllMotors(), network.now, is_urgent=True)
    lights = engine.send(SetHeadlight(True), network.now, is_urgent=True)
    assert not engine.is_acknowledged(stop)
    network.lose = lambda sender, datagram: False
    network.run_until(lambda: engine.is_acknowledged(stop))
    volumes = [SetAudioVolume(value) for value in range(1, 161)]
    assert network.robot.messages[:62] == [*volumes[:60], StopAllMotors(), SetHeadlight(True)]
    network.run_until(lambda: engine.waiting == 0)
    assert network.robot.messages[62:] == volumes[60:]
    assert engine.is_acknowledged(lights)


def test_what_overtakes_a_message_does_not_count_as_its_acknowledgement() -> None:
    network = deaf_robot()
    engine = network.engine.connection
    send_volumes(network, 60)
    network.run(0.2)
    late = engine.send(SetAudioVolume(61), network.now)
    engine.send(StopAllMotors(), network.now, is_urgent=True)
    network.run(0.01)
    acknowledge(network, 62)
    assert not engine.is_acknowledged(late)
    network.run(0.01)
    acknowledge(network, 63)
    assert engine.is_acknowledged(late)


def test_what_was_not_sent_can_be_discarded_and_never_counts_as_acknowledged() -> None:
    network = deaf_robot()
    engine = network.engine.connection
    send_volumes(network, 60)
    network.run(0.2)
    head = engine.send(SetHeadAngle(0.1, 1.0, 1.0, 0.0, 1), network.now)
    send_volumes(network, 1, 61)
    engine.discard([SetHeadAngle])
    network.lose = lambda sender, datagram: False
    network.run_until(lambda: engine.waiting == 0)
    assert network.robot.messages == [SetAudioVolume(value) for value in range(1, 62)]
    assert not engine.is_acknowledged(head)


def test_no_frame_is_larger_than_the_robot_takes() -> None:
    network = client_and_server()
    sounds = [AudioSample(bytes([n]) * 744) for n in range(20)]
    for sound in sounds:
        network.engine.connection.send(sound, network.now)
    network.run(1.0)
    assert network.robot.messages == sounds
    assert max(len(data) for _, data in network.engine.sent) <= MAX_SENT_FRAME


def test_the_largest_message_of_a_firmware_update_fits_a_frame() -> None:
    network = client_and_server()
    size = len(encode_message(OtaWrite(0, bytes(1024))))
    network.engine.connection.send(OtaWrite(0, bytes(1024)), network.now)
    network.run(0.1)
    assert network.robot.messages == [OtaWrite(0, bytes(1024))]
    assert len(build_frame(data_frames(network)[0])) == HEADER_SIZE + size == 1041


def test_a_message_that_fits_no_frame_is_refused_with_both_sizes() -> None:
    network = client_and_server()
    with pytest.raises(EncodeError, match=r"0x97 has 1038 bytes, a frame holds 1037"):
        network.engine.connection.send(FaceImage(bytes(1035)), network.now)
    network.engine.connection.send(FaceImage(bytes(1034)), network.now)
    assert network.engine.connection.waiting == 1


def test_at_most_60_messages_are_on_their_way() -> None:
    network = deaf_robot()
    send_volumes(network, 100)
    network.run(0.03)
    assert max(frame.seq_max for frame in data_frames(network)) == 61
    assert network.engine.connection.waiting == 100
    acknowledge(network, 11)
    network.run(0.01)
    assert max(frame.seq_max for frame in data_frames(network)) == 71


def test_a_full_queue_refuses_one_more_and_says_what_to_do() -> None:
    network = deaf_robot(engine=EngineConfig(queue=10, window=5))
    send_volumes(network, 10)
    network.run(0.01)
    send_volumes(network, 5)
    with pytest.raises(SendQueueFull, match=r"10 messages wait .* limit is 10.*acknowledgements"):
        network.engine.connection.send(SetAudioVolume(1), network.now)
    acknowledge(network, 3)
    network.run(0.01)
    send_volumes(network, 2)
    with pytest.raises(SendQueueFull):
        network.engine.connection.send(SetAudioVolume(1), network.now)


def test_datagrams_are_two_milliseconds_apart() -> None:
    network = client_and_server()
    for _ in range(300):
        network.engine.connection.send(AudioSample(bytes(744)), network.now)
        network.run(0.0007)
    times = [t for t in network.engine.times() if t > network.engine.sent[0][0]]
    assert min(b - a for a, b in pairwise(times)) >= 0.002 - 1e-9
    assert len(times) > 60


def test_the_relay_inside_the_robot_gets_at_most_700_bytes_in_any_30_milliseconds() -> None:
    network = client_and_server()
    network.stream_states()
    for n in range(400):
        network.engine.connection.send(SetHeadAngle(0.1, action_id=n % 256), network.now)
    network.run(2.0)
    assert len(network.robot.messages) == 400
    sent = [
        (t, sum(len(sub.payload) for sub in frame.sub_messages()))
        for t, frame in zip(network.engine.times(), network.engine.frames(), strict=True)
        if frame.type in (RELIABLE, SEVERAL)
    ]
    assert network.engine.connection.statistics.resends == 0
    for start, _ in sent:
        assert sum(size for t, size in sent if start <= t < start + 0.0299) <= 700


def test_after_a_stall_the_relay_inside_the_robot_gets_no_more_at_once() -> None:
    network = client_and_server()
    network.stream_states()
    network.run(0.1)
    held: list[bytes] = []
    end = network.now + 2.0

    def hold_back(sender: End, datagram: bytes) -> bool:
        is_held = network.now < end
        if is_held and sender is network.engine:
            held.append(datagram)
        return is_held

    def release() -> None:
        for datagram in held:
            network.robot.connection.receive(datagram, network.now)

    network.lose = hold_back
    network.at(end, release)
    for n in range(200):
        network.engine.connection.send(SetHeadAngle(0.1, action_id=n), network.now)
        network.run(0.010)
    network.run_until(lambda: network.engine.connection.waiting == 0)
    assert [message.action_id for message in network.robot.messages] == list(range(200))
    assert most_relayed(network) <= 700


def most_relayed(network: Network) -> int:
    """Return how many bytes of messages the robot got at most within 30 ms."""
    got = [
        (time, len(encode_message(event.message)))
        for time, event in network.robot.events
        if isinstance(event, MessageReceived)
    ]
    return max(sum(size for t, size in got if start <= t < start + 0.0299) for start, _ in got)


def test_messages_that_do_not_pass_the_relay_are_not_held_back_by_its_budget() -> None:
    network = client_and_server(engine=EngineConfig(relay_bytes=20))
    for _ in range(10):
        network.engine.connection.send(AudioSample(bytes(744)), network.now)
    network.run(0.1)
    assert len(network.robot.messages) == 10


def test_a_message_larger_than_the_budget_still_goes_out() -> None:
    network = client_and_server(engine=EngineConfig(relay_bytes=10, resend_after=1.0))
    for _ in range(3):
        network.engine.connection.send(SetHeadAngle(0.1), network.now)
    network.run(0.2)
    assert len(network.robot.messages) == 3
    times = network.engine.times(RELIABLE)
    assert min(b - a for a, b in pairwise(times)) >= 0.03 - 1e-9


def test_what_is_not_acknowledged_is_sent_again_although_state_messages_keep_coming() -> None:
    network = deaf_robot()
    network.every(
        0.005, lambda: network.robot.connection.send(STATE, network.now, hot=True) and None
    )
    network.run(0.001)
    sent_at = network.now
    network.engine.connection.send(SetAudioVolume(1), network.now)
    network.run(0.7)
    assert len([m for m in network.engine.messages if isinstance(m, RobotState)]) > 100
    delays = [b - a for a, b in pairwise([sent_at, *network.engine.times(RELIABLE)[1:]])]
    assert delays == pytest.approx([0.040, 0.060, 0.090, 0.135, 0.150, 0.150], abs=0.002)
    assert network.engine.connection.statistics.resends == 6


def test_an_acknowledgement_ends_the_back_off() -> None:
    network = deaf_robot()
    send_volumes(network, 1)
    network.run(0.5)
    acknowledge(network, 2)
    network.engine.sent.clear()
    send_volumes(network, 1)
    network.run(0.05)
    first, second = network.engine.times(RELIABLE)
    assert second - first == pytest.approx(0.040)


def test_a_resend_begins_with_the_oldest_and_packs_forward() -> None:
    network = deaf_robot()
    for n in range(4):
        send_volumes(network, 1, first=n)
        network.run(0.005)
    assert [f.seq_min for f in data_frames(network)] == [2, 3, 4, 5]
    network.run(0.025)
    frame = data_frames(network)[-1]
    assert (frame.seq_min, frame.seq_max) == (2, 5)
    assert network.engine.connection.statistics.resends == 4


def first_numbers_of_resends(network: Network, sent_before: int) -> list[int]:
    """Return the first number of each frame with messages after so many datagrams."""
    frames = network.engine.frames()[sent_before:]
    return [frame.seq_min for frame in frames if frame.type in (RELIABLE, SEVERAL)]


def test_all_messages_behind_the_oldest_follow_it_without_its_acknowledgement() -> None:
    network = deaf_robot()
    for n in range(5):
        network.engine.connection.send(AudioSample(bytes([n]) * 744), network.now)
    network.run(0.035)
    sent = len(network.engine.sent)
    network.run(0.02)
    assert first_numbers_of_resends(network, sent) == [2, 3, 4, 5, 6]
    assert network.engine.connection.statistics.resends == 5


def test_an_acknowledgement_in_the_middle_of_a_round_repeats_nothing_of_it() -> None:
    network = deaf_robot()
    for n in range(5):
        network.engine.connection.send(AudioSample(bytes([n]) * 744), network.now)
    network.run(0.035)
    sent = len(network.engine.sent)
    network.run_until(lambda: first_numbers_of_resends(network, sent) == [2, 3, 4])
    acknowledge(network, 3)
    network.run(0.02)
    assert first_numbers_of_resends(network, sent) == [2, 3, 4, 5, 6]


def test_resends_keep_to_the_budget_of_the_relay_too() -> None:
    network = deaf_robot()
    for n in range(60):
        network.engine.connection.send(SetHeadAngle(0.1, action_id=n), network.now)
    network.run(0.7)
    sent = [
        (t, sum(len(sub.payload) for sub in parse_frame(data).sub_messages()))
        for t, data in network.engine.sent
        if parse_frame(data).type in (RELIABLE, SEVERAL)
    ]
    assert network.engine.connection.statistics.resends > 100
    message = len(encode_message(SetHeadAngle(0.1)))
    for start, _ in sent:
        # The oldest message of a round waits for nothing.
        assert sum(size for t, size in sent if start <= t < start + 0.0299) <= 700 + message


def test_after_a_partial_acknowledgement_the_rest_is_sent_again_at_its_age() -> None:
    network = deaf_robot()
    send_volumes(network, 3)
    network.run(0.02)
    acknowledge(network, 3)
    network.run(0.03)
    assert [(f.seq_min, f.seq_max) for f in data_frames(network)] == [(2, 4), (4, 4)]


def test_no_message_is_sent_before_the_one_in_front_of_it() -> None:
    network = client_and_server(air=Air(loss=0.3, reordering=0.2), seed=5)
    highest = 1
    network.every(0.004, lambda: send_volumes(network, 3))
    network.run(3.0)
    for frame in data_frames(network):
        assert frame.seq_min <= highest + 1
        highest = max(highest, frame.seq_max)
    assert highest > 500


def test_every_frame_carries_the_acknowledgement() -> None:
    network = client_and_server()
    for n in range(5):
        network.robot.connection.send(MotorActionAck(n), network.now)
    network.run(0.1)
    send_volumes(network, 1)
    network.run(0.1)
    assert {f.ack for f in network.engine.frames(RELIABLE)} == {6}
    assert network.engine.frames(FrameType.PING)[-1].ack == 6


def test_a_message_that_can_harm_a_robot_is_refused() -> None:
    network = client_and_server()
    with pytest.raises(RefusedMessage, match="KillBodyCode"):
        network.engine.connection.send(KillBodyCode(), network.now)
    assert network.engine.connection.waiting == 0


def test_the_engine_cannot_send_a_message_of_the_robot() -> None:
    network = client_and_server()
    with pytest.raises(EncodeError, match="AnimationState is a message of the robot"):
        network.engine.connection.send(AnimationState(0, 0, 0, 0, 0, 0), network.now)
