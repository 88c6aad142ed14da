"""Sessions with a robot that answers some things only."""

from __future__ import annotations

import asyncio

from cozmo_driver.protocol import messages
from cozmo_driver.robot import Phase

from .hands import outcome, truth, with_robot
from .virtual import record


def silence(world, cls):
    """Let the emulated robot send no message of this class any more."""
    core = world.firmware.core
    send = core.send
    core.send = lambda message, **how: isinstance(message, cls) or send(message, **how)


@with_robot()
async def test_a_robot_that_never_acknowledges_the_clock_is_used_and_its_states_count(world):
    robot = world.robot
    assert robot.session.clock_acknowledged
    silence(world, messages.SyncTimeAck)
    states, before = robot.state_tracker.received, robot.odometry.time
    await world.reconnect()
    assert robot.session.clock_acknowledged is False
    await world.until(lambda: robot.state_tracker.received > states + 30)
    # Stamps follow the arrival, as with an acknowledged clock.
    assert before < robot.odometry.time <= world.loop.time() < robot.odometry.time + 0.1
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.pose.x > 0.1)
    assert abs(truth(world).x - robot.odometry.pose.x) < 0.01


@with_robot()
async def test_without_acknowledgement_and_states_the_robot_is_not_ready(world):
    robot = world.robot
    silence(world, (messages.SyncTimeAck, messages.RobotState))
    seen = record(robot.on_session)
    world.wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is not Phase.CONNECTED)
    await world.until(lambda: not world.firmware.connected)
    world.wire.is_cut = False
    await world.until(lambda: any("sent no state" in state.text for state in seen))
    assert Phase.CONNECTED not in [state.phase for state in seen]


@with_robot()
async def test_a_stop_that_is_cancelled_at_once_is_cancelled(world):
    stop = asyncio.ensure_future(world.robot.stop())
    # It now waits for the end of the session.
    await asyncio.sleep(0)
    stop.cancel()
    assert isinstance(await outcome(stop), asyncio.CancelledError)
