"""Whatever arrives: nothing is raised, everything is counted, memory stays bounded."""

from __future__ import annotations

import random
import sys
from collections import Counter

import pytest

from cozmo_driver.protocol import State, all_specs, encode_message
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
)
from cozmo_driver.protocol.frames import Ping as PingContent
from cozmo_driver.protocol.messages import SetAudioVolume

from .network import STATE, End, Network, client_and_server
from .worked_frames import WORKED

DATAGRAMS = 20_000
KINDS = {"malformed frame", "malformed message", "unknown message"}


def zeros(tag: int, size: int) -> bytes:
    """Return a message of zeros."""
    return bytes([tag]) + bytes(size)


def seeds() -> list[bytes]:
    """Return valid datagrams of every kind, to be damaged."""
    frames = [worked.data for worked in WORKED]
    messages = [zeros(spec.tag, spec.codec.min_size) for spec in all_specs()]
    messages.append(encode_message(STATE))
    for seq, payload in enumerate(messages, start=2):
        kind = FrameType.SINGLE_RELIABLE if payload[0] < 0xF0 else FrameType.SINGLE_UNRELIABLE
        body = pack_sub_messages([SubMessage(kind, payload)] * 2)
        frames.append(build_frame(Frame(FrameType.MULTIPLE_MIXED, seq, seq + 1, 1, body)))
        frames.append(build_frame(Frame(kind, seq, seq, 1, payload)))
    return frames


def damaged(rng: random.Random, datagram: bytes) -> bytes:
    """Return a datagram with flipped, cut, repeated or inserted bytes; some stay whole."""
    data = bytearray(datagram)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data = data[:at] or bytearray(b"C")
            case 2:
                data[at:at] = rng.randbytes(rng.randrange(1, 20))
            case 3:
                data += data[at:]
            case _ if at < len(data):
                data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(data[:2000])


def renumbered(datagram: bytes, seq: int) -> bytes:
    """Return a datagram whose first reliable message is the one that the end waits for."""
    return datagram[:8] + seq.to_bytes(2, "little") + datagram[10:]


def held_objects(network: Network, end: End) -> int:
    """Return roughly how many bytes a connection holds on to."""
    seen: set[int] = set()
    stack: list[object] = [end.connection]
    size = 0
    while stack:
        one = stack.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        size += sys.getsizeof(one)
        if isinstance(one, dict):
            stack += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset) or hasattr(one, "popleft"):
            stack += list(one)
        else:
            stack += [getattr(one, name) for name in getattr(one, "__slots__", ())]
            stack += list(getattr(one, "__dict__", {}).values())
    return size


def attack(which: str, seed: int) -> Network:
    """Let one end take damaged datagrams, reconnecting whenever that ended the connection."""
    rng = random.Random(seed)
    network = client_and_server()
    end: End = getattr(network, which)
    valid = seeds()
    for count in range(DATAGRAMS):
        if count % 50 == 0 and end.connection.state is State.IDLE:
            network.engine.connection.disconnect(network.now)
            network.robot.connection.disconnect(network.now)
            network.run(1.0)
            network.connect()
        datagram = damaged(rng, rng.choice(valid))
        if rng.random() < 0.5:
            datagram = renumbered(datagram, end.connection._receiver.next_seq)
        network.inject(end, datagram)
        if count % 10 == 0:
            network.run(0.003)
        end.events.clear()
        end.sent.clear()
    return network


@pytest.mark.parametrize("which", ["engine", "robot"])
def test_20000_damaged_datagrams_never_raise(which: str) -> None:
    network = attack(which, seed=1)
    end: End = getattr(network, which)
    assert len({type(message) for message in end.messages}) > 30
    assert set(end.connection.statistics.refused) <= KINDS
    assert held_objects(network, end) < 500_000


@pytest.mark.parametrize("which", ["engine", "robot"])
def test_random_bytes_are_all_counted(which: str) -> None:
    rng = random.Random(2)
    network = client_and_server()
    end: End = getattr(network, which)
    for _ in range(DATAGRAMS):
        network.inject(end, rng.randbytes(rng.randrange(100)))
    assert end.connection.statistics.refused == {"malformed frame": DATAGRAMS}
    assert len(end.violations) == 1
    assert end.connection.state is State.CONNECTED


def test_refused_messages_are_counted_by_kind() -> None:
    rng = random.Random(3)
    network = client_and_server()
    expected: Counter[str] = Counter()
    for _ in range(1000):
        kind = rng.choice(sorted(KINDS))
        expected[kind] += 1
        payload = b"\xff\x01" if kind == "unknown message" else encode_message(STATE)[:-1]
        body = pack_sub_messages([SubMessage(FrameType.SINGLE_UNRELIABLE, payload)])
        if kind == "malformed frame":
            body = body[:-1]
        network.inject(network.engine, build_frame(Frame(FrameType.MULTIPLE_MIXED, 0, 0, 0, body)))
    assert network.engine.connection.statistics.refused == expected
    assert sorted(violation.kind for violation in network.engine.violations) == sorted(KINDS)


def test_a_flood_of_pings_fills_no_memory() -> None:
    network = client_and_server()
    before = held_objects(network, network.robot)
    for number in range(DATAGRAMS):
        ping = build_ping(PingContent(float(number), number, 0))
        network.robot.connection.receive(
            build_frame(Frame(FrameType.PING, 0, 0, 1, ping)), network.now
        )
    assert held_objects(network, network.robot) - before < 500_000
    assert network.robot.connection.statistics.dropped > 0


def test_a_robot_that_never_acknowledges_fills_no_memory() -> None:
    network = client_and_server()
    network.run(0.1)
    network.lose = lambda sender, datagram: sender is network.engine
    network.stream_states()
    refused = 0
    for value in range(5000):
        try:
            network.engine.connection.send(SetAudioVolume(value), network.now)
        except RuntimeError:
            refused += 1
        if value % 100 == 0:
            network.run(0.01)
    assert refused == 5000 - 1000 - 60
    assert network.engine.connection.waiting == 1060


def test_parts_without_an_end_are_bounded() -> None:
    network = client_and_server()
    for seq in range(2, 2000):
        part = SubMessage(FrameType.MULTI_PART, bytes([(seq - 2) % 254 + 1, 255]) + bytes(1000))
        body = pack_sub_messages([part])
        network.inject(
            network.engine, build_frame(Frame(FrameType.MULTIPLE_MIXED, seq, seq, 1, body))
        )
    assert network.engine.messages == network.engine.violations == []
    assert held_objects(network, network.engine) < 1_000_000


def test_echoes_with_hostile_times_are_ignored() -> None:
    network = client_and_server()
    for value in (float("nan"), float("inf"), -1e308, 0.0):
        body = pack_sub_messages([SubMessage(FrameType.PING, build_ping(PingContent(value, 0, 0)))])
        network.inject(network.engine, build_frame(Frame(FrameType.MULTIPLE_MIXED, 0, 0, 0, body)))
    assert network.engine.connection.statistics.round_trip is None
    assert network.engine.violations == []
