from __future__ import annotations

import asyncio
import logging
import math
import struct

import pytest

from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import AnimTrackFlag, MotorID
from cozmo_driver.robot import Owner, Reason, Refused

from .hands import act, fails, outcome, with_robot


def begun(coroutine):
    return asyncio.ensure_future(coroutine)


@with_robot()
async def test_the_head_is_there_when_the_robot_says_so(world):
    progress = []
    angle = await world.robot.joints.move_head(0.4, on_progress=progress.append)
    assert angle == pytest.approx(0.4, abs=0.035)
    head = act(world, lambda f: f.joints.head)
    assert head.in_position
    assert progress[-1].remaining == pytest.approx(0.4 - progress[-1].position)
    assert len(progress) > 5


@with_robot()
async def test_a_goal_beyond_the_limits_ends_at_the_limit(world):
    assert await world.robot.joints.move_head(9.0) == pytest.approx(0.7767, abs=0.035)
    assert await world.robot.joints.move_lift(0.0) == pytest.approx(0.032, abs=0.005)


@with_robot()
async def test_a_move_takes_the_time_it_is_given(world):
    start = world.loop.time()
    await world.robot.joints.move_head(0.6, duration=2.0)
    assert 2.0 <= world.loop.time() - start < 2.6


@with_robot()
async def test_cancelling_stops_the_head(world):
    task = begun(world.robot.joints.move_head(0.7, speed=0.2))
    await world.until(lambda: world.robot.state.head_angle > -0.2)
    task.cancel()
    assert isinstance(await outcome(task), asyncio.CancelledError)
    await world.until(lambda: not act(world, lambda f: f.joints.moving))
    assert world.robot.state.head_angle < 0.0
    assert world.robot.joints.head.owner is Owner.NONE


@with_robot()
async def test_a_head_that_is_held_is_given_up_with_its_reason(world):
    # The emulated motor stops where it is, as one that is held does.
    task = begun(world.robot.joints.move_head(0.7, speed=0.5))
    await world.until(lambda: world.robot.state.head_angle > 0.0)
    act(world, lambda f: f.joints.head.stop())
    assert (await outcome(task)).reason is Reason.BLOCKED


@with_robot()
async def test_a_command_without_an_acknowledgement_times_out(world):
    act(world, lambda f: f.core._handlers.pop(messages.SetHeadAngle))
    with fails(Reason.TIMEOUT):
        await world.robot.joints.move_head(0.5)


@with_robot()
async def test_a_command_that_is_late_is_not_taken_for_a_stuck_lift(world):
    height = struct.pack("<f", 70.0)
    world.wire.is_lost = lambda datagram: height in datagram
    task = begun(world.robot.joints.move_lift(0.07))
    await world.pass_time(0.85)
    assert not task.done()
    world.wire.is_lost = lambda datagram: False
    assert await task == pytest.approx(0.07, abs=0.005)


@with_robot()
async def test_a_move_that_gains_speed_slowly_has_the_time_that_it_needs(world):
    await world.robot.joints.move_head(-0.4)
    await world.robot.joints.move_head(0.7, acceleration=0.1)
    assert world.robot.state.head_angle == pytest.approx(0.7, abs=0.035)


@with_robot()
async def test_a_motor_that_protects_itself_ends_the_move_and_is_blocked(world):
    task = begun(world.robot.joints.move_lift(0.09, speed=0.2))
    await world.pass_time(0.3)
    act(world, lambda f: f.core.send(messages.MotorAutoEnabled(MotorID.LIFT, False)))
    assert (await outcome(task)).reason is Reason.MOTOR_DISABLED
    with fails(Reason.MOTOR_DISABLED, Refused):
        world.robot.joints.set_lift_height(0.05)
    world.robot.joints.set_head_angle(0.1)


@with_robot()
async def test_a_stream_of_positions_holds_the_head_until_it_is_there(world):
    head, locks = world.robot.joints.head, (messages.DisableAnimTracks, messages.EnableAnimTracks)
    for step in range(10):
        world.robot.joints.set_head_angle(0.04 * step)
        await world.pass_time(0.1)
        assert head.owner is Owner.TOPIC
    await world.until(lambda: head.owner is Owner.NONE)
    assert world.robot.state.head_angle == pytest.approx(0.36, abs=0.035)
    await world.until(lambda: world.wire.received(messages.EnableAnimTracks))
    assert len(world.wire.received(messages.SetHeadAngle)) == 10
    assert world.wire.received(*locks, messages.MoveHead) == [
        messages.DisableAnimTracks(AnimTrackFlag.HEAD),
        messages.EnableAnimTracks(AnimTrackFlag.HEAD),
    ]


@with_robot()
async def test_a_commanded_position_without_an_acknowledgement_times_out(world, caplog):
    act(world, lambda f: f.core._handlers.pop(messages.SetLiftHeight))
    world.robot.joints.set_lift_height(0.09)
    await world.pass_time(0.8)
    assert world.robot.joints.lift.owner is Owner.TOPIC
    await world.until(lambda: world.robot.joints.lift.owner is Owner.NONE)
    assert "did not acknowledge cmd_lift" in caplog.text


@with_robot()
async def test_zero_velocity_does_not_end_a_commanded_position(world):
    world.robot.joints.set_head_angle(0.7)
    world.robot.joints.set_head_velocity(0.0)
    assert world.robot.joints.head.owner is Owner.TOPIC
    await world.until(lambda: world.robot.joints.head.owner is Owner.NONE)
    assert world.robot.state.head_angle == pytest.approx(0.7, abs=0.035)
    world.robot.joints.set_head_angle(-0.3)
    world.robot.joints.set_head_velocity(0.3)
    await world.until(lambda: world.robot.state.head_angle > 0.75)


@with_robot()
async def test_a_velocity_moves_the_joint_until_it_is_taken_back(world):
    joints = world.robot.joints
    joints.set_head_velocity(0.3)
    assert joints.head.owner is Owner.TOPIC
    await world.until(lambda: world.robot.state.head_angle > 0.0)
    joints.set_head_velocity(0.3)
    joints.set_head_velocity(0.0)
    await world.until(lambda: not act(world, lambda f: f.joints.moving))
    assert world.robot.state.head_angle < 0.2
    assert joints.head.owner is Owner.NONE
    assert [m.speed_rad_per_sec for m in world.wire.received(messages.MoveHead)] == [
        pytest.approx(0.3),
        0.0,
    ]
    joints.set_lift_velocity(1.0)
    await world.until(lambda: world.robot.state.lift_angle > 0.7)
    joints.set_lift_velocity(-1.0)
    await world.until(lambda: world.robot.state.lift_angle < -0.1)
    with pytest.raises(ValueError, match="finite"):
        joints.set_lift_velocity(math.inf)


@with_robot()
async def test_calibration_stops_everything_first_and_refuses_movements_meanwhile(world):
    robot = world.robot
    driving = begun(robot.maneuvers.drive_distance(1.0))
    await world.until(lambda: robot.odometry.pose.x > 0.05)
    act(world, lambda f: setattr(f.joints, "calibration_time", 1.0))
    task = begun(robot.motion.calibrate())
    assert (await outcome(driving)).reason is Reason.NOT_CALIBRATED
    await world.until(lambda: robot.session.calibration.is_running)
    with fails(Reason.NOT_CALIBRATED, Refused):
        robot.motion.drive(0.1, 0.0)
    with fails(Reason.NOT_CALIBRATED, Refused):
        await robot.joints.move_head(0.1)
    await task
    assert robot.session.calibration.has(MotorID.HEAD)
    assert robot.session.calibration.has(MotorID.LIFT)
    robot.motion.drive(0.1, 0.0)


@with_robot()
async def test_a_calibration_that_does_not_end_times_out(world):
    act(world, lambda f: f.core._handlers.pop(messages.StartMotorCalibration))
    with fails(Reason.TIMEOUT):
        await world.robot.motion.calibrate()


@with_robot()
async def test_a_computer_that_was_busy_does_not_take_a_moving_head_for_a_held_one(world):
    joints = world.robot.joints
    take, waiting = joints.update, []
    task = begun(joints.move_head(-0.3, acceleration=0.5))
    await world.until(lambda: world.wire.received(messages.SetHeadAngle))
    await world.pass_time(0.07)
    joints.update = waiting.append
    await world.pass_time(0.9)
    joints.update = take
    for state in waiting[:3]:
        # The oldest ones first: in them the head has hardly begun to move.
        take(state)
        await asyncio.sleep(0)
    assert not task.done()
    assert await task == pytest.approx(-0.3, abs=0.035)


@with_robot({"hardware": "1.0"})
async def test_a_head_that_stops_short_has_ended_its_move(world):
    joints, loop = world.robot.joints, world.loop
    for target, short in ((0.3, 0.018), (-0.3, -0.040), (-0.285, -0.025)):
        start = loop.time()
        angle = await joints.move_head(target)
        assert target - angle == pytest.approx(short, abs=0.006)
        assert not act(world, lambda f: f.joints.head.in_position)
        assert loop.time() - start < 1.5
        await world.pass_time(0.5)
        assert world.robot.state.head_angle == angle


@with_robot({"hardware": "1.0"})
async def test_a_commanded_head_that_stops_short_is_given_back(world, caplog):
    joints = world.robot.joints
    for target in (0.3, -0.3):
        joints.set_head_angle(target)
        start = world.loop.time()
        await world.until(lambda: joints.head.owner is Owner.NONE)
        assert 0.3 <= world.loop.time() - start < 1.5
        assert world.robot.state.head_angle == pytest.approx(target, abs=0.045)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@with_robot()
async def test_a_short_move_is_awaited_though_the_last_one_is_still_reported(world):
    for target in (-0.3, -0.26, -0.3, -0.25):
        angle = await world.robot.joints.move_head(target)
        await world.pass_time(0.5)
        assert world.robot.state.head_angle == pytest.approx(angle, abs=0.005)
        assert angle == pytest.approx(target, abs=0.006)


@with_robot({"hardware": "1.0"})
async def test_a_head_that_stops_short_while_driving_has_ended_its_move_too(world):
    task = begun(world.robot.joints.move_head(0.3))
    while not task.done():
        world.robot.motion.drive(0.05, 0.0)
        await world.pass_time(0.05)
    assert world.robot.odometry.pose.x < 0.1
    assert task.result() == pytest.approx(0.282, abs=0.006)
