from __future__ import annotations

import asyncio
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol import messages
from cozmo_driver.robot import DriveLimits, Pose2D, Reason
from cozmo_driver.robot.paths.turns import turn_legs

from .hands import act, is_standing, outcome, with_robot


@given(st.floats(-100.0, 100.0))
def test_every_leg_is_the_shorter_way_and_together_they_are_the_turn(angle):
    legs = turn_legs(angle)
    assert math.fsum(legs) == pytest.approx(angle)
    assert all(abs(leg) <= math.radians(170.0) for leg in legs)
    if len(legs) > 1:
        assert all(abs(leg) <= math.radians(120.0) + 1e-9 for leg in legs)


@pytest.mark.parametrize("angle", [0.5, -1.0, 2.9, 3.1, -3.1, 7.0, -13.0])
@with_robot()
async def test_the_robot_turns_by_the_angle_in_the_direction_asked_for(world, angle):
    progress = []
    turned = await world.robot.turns.turn(angle, on_progress=progress.append)
    assert turned == pytest.approx(angle, abs=0.035)
    assert progress[-1].angle_turned + progress[-1].angle_remaining == pytest.approx(angle)
    signs = {math.copysign(1.0, p.angle_turned) for p in progress if abs(p.angle_turned) > 0.01}
    assert signs == {math.copysign(1.0, angle)}
    expected = math.remainder(angle - world.robot.odometry.pose.yaw, 2 * math.pi)
    assert abs(expected) < 0.035


@with_robot()
async def test_a_heading_of_the_odometry_frame_is_reached_by_the_shorter_way(world):
    robot = world.robot
    robot.localization.set_odometry(Pose2D(1.0, 1.0, 3.0))
    await world.until(lambda: robot.odometry.pose.yaw > 2.9)
    turned = await robot.turns.turn(-3.0, is_absolute=True)
    assert turned == pytest.approx(2 * math.pi - 6.0, abs=0.035)
    assert robot.odometry.pose.yaw == pytest.approx(-3.0, abs=0.035)


@with_robot()
async def test_a_turn_that_gains_speed_slowly_has_the_time_that_it_needs(world, monkeypatch):
    monkeypatch.setattr("cozmo_driver.emulator.path._SLOWEST_TURN", 0.001)
    turned = await world.robot.turns.turn(2.9, speed=5.0, acceleration=0.1)
    assert turned == pytest.approx(2.9, abs=0.035)


@with_robot(limits=DriveLimits(yaw_rate=1.0))
async def test_the_speed_stays_within_the_limit(world):
    await world.robot.turns.turn(1.0, speed=4.0)
    (command,) = world.wire.received(messages.SetBodyAngle)
    assert command.max_speed_rad_per_sec == 1.0
    assert command.use_shortest_direction


@with_robot()
async def test_cancelling_stops_the_turn(world):
    task = asyncio.ensure_future(world.robot.turns.turn(6.0, speed=1.0))
    await world.until(lambda: world.robot.odometry.pose.yaw > 0.5)
    task.cancel()
    assert isinstance(await outcome(task), asyncio.CancelledError)
    await world.until(lambda: is_standing(world))
    assert world.robot.odometry.pose.yaw < 0.8


@with_robot()
async def test_a_robot_that_is_held_does_not_turn_on(world):
    task = asyncio.ensure_future(world.robot.turns.turn(2.0, speed=1.0))
    await world.until(lambda: world.robot.odometry.pose.yaw > 0.5)
    act(world, lambda f: f.ground.hold(True))
    assert (await outcome(task)).reason is Reason.BLOCKED
    await world.until(lambda: is_standing(world))


@with_robot()
async def test_a_robot_that_falls_silent_when_a_turn_begins_makes_it_afterwards(world):
    wire, command = world.wire, struct.pack("<fff", 2.0, 10.0, 0.035)

    def cut_at_command(datagram):
        wire.is_cut = command in datagram
        return wire.is_cut

    wire.is_lost = cut_at_command
    task = asyncio.ensure_future(world.robot.turns.turn(1.0))
    await world.until(lambda: wire.is_cut)
    wire.is_lost = lambda _: False
    await world.pass_time(1.3)
    world.wire.is_cut = False
    assert await task == pytest.approx(1.0, abs=0.035)


@pytest.mark.parametrize("is_lost", [True, False], ids=["lost", "late"])
@pytest.mark.parametrize("is_there", [False, True], ids=["begins", "ends"])
@with_robot()
async def test_a_turn_outlasts_a_silence(world, is_there, is_lost):
    robot = world.robot
    task = asyncio.ensure_future(robot.turns.turn(1.0))
    (command,) = await world.until(lambda: world.wire.received(messages.SetBodyAngle))
    await world.until(lambda: robot.motion.actions.is_acknowledged(command.action_id))
    state = robot.state
    await world.until(lambda: robot.state is not state)
    if is_there:
        await world.until(lambda: robot.odometry.pose.yaw > 0.99)
    await world.stall(1.3, is_lost=is_lost)
    assert await task == pytest.approx(1.0, abs=0.035)
    assert robot.odometry.pose.yaw == pytest.approx(1.0, abs=0.035)


@with_robot()
async def test_a_turn_begins_where_the_robot_stands_also_after_a_silence(world):
    robot = world.robot
    robot.motion.drive(0.0, 1.0)
    await world.until(lambda: robot.odometry.pose.yaw > 0.5)
    task = asyncio.ensure_future(robot.turns.turn(0.5))
    await world.stall(2.2, is_lost=False)
    start = robot.odometry.pose.yaw
    await task
    assert robot.odometry.pose.yaw - start == pytest.approx(0.5, abs=0.035)


@with_robot()
async def test_a_turn_without_an_acknowledgement_times_out(world):
    act(world, lambda f: f.core._handlers.pop(messages.SetBodyAngle))
    assert (
        await outcome(asyncio.ensure_future(world.robot.turns.turn(1.0)))
    ).reason is Reason.TIMEOUT
