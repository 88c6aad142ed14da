"""Pings keep a connection alive and measure it (spec 01 §7)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cozmo_driver.protocol import EngineConfig
from cozmo_driver.protocol.frames import FrameType, Ping, SubMessage, build_ping, parse_ping
from cozmo_driver.protocol.messages import SetAudioVolume

from .network import Air, Network, client_and_server, frame_bytes


def pings(network: Network) -> list[Ping]:
    return [parse_ping(frame.body) for frame in network.engine.frames(FrameType.PING)]


def echo(ping: Ping) -> bytes:
    """Return the robot's answer to a ping."""
    answer = SubMessage(FrameType.PING, build_ping(ping))
    return frame_bytes(FrameType.MULTIPLE_MIXED, 0, 0, 1, answer)


def unanswered(**options: object) -> Network:
    """Return a connected network whose robot falls silent; its echoes are made up."""
    network = client_and_server(**options)
    network.lose = lambda sender, datagram: True
    return network


def test_an_idle_engine_pings_30_times_a_second() -> None:
    network = client_and_server(engine=EngineConfig(ping_early=0.0))
    network.run(1.0)
    times = network.engine.times(FrameType.PING)
    assert [b - a for a, b in pairwise(times)] == pytest.approx([1 / 30] * (len(times) - 1))
    assert len(times) in (29, 30)


def test_a_ping_goes_out_a_little_early_when_something_is_received_just_then() -> None:
    network = unanswered(engine=EngineConfig(ping_interval=0.030, ping_early=0.010))
    network.run_until(lambda: network.engine.times()[-1] == network.now)
    last = network.now
    network.run(0.019)
    network.inject(network.engine, frame_bytes(FrameType.MULTIPLE_MIXED, 0, 0, 1))
    network.run(0.002)
    network.inject(network.engine, frame_bytes(FrameType.MULTIPLE_MIXED, 0, 0, 1))
    network.run(0.015)
    assert [t - last for t in network.engine.times() if t > last] == pytest.approx([0.021])


def test_a_ping_has_no_numbers_of_its_own_and_counts_pings_and_echoes() -> None:
    network = client_and_server(air=Air(latency=0.001))
    network.run(1.0)
    assert {(f.seq_min, f.seq_max) for f in network.engine.frames(FrameType.PING)} == {(0, 0)}
    sent = pings(network)
    assert [ping.num_sent for ping in sent] == list(range(1, len(sent) + 1))
    assert {ping.is_reply for ping in sent} == {0}
    assert sent[0].num_received == 0
    assert sent[-1].num_received in (len(sent) - 1, len(sent) - 2)
    assert sent[0].time_sent_ms == pytest.approx(1000 * network.engine.times(FrameType.PING)[0])


def test_an_echo_measures_the_round_trip() -> None:
    network = unanswered()
    network.run(0.04)
    sent_at = network.engine.times(FrameType.PING)[-1]
    network.run_until(lambda: network.now > sent_at + 0.0117)
    network.inject(network.engine, echo(pings(network)[0]))
    statistics = network.engine.connection.statistics
    assert statistics.round_trip == pytest.approx(network.now - sent_at)
    assert statistics.round_trip_smoothed == statistics.round_trip_min == statistics.round_trip
    assert statistics.pings_answered == 1


def test_the_smoothed_round_trip_follows_and_the_smallest_stays() -> None:
    network = unanswered()
    trips = [0.010, 0.030, 0.020]
    for trip in trips:
        network.run_until(lambda: network.engine.times()[-1] == network.now)
        network.run(trip)
        network.inject(network.engine, echo(pings(network)[-1]))
    statistics = network.engine.connection.statistics
    assert statistics.round_trip == pytest.approx(0.020)
    assert statistics.round_trip_min == pytest.approx(0.010)
    assert statistics.round_trip_smoothed == pytest.approx(0.0125 + (0.020 - 0.0125) / 8)


def test_an_echo_that_answers_no_ping_or_answers_twice_is_ignored() -> None:
    network = unanswered()
    network.run(0.04)
    ping = pings(network)[-1]
    network.inject(network.engine, echo(ping._replace(time_sent_ms=ping.time_sent_ms + 1)))
    network.inject(network.engine, echo(ping._replace(time_sent_ms=float("nan"))))
    assert network.engine.connection.statistics.pings_answered == 0
    network.inject(network.engine, echo(ping))
    network.inject(network.engine, echo(ping))
    assert network.engine.connection.statistics.pings_answered == 1
    assert network.engine.violations == []


def test_a_ping_without_an_answer_for_a_second_is_lost() -> None:
    network = unanswered()
    network.run(3.0)
    statistics = network.engine.connection.statistics
    assert statistics.pings_answered == 0
    assert statistics.pings_lost == pytest.approx(60, abs=2)
    assert statistics.pings_sent == pytest.approx(90, abs=2)


def test_the_share_of_lost_pings_is_the_loss_of_both_ways() -> None:
    network = client_and_server(air=Air(loss=0.2), seed=3)
    network.run(60.0)
    statistics = network.engine.connection.statistics
    settled = statistics.pings_answered + statistics.pings_lost
    assert statistics.pings_lost / settled == pytest.approx(0.36, abs=0.04)


def test_the_round_trip_stays_known_while_messages_flow_without_a_pause() -> None:
    network = client_and_server(engine=EngineConfig(ping_longest_pause=0.25))
    network.stream_states()
    network.every(
        0.005, lambda: network.engine.connection.send(SetAudioVolume(1), network.now) and None
    )
    network.run(2.0)
    times = network.engine.times(FrameType.PING)
    pauses = [b - a for a, b in pairwise(times)]
    assert 0.2 <= min(pauses) <= max(pauses) <= 0.262
    assert network.engine.connection.statistics.pings_answered >= 7


def test_a_ping_follows_a_message_instead_of_holding_up_the_next_one() -> None:
    network = client_and_server(engine=EngineConfig(ping_longest_pause=0.5))
    network.every(
        0.02, lambda: network.engine.connection.send(SetAudioVolume(1), network.now) and None
    )
    network.run(10.0)
    pings, sent = (network.engine.times(t) for t in (FrameType.PING, FrameType.SINGLE_RELIABLE))
    after = [min(b - ping for b in sent if b > ping) for ping in pings if ping < sent[-1]]
    assert len(pings) >= 18
    assert min(after[1:]) > 0.01
