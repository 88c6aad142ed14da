"""The table of transitions is complete, and every one of its entries happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cozmo_driver.protocol import State
from cozmo_driver.protocol.connection import TRANSITIONS, Connection
from cozmo_driver.protocol.frames import Frame, FrameType, build_frame
from cozmo_driver.protocol.messages import SetAudioVolume

from .network import Network, client_and_server

REQUEST = build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))


def deaf() -> Network:
    """Return an idle network in which nothing arrives."""
    network = Network()
    network.lose = lambda sender, datagram: True
    network.engine.connection.connect(network.now)
    return network


def disconnect_while_connecting() -> None:
    network = deaf()
    network.engine.connection.disconnect(network.now)


def disconnect_while_connected() -> None:
    network = client_and_server()
    network.engine.connection.disconnect(network.now)


def the_peer_disconnects() -> None:
    network = client_and_server()
    network.engine.connection.disconnect(network.now)
    network.run(0.1)


def another_engine_asks() -> None:
    network = client_and_server()
    network.engine.connection.send(SetAudioVolume(1), network.now)
    network.run(1.0)
    network.inject(network.robot, REQUEST)


def the_air_dies() -> None:
    network = client_and_server()
    network.lose = lambda sender, datagram: True
    network.run(6.0)


SCENARIOS: dict[tuple[State, str], Callable[[], object]] = {
    (State.IDLE, "connect"): deaf,
    (State.IDLE, "request received"): client_and_server,
    (State.CONNECTING, "response received"): client_and_server,
    (State.CONNECTING, "no answer"): lambda: deaf().run(6.0),
    (State.CONNECTING, "disconnect"): disconnect_while_connecting,
    (State.CONNECTED, "disconnect"): disconnect_while_connected,
    (State.CONNECTED, "disconnect received"): the_peer_disconnects,
    (State.CONNECTED, "request received"): another_engine_asks,
    (State.CONNECTED, "silence"): the_air_dies,
}


def test_there_is_a_scenario_for_every_transition() -> None:
    assert SCENARIOS.keys() == TRANSITIONS.keys()


@pytest.mark.parametrize(
    "transition", TRANSITIONS, ids=lambda t: f"{t[0].value}, {t[1]}".replace(" ", "-")
)
def test_a_transition_happens(
    transition: tuple[State, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[tuple[State, str], State]] = []
    change = Connection._change

    def watched(self: Connection, cause: str) -> None:
        before = self.state
        change(self, cause)
        seen.append(((before, cause), self.state))

    monkeypatch.setattr(Connection, "_change", watched)
    SCENARIOS[transition]()
    assert (transition, TRANSITIONS[transition]) in seen
    assert all(TRANSITIONS[way] is after for way, after in seen)
