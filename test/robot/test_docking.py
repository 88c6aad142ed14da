"""Docking: what the driver asks the robot for, sends it, refuses, and tells about it."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.emulator.body import Pose2D as MillimeterPose
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import BlockStatus, RobotStatusFlag
from cozmo_driver.robot import (
    DockAction,
    DockingError,
    DockingFailed,
    DockingMethod,
    DockingPhase,
    Reason,
    Refused,
    RobotError,
)

from .hands import act, fails, hall, is_standing, outcome, truth, with_robot
from .virtual import Stall

_LATENCY = 0.07


with_cube = with_robot(hall(ideal=True, seed=0, cubes=[{"number": 1, "x": 0.142, "y": 0.0}]))


def cube(world, number=1):
    """Return where a cube really is, as it is kept."""
    return act(world, lambda f: f.place.world.cube(number).place)


def face(world, number=1):
    """Return a docking error of a cube's nearest face, as from a picture taken now."""

    def look(firmware):
        place = firmware.place.world.cube(number).place
        here = place.pose.seen_from(firmware.body.world_pose)
        quarter = math.pi / 2
        askew = here.angle - quarter * round(here.angle / quarter)
        seen = MillimeterPose(here.x, here.y, askew).then(MillimeterPose(-22.0))
        return seen, float(place.center[2])

    seen, height = act(world, look)
    return DockingError(world.loop.time(), seen.x / 1e3, seen.y / 1e3, height / 1e3, seen.angle)


async def stream(world, number=1, nearest=0.0):
    """Feed errors of a cube until it is nearer than ``nearest``, m."""
    while (error := face(world, number)).x > nearest:
        await asyncio.sleep(_LATENCY)
        world.robot.docking.on_error(error)


async def docked(world, action, feed=stream, **options):
    """Dock while errors are fed; return the result, or raise."""
    feeding = asyncio.ensure_future(feed(world))
    try:
        return await world.robot.docking.dock(action, **options)
    finally:
        feeding.cancel()


@with_cube
async def test_a_cube_is_picked_up_carried_and_put_down(world):
    docking, progress = world.robot.docking, []
    result = await docked(world, DockAction.PICKUP_LOW, on_progress=progress.append)
    assert (result.block, result.load) == (BlockStatus.BLOCK_PICKED_UP, True)
    assert {p.phase for p in progress} == set(DockingPhase)
    assert world.robot.state.is_carrying_cube
    assert docking.carried == 1
    assert cube(world).bottom == pytest.approx(57.5, abs=2.0)
    assert is_standing(world)
    (request,) = world.wire.received(messages.DockWithObject)
    assert request == messages.DockWithObject(0, 60.0, 200.0, 500.0, 0, False, 0, 2, True)
    assert world.wire.received(messages.CarryStateUpdate)[-1].state == 1
    with fails(Reason.NOT_ALLOWED, Refused):
        await docking.dock(DockAction.ROLL_LOW)
    put = await docking.place_on_ground()
    assert put.block is BlockStatus.BLOCK_PLACED
    await world.until(lambda: not world.robot.state.is_carrying_cube)
    assert (cube(world).bottom, docking.carried) == (0.0, 0)
    with fails(Reason.NOT_ALLOWED, Refused):
        await docking.place_on_ground()


async def failure(world, action=DockAction.PICKUP_LOW, feed=stream, **options):
    """Dock; return why it failed."""
    with pytest.raises(RobotError) as caught:
        await docked(world, action, feed, **options)
    return caught.value


@with_cube
async def test_what_is_not_seen_missed_or_too_high_is_told_apart(world):
    async def nothing(_):
        await asyncio.sleep(math.inf)

    async def high(world):
        while True:
            seen = face(world)
            world.robot.docking.on_error(DockingError(seen.time, seen.x, 0.0, 0.09, 0.0))
            await asyncio.sleep(_LATENCY)

    error = await failure(world, feed=nothing)
    assert isinstance(error, DockingFailed)
    assert error.reason is Reason.NOT_SEEN
    assert (await failure(world, feed=high)).reason is Reason.OUT_OF_REACH
    ceased = await failure(world, feed=lambda world: stream(world, nearest=0.1))
    assert ceased.reason is Reason.NOT_SEEN
    method = DockingMethod.EVEN_BLINDER
    assert (await failure(world, feed=nothing, method=method)).reason is Reason.NOT_SEEN
    assert world.robot.docking.carried == 0


@with_cube
async def test_a_lift_that_feels_nothing_has_missed(world):
    act(world, lambda f: setattr(f.docking.faults, "aside", 9.0))
    error = await failure(world, method=DockingMethod.BLIND)
    assert (error.reason, error.result.block) == (Reason.MISSED, BlockStatus.BLOCK_PICKED_UP)
    assert error.result.load is False
    await world.until(lambda: not world.robot.state.is_carrying_cube)
    assert world.robot.docking.carried == 0
    assert world.wire.received(messages.CarryStateUpdate)[-1].state == 0


@with_cube
async def test_a_lift_that_feels_nothing_after_the_docking_was_given_up_carries_nothing(world):
    act(world, lambda f: setattr(f.docking.faults, "aside", 9.0))
    docking = asyncio.ensure_future(
        docked(world, DockAction.PICKUP_LOW, method=DockingMethod.BLIND)
    )
    await world.until(lambda: world.robot.docking.carried == 1)
    docking.cancel()
    await outcome(docking)
    await world.until(lambda: world.robot.docking.carried == 0)
    await world.until(lambda: act(world, lambda f: f.docking.carried) == 0)


def _cut(world):
    world.wire.is_cut = True


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda world: act(world, lambda f: f.handling.pick_up()), Reason.PICKED_UP),
        (lambda world: act(world, lambda f: f.ground.set_edge(True)), Reason.CLIFF),
        (_cut, Reason.LINK_LOST),
        (lambda world: world.robot.motion.emergency_stop(), Reason.ESTOP),
        (lambda world: world.robot.joints.set_lift_height(0.05), Reason.SUPERSEDED),
    ],
    ids=["lifted", "edge", "link", "emergency stop", "lift taken"],
)
@with_cube
async def test_what_comes_between_ends_it_within_two_seconds(world, happens, reason):
    docking = asyncio.ensure_future(docked(world, DockAction.PICKUP_LOW))
    await world.until(lambda: truth(world).x > 0.02)
    start = world.loop.time()
    happens(world)
    assert (await outcome(docking)).reason is reason
    assert world.loop.time() - start < 2.0
    await world.until(lambda: is_standing(world))


@pytest.mark.parametrize("where", [-1.0, 0.02, 0.1], ids=["preparing", "approaching", "lifting"])
@with_cube
async def test_cancelling_leaves_a_robot_that_stands(world, where):
    docking = asyncio.ensure_future(docked(world, DockAction.PICKUP_LOW))
    await world.until(lambda: truth(world).x > where and act(world, lambda f: f.docking.is_busy))
    docking.cancel()
    assert isinstance(await outcome(docking), asyncio.CancelledError)
    await world.until(lambda: is_standing(world))
    stopped = truth(world).x
    await world.until(lambda: not act(world, lambda f: f.docking.is_busy))
    await world.pass_time(0.5)
    assert truth(world).x == pytest.approx(stopped, abs=0.015)
    assert is_standing(world)
    # What it carries is told as it is.
    held = act(world, lambda f: f.place.fork.cube is not None and f.docking.carried == 1)
    assert (
        bool(world.robot.docking.carried) is bool(act(world, lambda f: f.docking.carried)) is held
    )


@with_cube
async def test_a_request_that_arrives_with_its_cancelling_moves_nothing(world):
    world.wire.wifi = Stall(world.loop.time() + 0.5, both_ways=False)
    docking = asyncio.ensure_future(docked(world, DockAction.PICKUP_LOW))
    await world.pass_time(0.1)
    docking.cancel()
    await outcome(docking)
    await world.until(lambda: act(world, lambda f: f.docking.is_busy))
    await world.until(lambda: not act(world, lambda f: f.docking.is_busy))
    await world.pass_time(0.5)
    assert len(world.wire.received(messages.AbortDocking)) > 1
    assert math.hypot(truth(world).x, truth(world).y) < 0.015
    assert is_standing(world)


@with_cube
async def test_a_robot_that_is_to_lie_on_its_back_has_succeeded(world):
    result = await docked(world, DockAction.POP_A_WHEELIE)
    assert result.block is BlockStatus.NO_BLOCK
    assert act(world, lambda f: f.body.pitch) > 1.2


@with_cube
async def test_a_cube_is_lost_with_the_link_and_when_the_robot_lies(world):
    await docked(world, DockAction.PICKUP_LOW)
    act(world, lambda f: f.handling.put(f.handling.posture.BACK))
    await world.until(lambda: world.robot.docking.carried == 0)
    assert world.wire.received(messages.CarryStateUpdate)[-1].state == 0
    act(world, lambda f: f.handling.put_down(MillimeterPose(0.0, 200.0)))
    world.robot.docking.carried = 1
    await world.reconnect()
    assert world.robot.docking.carried == 0


@with_cube
async def test_a_result_that_comes_just_after_a_gap_in_the_states_counts(world):
    session, loop, gap_at = world.robot.session, world.loop, math.inf
    dispatch = session._dispatch

    def stalled(message, now):
        nonlocal gap_at
        if isinstance(message, messages.PickAndPlaceResult):
            loop.call_at(now + 0.7, lambda: dispatch(message, loop.time()))
            return
        if isinstance(message, messages.RobotState):
            is_busy = message.status & RobotStatusFlag.IS_PICKING_OR_PLACING
            if gap_at == math.inf and world.robot.state.is_docking and not is_busy:
                gap_at = now
            if 0.0 <= now - gap_at < 0.6:
                return
        dispatch(message, now)

    session._dispatch = stalled
    assert (await docked(world, DockAction.ALIGN)).block is BlockStatus.NO_BLOCK


@with_cube
async def test_pictures_of_a_turning_or_long_past_robot_are_left_out(world):
    docking = asyncio.ensure_future(world.robot.docking.dock(DockAction.ALIGN))
    await world.until(lambda: world.robot.state.is_docking)
    now = world.loop.time()
    world.robot.docking.on_error(DockingError(now - 1.0, 0.1, 0.0, 0.02, 0.0))
    act(world, lambda f: f.wheels.drive(-40.0, 40.0, 0.0, 0.0))
    await world.until(lambda: abs(world.robot.state.yaw_rate) > 0.5)
    world.robot.docking.on_error(DockingError(world.loop.time(), 0.1, 0.0, 0.02, 0.0))
    with pytest.raises(ValueError, match="finite"):
        world.robot.docking.on_error(DockingError(now, math.nan, 0.0, 0.02, 0.0))
    assert (world.robot.docking.errors_sent, world.robot.docking.errors_skipped) == (0, 2)
    assert not world.wire.received(messages.DockingErrorSignal)
    docking.cancel()
    await outcome(docking)
