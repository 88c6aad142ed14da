"""Whatever arrives: nothing is raised, everything is counted, memory stays bounded."""

from __future__ import annotations

import random
import sys
from collections import Counter

import pytest

from cozmo_driver.protocol import State, encode_message
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

DATAGRAMS = 20_000
KINDS = {"malformed frame", "malformed message", "unknown message"}


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
