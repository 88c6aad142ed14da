"""Stops and safety settings arrive whatever the link does, and what is not set up is not used."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.protocol import SendQueueFull, messages
from cozmo_driver.robot import Cause, Owner, Phase, Reason

from .hands import act, fails, fill_queue, is_standing, keep_commands, with_robot

MOVES = (
    messages.DriveWheels,
    messages.MoveHead,
    messages.MoveLift,
    messages.SetHeadAngle,
    messages.SetLiftHeight,
)


def classes(log):
    return [type(message) for _, message in log]


@with_robot()
async def test_the_emergency_stop_passes_a_full_queue_and_nothing_moves_after_it(world):
    robot = world.robot
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.09)
    world.wire.is_cut = True
    for _ in range(80):
        robot.session.send(messages.SetAudioVolume(1))
    await world.pass_time(0.1)
    robot.motion.drive(0.15, 0.0)
    robot.joints.set_head_angle(0.5)
    fill_queue(world)
    before = len(world.wire.log)
    robot.motion.emergency_stop()
    confirmation = asyncio.ensure_future(robot.session.safety.confirmed())
    await world.pass_time(1.0)
    assert not confirmation.done()
    world.wire.is_cut = False
    await confirmation
    # Behind those that were sent already, 60 at most, and what else is urgent.
    assert classes(world.wire.log[before:]).index(messages.StopAllMotors) < 70
    await world.until(lambda: is_standing(world))
    await world.until(lambda: not robot.session.link.waiting)
    moves = [m for _, m in world.wire.log[before:] if isinstance(m, MOVES)]
    assert [m for m in moves if any(m)] == []
    assert is_standing(world)


COMMANDS = {
    "drive": lambda robot: robot.motion.drive(0.1, 0.0),
    "faster": lambda robot: robot.motion.drive(0.15, 0.0),
    "turn": lambda robot: robot.motion.drive(0.0, 2.0),
    "head": lambda robot: robot.joints.set_head_angle(0.5),
    "lift": lambda robot: robot.joints.set_lift_height(0.08),
    "head velocity": lambda robot: robot.joints.set_head_velocity(0.5),
    "lift velocity": lambda robot: robot.joints.set_lift_velocity(0.5),
    "head back": lambda robot: robot.joints.set_head_velocity(-0.5),
    "lift back": lambda robot: robot.joints.set_lift_velocity(-0.5),
}


@pytest.mark.parametrize(
    ("before", "command"),
    [
        *(("", command) for command in COMMANDS),
        ("drive", "faster"),
        ("drive", "turn"),
        ("head velocity", "head back"),
        ("lift velocity", "lift back"),
    ],
)
@with_robot()
async def test_what_a_full_queue_refused_moves_nothing_later(world, before, command):
    robot = world.robot
    if before:
        COMMANDS[before](robot)
        await world.pass_time(0.2)
    fill_queue(world)
    with pytest.raises(SendQueueFull):
        COMMANDS[command](robot)
    refused_at = len(world.wire.log)
    moved = (robot.motion.wheels, robot.joints.head, robot.joints.lift)[
        ("head" in command) + 2 * ("lift" in command)
    ]
    assert moved.owner is Owner.NONE
    world.wire.is_cut = False
    await world.until(lambda: not robot.session.link.waiting)
    await world.pass_time(2.0)
    moves = [m for _, m in world.wire.log[refused_at:] if isinstance(m, MOVES)]
    assert [m for m in moves if any(m)] == []


@with_robot()
async def test_settings_pass_a_full_queue(world):
    robot = world.robot
    fill_queue(world)
    robot.cliff.enable(False)
    robot.cliff_threshold.set(120)
    world.wire.is_cut = False
    await robot.session.safety.confirmed()
    assert not act(world, lambda f: f.ground.stops_at_edges)
    assert act(world, lambda f: f.ground.threshold) == 120


@with_robot()
async def test_what_was_set_without_a_link_holds_in_the_next_session(world):
    robot = world.robot
    async with world.without_link():
        robot.cliff.enable(False)
        with fails(Reason.NOT_CONNECTED):
            await robot.session.safety.confirmed()
        world.wire.restart()
    assert not act(world, lambda f: f.ground.stops_at_edges)


@with_robot()
async def test_a_stop_that_was_not_acknowledged_begins_the_next_session(world):
    robot = world.robot
    robot.motion.drive(0.1, 0.0)
    world.wire.is_cut = True
    robot.motion.stop()
    with fails(Reason.TIMEOUT):
        await robot.session.safety.confirmed()
    before = len(world.wire.log)
    await world.reconnect()
    after = classes(world.wire.log[before:])
    assert after.count(messages.StopAllMotors) == 1
    assert after.index(messages.StopAllMotors) < after.index(messages.InitController)
    before = len(world.wire.log)
    await world.reconnect()
    assert messages.StopAllMotors not in classes(world.wire.log[before:])


@with_robot()
async def test_a_latched_stop_begins_every_session_until_it_is_released(world):
    world.robot.motion.emergency_stop()
    for _ in range(2):
        before = len(world.wire.log)
        await world.reconnect()
        after = classes(world.wire.log[before:])
        assert after.index(messages.StopAllMotors) < after.index(messages.InitController)
    world.robot.motion.release_stop()
    before = len(world.wire.log)
    await world.reconnect()
    assert messages.StopAllMotors not in classes(world.wire.log[before:])


@with_robot()
@pytest.mark.parametrize("error", [KeyError("a fault"), SendQueueFull("the queue is full")])
async def test_a_robot_that_cannot_be_set_up_is_not_ready_and_is_tried_again(world, error):
    robot, seen = world.robot, []

    def fail(_):
        raise error

    disconnect = robot.session.on_setup.connect(fail)
    robot.on_session.connect(seen.append)
    world.wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is not Phase.CONNECTED)
    await world.until(lambda: not world.firmware.connected)
    world.wire.is_cut = False
    await world.until(lambda: seen[-1].phase is Phase.WAITING and seen[-1].attempts == 2)
    assert seen[-1].cause is Cause.NOT_READY
    assert str(error) in seen[-1].text
    assert Phase.CONNECTED not in [state.phase for state in seen]
    disconnect()
    await world.connected()


@with_robot()
async def test_a_setting_is_confirmed_once_it_has_been_sent(world):
    """While a robot is asked who it is, settings wait until it is set up."""
    robot = world.robot
    world.wire.restart()
    await world.until(lambda: robot.session_state.phase is Phase.INITIALIZING)
    robot.cliff.enable(False)
    await robot.session.safety.confirmed()
    [*_, setting] = world.wire.received(messages.EnableStopOnCliff)
    assert setting == messages.EnableStopOnCliff(False)


def test_what_a_full_queue_refuses_with_every_state_is_told_once(caplog):
    @with_robot()
    async def scenario(world):
        robot, count = world.robot, world.robot.state_tracker.received
        message = messages.SetAudioVolume(1)
        on_state = robot.session.guarded("watching", lambda _: robot.session.send(message))
        robot.on_state.connect(on_state)
        await keep_commands(world)
        await world.until(lambda: robot.state_tracker.received > count + 60)

    scenario()
    assert caplog.text.count("watching: ") == 1
