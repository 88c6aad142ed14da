"""Switching the robot off on the graph."""

from __future__ import annotations

import pytest
from std_srvs.srv import Trigger

from cozmo_interfaces.msg import ConnectionState

from .conftest import World
from .graph import LATCHED


def requests(world: World) -> int:
    """Return how often the robot was told to switch itself off."""
    return world.emulator.state().received.get("ShutdownRobot", 0)


@pytest.mark.covers("power_off", "allow_power_off", "connect")
def test_the_robot_is_switched_off_with_permission_only_and_then_left_alone(world: World) -> None:
    response = world.graph.call(Trigger, "power_off")
    assert not response.success
    assert "allow_power_off" in response.message
    assert requests(world) == 0

    assert not world.graph.set(allow_power_off=True)
    states = world.graph.listen(ConnectionState, "connection_state", LATCHED)
    response = world.graph.call(Trigger, "power_off")
    assert response.success, response.message
    assert "until connect is called" in response.message
    assert requests(world) == 1
    assert world.emulator.call(lambda firmware: firmware.session.is_off)
    left = states.wait_for(lambda message: message.state == ConnectionState.DISCONNECTED)
    assert left.reason == ConnectionState.REASON_REQUESTED
    assert "the robot was switched off" in left.message

    response = world.graph.call(Trigger, "power_off")
    assert not response.success
    assert "the robot was switched off" in response.message

    world.emulator.restart()
    assert world.graph.call(Trigger, "connect").success
    seen = states.wait_for(lambda m: m.state == ConnectionState.CONNECTED and m.connections == 2)
    # Nothing was tried before it was asked for.
    after = states.messages[states.messages.index(left) : states.messages.index(seen) + 1]
    assert [message.state for message in after] == [
        ConnectionState.DISCONNECTED,
        ConnectionState.CONNECTING,
        ConnectionState.INITIALIZING,
        ConnectionState.CONNECTED,
    ]
