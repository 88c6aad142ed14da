"""Where the driver brings robots that start late, creep up, stop late and stop short (spec 18)."""

from __future__ import annotations

import asyncio
import math

import pytest

from benchmarks.accuracy import WORKS, error_of
from cozmo_driver.emulator import treads
from cozmo_driver.protocol import messages
from cozmo_driver.robot import DriveLimits

from .hands import act, is_standing, truth, with_robot


@pytest.mark.parametrize("hardware", ["1.0", "1.5"])
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.what)
def test_the_error_is_within_its_tolerance(work, hardware):
    assert error_of(work, hardware, seed=1) <= work.tolerance


@with_robot(limits=DriveLimits(is_speed_regulated=False))
async def test_unregulated_the_treads_get_what_was_commanded_and_come_too_short(world):
    for _ in range(40):
        world.robot.motion.drive(0.05, 0.0)
        await world.pass_time(0.05)
    world.robot.motion.drive(0.0, 0.0)
    await world.pass_time(0.5)
    sent = {m.lwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)}
    assert sent == {0.0, 50.0}
    assert truth(world).x < 0.095


@pytest.mark.parametrize(("linear", "angular"), [(0.03, 0.0), (0.2, 0.0), (0.0, 2.0)])
@with_robot()
async def test_the_speed_settles_without_swinging(world, linear, angular):
    # What this floor makes of the track, by the gyro, which misses 1.3 % of a turn.
    track = act(world, lambda f: f.wheels.track)
    fastest = linear * 1000 + angular * track / 2
    for _ in range(80):
        world.robot.motion.drive(linear, angular)
        await world.pass_time(0.05)
    speeds = [m.rwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)]
    assert max(speeds) < 1.3 * fastest
    late = [m for t, m in world.wire.log if t > world.loop.time() - 1.0]
    for message in late:
        if isinstance(message, messages.DriveWheels):
            assert message.rwheel_speed_mmps == pytest.approx(fastest, rel=0.04, abs=1.0)


@pytest.mark.parametrize(
    ("linear", "angular"), [(0.01, 0.0), (-0.005, 0.0), (0.0, 0.3), (0.015, 0.3)]
)
@with_robot()
async def test_treads_start_at_speeds_at_which_they_stick(world, linear, angular):
    before = truth(world)
    for _ in range(80):
        world.robot.motion.drive(linear, angular)
        await world.pass_time(0.05)
    after, turned = truth(world), 4.0 * angular
    assert after.yaw - before.yaw == pytest.approx(turned, rel=0.1, abs=0.05)
    if not angular:
        assert after.x - before.x == pytest.approx(4.0 * linear, abs=0.004)


@with_robot(limits=DriveLimits(wheel_speed=0.015))
async def test_treads_that_stick_are_not_started_faster_than_is_allowed(world):
    for _ in range(20):
        world.robot.motion.drive(0.01, 0.0)
        await world.pass_time(0.05)
    speeds = [m.lwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)]
    assert max(speeds) == pytest.approx(15.0)


@with_robot()
async def test_a_command_that_goes_to_and_fro_starts_nothing(world):
    """As that of a controller at its goal, whose measurements are noisy."""
    for step in range(80):
        world.robot.motion.drive(0.004 if step % 6 < 3 else -0.004, 0.0)
        await world.pass_time(0.05)
    speeds = [m.lwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)]
    assert max(map(abs, speeds)) < 6.0


@with_robot()
async def test_treads_start_on_a_floor_that_holds_them_more(world, monkeypatch):
    monkeypatch.setattr(treads, "TREAD_BREAKAWAY", 45.0)
    for _ in range(80):
        world.robot.motion.drive(0.0, 0.3)
        await world.pass_time(0.05)
    assert truth(world).yaw > 0.9
    assert world.robot.obstacles.current is None


@pytest.mark.parametrize("is_regulated", [True, False])
def test_a_turn_that_speeds_up_from_what_odometry_says_begins(is_regulated):
    """Nav2's regulated pure pursuit adds 0.3 rad/s (6 rad/s^2, 20 Hz) to the measured rate."""

    @with_robot(limits=DriveLimits(is_speed_regulated=is_regulated))
    async def turn(world):
        for _ in range(30):
            rate = world.robot.odometry.angular_velocity
            world.robot.motion.drive(0.0, min(rate + 0.3, 1.5))
            await world.pass_time(0.05)
        assert (world.robot.odometry.angular_velocity > 1.2) is is_regulated

    turn()


@with_robot(stop_on_bump=False)
async def test_treads_that_were_blocked_do_not_make_up_for_it(world):
    motion = world.robot.motion
    act(world, lambda f: [tread.switch(False) for tread in (f.wheels.left, f.wheels.right)])
    for _ in range(100):
        motion.drive(0.1, 0.0)
        await world.pass_time(0.05)
    assert world.robot.odometry.pose.x == pytest.approx(0.0, abs=0.001)
    act(world, lambda f: [tread.switch(True) for tread in (f.wheels.left, f.wheels.right)])
    for _ in range(40):
        motion.drive(0.1, 0.0)
        await world.pass_time(0.05)
    motion.drive(0.0, 0.0)
    await world.pass_time(0.5)
    assert max(m.lwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)) <= 140.01
    assert 0.19 < truth(world).x < 0.225


@with_robot(stop_on_bump=False)
async def test_a_robot_that_was_lifted_begins_anew(world):
    motion = world.robot.motion
    act(world, lambda f: [tread.switch(False) for tread in (f.wheels.left, f.wheels.right)])
    for _ in range(20):
        motion.drive(0.05, 0.0)
        await world.pass_time(0.05)
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: world.robot.state.is_off_ground)
    act(world, lambda f: f.ground.put_down())
    await world.until(lambda: not world.robot.state.is_off_ground)
    world.wire.log.clear()
    motion.drive(0.05, 0.0)
    await world.pass_time(0.02)
    (first,) = world.wire.received(messages.DriveWheels)
    assert first.lwheel_speed_mmps == 50.0
    motion.drive(0.0, 0.0)
    await world.pass_time(1.0)
    assert world.wire.received(messages.DriveWheels)[-1] == messages.DriveWheels()
    assert math.isclose(world.robot.odometry.linear_velocity, 0.0, abs_tol=0.001)


@pytest.mark.parametrize(
    "stop",
    [
        lambda robot: robot.session.fail("what keeps it safe", KeyError()),
        lambda robot: robot.motion.stop(),
        lambda robot: robot.motion.emergency_stop(),
        lambda robot: asyncio.ensure_future(robot.stop()),
    ],
)
@with_robot()
async def test_nothing_is_corrected_after_a_stop(world, stop):
    world.robot.motion.drive(0.05, 0.5)
    await world.pass_time(0.3)
    stop(world.robot)
    await world.until(lambda: world.wire.received(messages.StopAllMotors))
    world.wire.log.clear()
    await world.pass_time(1.0)
    speeds = world.wire.received(messages.DriveWheels)
    assert all(not (m.lwheel_speed_mmps or m.rwheel_speed_mmps) for m in speeds)
    assert is_standing(world)
