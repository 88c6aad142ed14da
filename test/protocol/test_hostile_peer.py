"""Whatever arrives: nothing is raised, everything is counted, memory stays bounded."""

from __future__ import annotations

import random
import sys

import pytest

from cozmo_driver.protocol import SendQueueFull, State
from cozmo_driver.protocol.frames import FrameType, SubMessage, build_ping
from cozmo_driver.protocol.frames import Ping as PingContent
from cozmo_driver.protocol.messages import SetAudioVolume

from .network import End, Network, client_and_server, frame_bytes

DATAGRAMS = 20_000


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


def test_a_flood_of_pings_fills_no_memory() -> None:
    network = client_and_server()
    before = held_objects(network, network.robot)
    for number in range(DATAGRAMS):
        ping = build_ping(PingContent(float(number), number, 0))
        network.robot.connection.receive(frame_bytes(FrameType.PING, 0, 0, 1, ping), network.now)
    assert held_objects(network, network.robot) - before < 500_000
    assert network.robot.connection.statistics.dropped > 0


def test_parts_without_an_end_are_bounded() -> None:
    network = client_and_server()
    for seq in range(2, 2000):
        part = SubMessage(FrameType.MULTI_PART, bytes([(seq - 2) % 254 + 1, 255]) + bytes(1000))
        network.inject(network.engine, frame_bytes(FrameType.MULTIPLE_MIXED, seq, seq, 1, part))
    assert network.engine.messages == network.engine.violations == []
    assert held_objects(network, network.engine) < 1_000_000


def test_a_robot_that_never_acknowledges_fills_no_memory() -> None:
    network = client_and_server()
    network.run(0.1)
    network.lose = lambda sender, datagram: sender is network.engine
    network.stream_states()
    refused = 0
    for value in range(5000):
        try:
            network.engine.connection.send(SetAudioVolume(value), network.now)
        except SendQueueFull:
            refused += 1
        if value % 100 == 0:
            network.run(0.01)
    assert refused == 5000 - 1000 - 60
    assert network.engine.connection.waiting == 1060
