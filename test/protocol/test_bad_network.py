"""Reliable messages arrive once and in order, whatever the air does (spec 01 §10)."""

from __future__ import annotations

from contextlib import suppress

import pytest

from cozmo_driver.protocol import Message, SendQueueFull, State
from cozmo_driver.protocol.messages import NVOpResult, SetAudioVolume

from .network import Air, Network, client_and_server

COMMANDS = 2000
BAD = Air(loss=0.2, duplication=0.1, reordering=0.1)


def both_ways(network: Network, count: int = COMMANDS) -> None:
    """Send ``count`` numbered reliable messages each way as fast as the ends take them."""
    network.stream_states()
    commands, answers = iter(range(count)), iter(range(count))
    pending: dict[str, Message | None] = {"command": SetAudioVolume(next(commands))}
    pending["answer"] = answer(next(answers))

    def more() -> None:
        with suppress(SendQueueFull):
            while pending["command"] is not None:
                network.engine.connection.send(pending["command"], network.now)
                pending["command"] = next((SetAudioVolume(n) for n in commands), None)
        # A full store drops the message and says so with 0.
        while pending["answer"] is not None:
            if not network.robot.connection.send(pending["answer"], network.now):
                break
            pending["answer"] = next((answer(n) for n in answers), None)

    network.every(0.01, more)
    network.run_until(
        lambda: (
            pending == {"command": None, "answer": None}
            and network.engine.connection.waiting == network.robot.connection.waiting == 0
        ),
        limit=600.0,
    )


def answer(number: int) -> NVOpResult:
    return NVOpResult(number, 0, 0, 0, b"")


def blocks(network: Network) -> list[int]:
    return [m.tag for m in network.engine.messages if isinstance(m, NVOpResult)]


@pytest.mark.parametrize("seed", range(3))
def test_2000_messages_each_way_survive_loss_duplication_and_reordering(seed: int) -> None:
    network = client_and_server(air=BAD, seed=seed)
    both_ways(network)
    assert [m.volume for m in network.robot.messages] == list(range(COMMANDS))
    assert blocks(network) == list(range(COMMANDS))
    assert network.engine.connection.state is network.robot.connection.state is State.CONNECTED
    assert network.engine.violations == network.robot.violations == []
    statistics = network.engine.connection.statistics
    assert statistics.resends > 0
    assert statistics.duplicates > 0
    assert statistics.messages_sent == COMMANDS
    assert network.robot.connection.statistics.duplicates > 0


def test_on_a_perfect_network_nothing_is_sent_twice_by_the_engine() -> None:
    network = client_and_server()
    both_ways(network)
    assert [m.volume for m in network.robot.messages] == list(range(COMMANDS))
    assert blocks(network) == list(range(COMMANDS))
    assert network.engine.connection.statistics.resends == 0
    assert network.robot.connection.statistics.duplicates == 0


@pytest.mark.parametrize("to_engine", [Air(loss=0.5), Air(latency=0.2), Air(reordering=0.5)])
def test_a_bad_way_back_disturbs_no_command(to_engine: Air) -> None:
    network = client_and_server(air_to_engine=to_engine, seed=7)
    both_ways(network, 200)
    assert [m.volume for m in network.robot.messages] == list(range(200))
    assert blocks(network) == list(range(200))


def test_a_pause_of_the_air_of_four_seconds_loses_nothing() -> None:
    network = client_and_server()
    begin = network.now
    network.lose = lambda sender, datagram: 0.05 < network.now - begin < 4.05
    both_ways(network, 500)
    assert [m.volume for m in network.robot.messages] == list(range(500))
    assert blocks(network) == list(range(500))
    assert network.engine.ended == network.robot.ended == []


def test_numbers_go_round_the_circle_without_a_loss() -> None:
    network = client_and_server()
    for end, other in ((network.engine, network.robot), (network.robot, network.engine)):
        sender = end.connection._sender  # the only way not to send 65,000 messages first
        sender.outbox.next_seq = 65500
        other.connection._receiver.next_seq = 65500
        other.connection._receiver.ack = 65499
        sender.outbox.entries.clear()
    both_ways(network, 300)
    assert [m.volume for m in network.robot.messages] == list(range(300))
    assert blocks(network) == list(range(300))
    assert network.engine.connection._sender.outbox.next_seq == 65500 + 300 - 65534
