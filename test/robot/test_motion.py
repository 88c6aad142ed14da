from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import sys

import pytest

from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import AnimTrackFlag
from cozmo_driver.robot import (
    DRIVE_CENTER,
    DriveLimits,
    Owner,
    Pose2D,
    Reason,
    Refused,
    RobotEventType,
)
from cozmo_driver.robot.geometry import DRIVE_CENTER_X, wrap_angle

from .hands import act, fails, is_standing, outcome, set_on_dark_floor, truth, with_robot


async def drive_for(world, seconds, linear, angular):
    """Command speeds ten times a second, as a program does."""
    for _ in range(round(seconds * 10)):
        world.robot.motion.drive(linear, angular)
        await world.pass_time(0.1)
    world.robot.motion.drive(0.0, 0.0)
    await world.until(lambda: is_standing(world))
    await world.pass_time(0.2)


# -- driving by speed


@with_robot({"ideal": True})
async def test_the_robot_obeys_after_a_command_of_absurd_speed(world):
    motion, absurd = world.robot.motion, sys.float_info.max
    motion.drive(absurd, absurd)
    await world.pass_time(0.2)
    before = len(world.wire.log)
    for _ in range(10):
        motion.drive(0.0, 1.0)
        await world.pass_time(0.1)
    for _, command in world.wire.log[before:]:
        if isinstance(command, messages.DriveWheels):
            assert all(math.isfinite(speed) for speed in command)
    assert world.robot.odometry.angular_velocity == pytest.approx(1.0, abs=0.1)


@contextlib.contextmanager
def no_states(world):
    """Keep the robot from sending states, and nothing else."""
    core, send = world.firmware.core, world.firmware.core.send
    core.send = lambda m, **options: (
        None if isinstance(m, messages.RobotState) else send(m, **options)
    )
    try:
        yield
    finally:
        core.send = send


@pytest.mark.parametrize("is_repeated", [True, False])
def test_nothing_is_driven_by_speed_while_no_state_comes(is_repeated, caplog):
    @with_robot({"ideal": True})
    async def drives(world):
        motion = world.robot.motion
        motion.drive(0.1, 0.0)
        await world.until(lambda: world.robot.odometry.linear_velocity > 0.09)
        before = truth(world)
        with no_states(world):
            for _ in range(40):
                await world.pass_time(0.1)
                if is_repeated:
                    with contextlib.suppress(Refused):
                        motion.drive(0.1, 0.0)
            assert 0.04 < truth(world).x - before.x < 0.08
            assert motion.wheels.owner is Owner.NONE
            with fails(Reason.LINK_LOST, Refused):
                motion.drive(0.1, 0.0)
            state = world.robot.state
        await world.until(lambda: world.robot.state is not state)
        motion.drive(0.1, 0.0)
        await world.until(lambda: world.robot.odometry.linear_velocity > 0.09)

    drives()
    assert caplog.text.count("no state comes from the robot") == 1


def test_a_program_that_was_kept_from_running_drives_on(caplog):
    @with_robot({"ideal": True})
    async def drives(world):
        for number in range(40):
            world.robot.motion.drive(0.1, 0.0)
            await world.pass_time(0.05)
            world.loop.moment += (0.0, 0.45, 2.0)[number % 3]

    drives()
    assert "no state comes" not in caplog.text


@pytest.mark.parametrize("stall", [0.2, 0.4])
def test_a_wifi_that_stalls_for_some_tenths_stops_nothing(stall, caplog):
    @with_robot({"ideal": True})
    async def drives(world):
        for number in range(100):
            world.robot.motion.drive(0.1, 0.0)
            world.wire.is_cut = number % 20 * 0.05 < stall
            await world.pass_time(0.05)

    drives()
    assert "no state comes" not in caplog.text


@with_robot()
async def test_a_turn_in_place_turns_by_the_commanded_angle_about_the_drive_centre(world):
    await drive_for(world, 2.0, 0.0, 1.0)
    pose = world.robot.odometry.pose
    assert pose.yaw == pytest.approx(2.0, rel=0.05)
    center_x = pose.x + DRIVE_CENTER_X * math.cos(pose.yaw)
    center_y = pose.y + DRIVE_CENTER_X * math.sin(pose.yaw)
    assert (center_x, center_y) == pytest.approx((DRIVE_CENTER_X, 0.0), abs=0.002)


@pytest.mark.parametrize(("is_ideal", "track_width"), [(True, 0.055), (False, 0.069)])
def test_a_wrong_track_width_is_corrected_by_the_gyro(is_ideal, track_width):
    """Of the ideal floor it is 69 mm, of the other one 92 mm."""
    robot = with_robot({"ideal": is_ideal}, limits=DriveLimits(track_width=track_width))
    robot(turns_as_commanded)()


async def turns_as_commanded(world):
    turned = []
    for _ in range(80):
        world.robot.motion.drive(0.0, 1.0)
        await world.pass_time(0.1)
        turned.append(world.robot.odometry.pose.yaw)
    # The gyro shakes from state to state.
    assert wrap_angle(turned[-1] - turned[-21]) / 2.0 == pytest.approx(1.0, abs=0.04)


@with_robot(limits=DriveLimits(track_width=0.055, is_yaw_trimmed=False))
async def test_the_correction_can_be_switched_off(world):
    await drive_for(world, 4.0, 0.0, 1.0)
    turned = 4.0 * 55 / act(world, lambda f: f.wheels.track)
    assert wrap_angle(world.robot.odometry.pose.yaw - turned) == pytest.approx(0.0, abs=0.15)


@with_robot()
async def test_an_unchanged_speed_is_not_sent_with_every_command(world):
    for _ in range(50):
        world.robot.motion.drive(0.05, 0.0)
        await world.pass_time(0.02)
    assert 5 <= len(world.wire.received(messages.DriveWheels)) <= 12


# -- who moves the wheels


@with_robot()
async def test_cmd_vel_takes_the_wheels_from_an_action_and_the_log_says_so(world, caplog):
    caplog.set_level(logging.INFO)
    task = asyncio.ensure_future(world.robot.maneuvers.drive_distance(1.0))
    await world.until(lambda: world.robot.odometry.pose.x > 0.05)
    world.robot.motion.drive(-0.05, 0.0)
    assert (await outcome(task)).reason is Reason.SUPERSEDED
    assert "cmd_vel took the wheels from drive_distance" in caplog.text
    await world.until(lambda: world.robot.odometry.linear_velocity < -0.04)
    assert len(world.wire.received(messages.ClearPath)) == 2


@with_robot()
async def test_a_stream_of_zeros_does_not_disturb_an_action(world):
    task = asyncio.ensure_future(world.robot.maneuvers.drive_distance(0.1))
    while not task.done():
        world.robot.motion.drive(0.0, 0.0)
        await world.pass_time(0.05)
    assert task.result() == pytest.approx(0.1, abs=0.003)


@with_robot()
async def test_animations_keep_off_the_wheels_while_they_are_driven(world):
    motion = world.robot.motion
    motion.drive(0.05, 0.0)
    motion.drive(0.0, 0.0)
    await world.pass_time(0.1)
    tracks = [m.which_tracks for m in world.wire.received(messages.DisableAnimTracks)]
    assert tracks == [AnimTrackFlag.BODY]
    tracks = [m.which_tracks for m in world.wire.received(messages.EnableAnimTracks)]
    assert tracks == [AnimTrackFlag.BODY]
    halted = []
    claim = motion.wheels.claim(Owner.ANIMATION, "a clip", lambda: halted.append(True))
    assert motion.tracks.locked == 0
    motion.drive(0.05, 0.0)
    assert halted == [True]
    assert not claim.is_held


# -- what forbids moving


@with_robot()
async def test_the_emergency_stop_ends_everything_and_latches(world):
    robot = world.robot
    tasks = [
        asyncio.ensure_future(robot.maneuvers.drive_distance(1.0)),
        asyncio.ensure_future(robot.joints.move_head(0.7, speed=0.1)),
        asyncio.ensure_future(robot.joints.move_lift(0.09, speed=0.1)),
    ]
    await world.until(lambda: robot.odometry.linear_velocity > 0.05)
    robot.motion.emergency_stop()
    for task in tasks:
        assert (await outcome(task)).reason is Reason.ESTOP
    await world.until(lambda: is_standing(world) and not act(world, lambda f: f.joints.moving))
    head = robot.state.head_angle
    for command in (
        lambda: robot.motion.drive(0.1, 0.0),
        lambda: robot.motion.claim_wheels("a test"),
        lambda: robot.joints.set_head_velocity(0.5),
    ):
        with fails(Reason.ESTOP, Refused):
            command()
    with fails(Reason.ESTOP, Refused):
        await robot.turns.turn(1.0)
    robot.motion.release_stop()
    await world.pass_time(1.0)
    assert is_standing(world)
    assert robot.state.head_angle == pytest.approx(head)
    robot.motion.drive(0.05, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.04)


@with_robot()
async def test_lifting_the_robot_stops_it_until_it_is_put_down(world):
    robot = world.robot
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.09)
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: robot.odometry.is_frozen)
    with fails(Reason.PICKED_UP, Refused):
        robot.motion.drive(0.1, 0.0)
    robot.joints.set_head_angle(0.3)
    act(world, lambda f: f.ground.put_down())
    await world.until(lambda: not robot.odometry.is_frozen)
    await world.until(lambda: is_standing(world))
    robot.motion.drive(0.1, 0.0)


@with_robot()
async def test_at_an_edge_the_robot_stops_and_may_only_back_off_or_turn(world):
    robot = world.robot
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.09)
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: robot.motion.wheels.owner is Owner.NONE)
    with fails(Reason.CLIFF, Refused):
        robot.motion.drive(0.1, 0.0)
    robot.motion.drive(0.0, 0.5)
    robot.motion.drive(-0.1, 0.0)
    await world.pass_time(0.3)
    with fails(Reason.CLIFF, Refused):
        robot.motion.drive(0.1, 0.0)
    # What drove so far must not go on when the next command is refused.
    await world.until(lambda: is_standing(world))
    robot.motion.drive(-0.1, 0.0)
    await world.pass_time(0.8)
    robot.motion.drive(0.1, 0.0)


@with_robot()
async def test_on_a_dark_floor_the_robot_drives_on_up_to_the_next_edge(world):
    """It reports the edge before still, and stops itself at no other one until it does not."""
    robot = world.robot
    await set_on_dark_floor(world)
    stops = []
    robot.on_event.connect(lambda event: stops.append(event) if event.has_stopped else None)
    task = asyncio.ensure_future(robot.maneuvers.drive_distance(1.0))
    await world.until(lambda: robot.odometry.linear_velocity > 0.05)
    act(world, lambda f: f.ground.set_edge(True))
    start = truth(world).x
    assert (await outcome(task)).reason is Reason.CLIFF
    await world.until(lambda: is_standing(world))
    assert truth(world).x - start < 0.02
    assert [event.type for event in stops] == [RobotEventType.CLIFF_DETECTED]
    with fails(Reason.CLIFF, Refused):
        robot.motion.drive(0.1, 0.0)
    act(world, lambda f: f.ground.set_floor(520))
    await drive_for(world, 0.8, -0.1, 0.0)
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.09)
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: robot.motion.wheels.owner is Owner.NONE)
    await world.until(lambda: is_standing(world))


@with_robot()
async def test_on_a_dark_floor_the_robot_may_drive_forward_once_it_has_turned_away(world):
    """It reports the edge still, which is behind it."""
    robot = world.robot
    await set_on_dark_floor(world)
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.05)
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: robot.motion.wheels.owner is Owner.NONE)
    for angle, floor in ((1.0, 0), (0.2, 520)):
        act(world, lambda f, floor=floor: f.ground.set_floor(floor))
        await robot.turns.turn(angle)
        with fails(Reason.CLIFF, Refused):
            robot.motion.drive(0.1, 0.0)
    await robot.turns.turn(0.3)
    assert robot.state.is_cliff_detected
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.05)
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: robot.motion.wheels.owner is Owner.NONE)
    await world.until(lambda: is_standing(world))
    with fails(Reason.CLIFF, Refused):
        robot.motion.drive(0.1, 0.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("speed", [0.3, 2.0])
def test_at_the_brim_of_a_dark_floor_the_robot_turns_but_does_not_drive_on(seed, speed):
    @with_robot({"seed": seed})
    async def scenario(world):
        await set_on_dark_floor(world, 450)
        turns, step = world.robot.turns, 0
        for angle in (1.5, -1.5):
            task = asyncio.ensure_future(turns.turn(angle, speed=speed))
            while not task.done():
                act(world, lambda f, s=step: f.ground.set_floor(450 if s % 3 else 380))
                await world.pass_time(0.05)
                step += 1
            assert task.result() == pytest.approx(angle, abs=0.1)
        act(world, lambda f: f.ground.set_floor(380))
        with fails(Reason.CLIFF):
            await world.robot.maneuvers.drive_distance(0.1)

    scenario()


@pytest.mark.parametrize("is_dark", [False, True])
@with_robot()
async def test_an_edge_that_a_turn_met_stops_the_way_after_it(world, is_dark):
    robot = world.robot
    if is_dark:
        await set_on_dark_floor(world)
    start = truth(world).compose(DRIVE_CENTER)
    goal = robot.odometry.pose.compose(Pose2D(0.0, 0.5, math.pi / 2))
    task = asyncio.ensure_future(robot.maneuvers.go_to_pose(goal))
    await world.until(lambda: robot.state.yaw_rate > 0.5)
    act(world, lambda f: f.ground.set_edge(True))
    assert (await outcome(task)).reason is Reason.CLIFF
    await world.until(lambda: is_standing(world))
    end = truth(world).compose(DRIVE_CENTER)
    assert math.hypot(end.x - start.x, end.y - start.y) < 0.02


@with_robot()
async def test_on_a_dark_floor_it_is_noticed_that_the_robot_is_held(world):
    await set_on_dark_floor(world)
    world.robot.motion.drive(0.0, 1.0)
    await world.until(lambda: world.robot.state.yaw_rate > 0.5)
    act(world, lambda f: f.ground.hold(True))
    await world.until(lambda: world.robot.obstacles.current)


@with_robot(stop_on_cliff=False)
async def test_edges_do_not_matter_when_the_user_says_so(world):
    robot = world.robot
    robot.motion.drive(0.1, 0.0)
    await world.until(lambda: robot.odometry.linear_velocity > 0.09)
    act(world, lambda f: f.ground.set_edge(True))
    await world.pass_time(1.0)
    assert robot.odometry.linear_velocity > 0.09
    robot.motion.drive(0.11, 0.0)


@with_robot(limits=DriveLimits(backup_limit=0.1))
async def test_reversing_is_capped_until_the_robot_drives_forward_over_the_same_ground(world):
    robot = world.robot

    async def reverse():
        for _ in range(100):
            robot.motion.drive(-0.1, 0.0)
            await world.pass_time(0.05)

    with fails(Reason.NOT_ALLOWED, Refused):
        await reverse()
    await world.until(lambda: is_standing(world))
    assert 0.07 < -truth(world).x <= 0.1
    with fails(Reason.NOT_ALLOWED, Refused):
        robot.motion.drive(-0.05, 0.0)
    await drive_for(world, 0.6, 0.1, 0.0)
    robot.motion.drive(-0.05, 0.0)
    await world.pass_time(0.3)


async def is_refused_to_reverse(world):
    """Let the robot stand, then tell it to reverse; return whether it is refused for its limit."""
    world.robot.motion.drive(0.0, 0.0)
    await world.until(lambda: is_standing(world))
    await world.pass_time(0.5)
    try:
        world.robot.motion.drive(-0.05, 0.0)
    except Refused as refusal:
        return refusal.reason is Reason.NOT_ALLOWED
    world.robot.motion.drive(0.0, 0.0)
    return False


async def stop_and_go(world):
    for _ in range(30):
        with contextlib.suppress(Refused):
            await drive_for(world, 0.1, -0.2, 0.0)


async def stall(world):
    world.robot.motion.drive(-0.1, 0.0)
    await world.pass_time(0.3)
    await world.stall(2.0, is_lost=True)
    await world.pass_time(0.2)
    assert truth(world).x < -0.15


async def lose_link(world):
    world.robot.motion.drive(-0.1, 0.0)
    await world.pass_time(0.3)
    await world.reconnect()
    await world.pass_time(0.5)


@pytest.mark.parametrize("reverse", [stop_and_go, stall, lose_link])
def test_what_the_robot_rolls_back_unwatched_counts_as_reversed(reverse):
    @with_robot(limits=DriveLimits(backup_limit=0.1))
    async def reverses(world):
        await reverse(world)
        before = truth(world).x
        assert await is_refused_to_reverse(world)
        assert reverse is not stop_and_go or before > -0.11
        # What was over the same ground is allowed again, and no more.
        await drive_for(world, 0.5, 0.1, 0.0)
        with contextlib.suppress(Refused):
            await drive_for(world, 3.0, -0.05, 0.0)
        assert truth(world).x > before - 0.01

    reverses()


@with_robot(limits=DriveLimits(backup_limit=0.1))
async def test_what_was_reversed_counts_through_a_new_session_until_the_robot_is_lifted(world):
    robot = world.robot
    await drive_for(world, 0.5, -0.1, 0.0)
    reversed_before = robot.motion.backup.reversed
    assert reversed_before == pytest.approx(-truth(world).x, abs=0.003)
    robot.localization.set_odometry(Pose2D(3.0, 2.0, 1.0))
    await world.reconnect()
    await world.pass_time(0.5)
    assert robot.motion.backup.reversed == pytest.approx(reversed_before, abs=0.001)
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: robot.state.is_off_ground)
    act(world, lambda f: f.ground.put_down(None))
    await world.until(lambda: not robot.state.is_off_ground)
    await world.pass_time(0.5)
    assert robot.motion.backup.reversed == 0.0


@with_robot(limits=DriveLimits(backup_limit=0.1))
async def test_actions_reverse_unlimited_and_pay_back_only_what_they_gain(world):
    robot = world.robot
    await drive_for(world, 0.5, -0.1, 0.0)
    before = robot.motion.backup.reversed
    for distance in (-0.15, 0.15):
        await robot.maneuvers.drive_distance(distance)
    await world.pass_time(0.5)
    assert robot.motion.backup.reversed == pytest.approx(before, abs=0.005)
    await robot.maneuvers.drive_distance(0.1)
    await world.pass_time(0.5)
    assert robot.motion.backup.reversed == 0.0


@with_robot()
async def test_a_wheel_motor_that_protects_itself_forbids_driving(world):
    robot = world.robot
    act(world, lambda f: f.core.send(messages.MotorAutoEnabled(0, False)))
    await world.until(lambda: robot.motion.protection.disabled)
    with fails(Reason.MOTOR_DISABLED, Refused):
        robot.motion.drive(0.1, 0.0)
    act(world, lambda f: f.core.send(messages.MotorAutoEnabled(0, True)))
    await world.until(lambda: not robot.motion.protection.disabled)
    robot.motion.drive(0.1, 0.0)


@with_robot()
async def test_a_dead_link_ends_what_was_driven(world):
    task = asyncio.ensure_future(world.robot.maneuvers.drive_distance(2.0))
    await world.until(lambda: world.robot.odometry.pose.x > 0.05)
    world.wire.is_cut = True
    assert (await outcome(task)).reason is Reason.LINK_LOST
