"""A robot that pushes against something: noticed, told, stopped, remembered."""

from __future__ import annotations

import asyncio
import logging
import math
from itertools import groupby

import pytest

from benchmarks.free_drives import PEER, drive_about
from benchmarks.pushing import Approach, Subject, free_driving, held_latency, latency
from cozmo_driver.emulator import Pose2D as Place
from cozmo_driver.emulator.world.layout import CHARGER_WIDTH, ROBOT_HALF_WIDTH
from cozmo_driver.protocol import messages
from cozmo_driver.robot import DRIVE_CENTER, Movement, Pose2D, Reason, Refused, RobotEventType, Side
from cozmo_driver.robot.obstacles import FORGETTING, MAX_HAZARDS, HazardKind, Hazards

from ..emulator.world.worlds import ROOM
from ..emulator.world.worlds import world as make_place
from .hands import act, fails, hall, is_standing, truth, with_robot
from .virtual import record

in_a_hall = with_robot(hall(ideal=False, seed=3))


async def drive(world, linear: float, angular: float, seconds: float) -> list[Reason]:
    """Command a speed 20 times a second; return why it was refused."""
    refused = []
    for _ in range(round(seconds / 0.05)):
        try:
            world.robot.motion.drive(linear, angular)
        except Refused as error:
            refused.append(error.reason)
        await asyncio.sleep(0.05)
    return refused


def pushes(events) -> list:
    return [event for event in events if event.type is RobotEventType.UNEXPECTED_MOVEMENT]


# -- noticing


@pytest.mark.skipif(not PEER.exists(), reason="there is no independent robot")
def test_an_independent_robot_that_shakes_three_times_as_a_real_one_is_never_stopped() -> None:
    assert asyncio.run(drive_about(3.0, count=5, seed=7)) == []


@pytest.mark.parametrize("speed", [60.0, 200.0])
def test_a_wall_that_turns_the_robot_is_noticed_within_a_second(speed) -> None:
    assert all(0.0 < latency(Approach(speed, 15.0), seed, 3.0) < 1.0 for seed in range(3))


@pytest.mark.parametrize("speeds", [(-20.0, 20.0), (200.0, -200.0), (30.0, 90.0)])
def test_a_robot_that_is_held_as_it_turns_is_noticed_within_two_seconds(speeds) -> None:
    assert all(0.0 < held_latency(*speeds, seed, 3.0, "body") < 2.0 for seed in range(3))


@pytest.mark.parametrize(("hardware", "track"), [("1.0", 69.0), ("1.5", 92.0)])
def test_a_robot_that_shakes_three_times_as_a_real_one_drives_about_freely(hardware, track) -> None:
    """Nothing is noticed by any detector, and no command refused."""
    found, way = free_driving(3.0, hardware, track, minutes=1.0, seed=7)
    assert not found
    assert way > 2.0


@pytest.mark.parametrize(
    ("linear", "angular", "wifi"),
    [(0.0, 1.5, "home"), (0.0, 3.0, ""), (0.03, 1.5, ""), (0.03, 3.0, "home")],
)
def test_commands_to_and_fro_faster_than_treads_follow_meet_nothing(linear, angular, wifi) -> None:
    """So a controller hunts for its goal's heading."""

    @with_robot(hall(ideal=False, seed=3, wifi=wifi))
    async def hunts(world) -> None:
        events = record(world.robot.on_event)
        for period in (1, 2, 3):
            for number in range(60):
                side = 1 if number // period % 2 else -1
                await drive(world, linear, side * angular, 0.05)
        assert not pushes(events)
        assert not world.robot.hazards.current

    hunts()


@pytest.mark.parametrize("askew", [-6.0, 6.0])
def test_rails_that_turn_a_robot_on_its_way_to_the_contacts_are_not_taken_for_it(askew) -> None:
    for seed in range(3):
        place = make_place(ROOM, ideal=False, charger={"x": 0.0, "y": 0.0, "yaw": 0.0})
        subject, noticed = Subject(place, seed), []
        before_lip = Place(0.0, 0.0, math.radians(180.0 + askew)).then(Place(85.0))
        subject.firmware.ground.put_down(before_lip)
        noticed += [found for _, found in subject.run(1.5) if found]
        subject.drive(-30.0, -30.0)
        while not subject.firmware.battery.on_charger:
            noticed += [found for _, found in subject.run(0.03) if found]
            assert subject.time < 10.0
        assert not noticed


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_robot_that_passes_and_turns_beside_the_charger_meets_nothing(side) -> None:
    """Goals beside it were once blocked by bumps that were none."""
    for seed in range(3):
        place = make_place(ROOM, ideal=False, charger={"x": 0.0, "y": 0.0, "yaw": 0.0})
        subject = Subject(place, seed, 3.0)
        beside = side * (CHARGER_WIDTH / 2 + ROBOT_HALF_WIDTH + 10.0)
        subject.firmware.ground.put_down(Place(-60.0, beside, 0.0))
        noticed = [found for _, found in subject.run(1.5) if found]
        # To and fro, then a turn away from it: the nearer corner stays where it is.
        for speeds in ((100.0, 100.0), (-60.0, -60.0), (-20.0 * side, 20.0 * side)):
            subject.drive(*speeds)
            noticed += [found for _, found in subject.run(1.5) if found]
        assert not noticed
        assert subject.touched_at < 0.0


# -- what follows from it


def hold_treads(world, on: bool = True) -> None:
    act(world, lambda f: (f.wheels.left.switch(not on), f.wheels.right.switch(not on)))


def speeds_sent(world) -> list[float]:
    return [m.lwheel_speed_mmps for m in world.wire.received(messages.DriveWheels)]


@in_a_hall
async def test_it_is_told_and_marked_and_nothing_is_stopped(world) -> None:
    robot = world.robot
    events = record(robot.on_event)
    await world.pass_time(0.5)
    hold_treads(world)
    world.wire.log.clear()
    assert await drive(world, 0.06, 0.0, 3.0) == []
    [event] = pushes(events)
    assert (event.movement, event.side) == (Movement.TREADS_HELD, Side.FRONT)
    assert not event.has_stopped
    assert event.duration == pytest.approx(0.42, abs=0.05)
    assert [h.kind for h in robot.hazards.current] == [HazardKind.STALL]
    assert 0.0 not in speeds_sent(world)
    assert robot.obstacles.current
    hold_treads(world, False)
    await drive(world, 0.06, 0.0, 1.5)
    assert robot.obstacles.current is None
    hold_treads(world)
    await drive(world, 0.06, 0.0, 1.0)
    assert len(pushes(events)) == 2


@in_a_hall
async def test_where_wanted_it_stops_once_and_the_next_command_drives(world, caplog) -> None:
    robot, events = world.robot, []
    robot.obstacles.enable_stop(True)
    robot.on_event.connect(events.append)
    await world.pass_time(0.5)
    hold_treads(world)
    world.wire.log.clear()
    with caplog.at_level(logging.WARNING):
        assert await drive(world, 0.06, 0.0, 3.0) == []
    [event] = pushes(events)
    assert event.has_stopped
    assert "stopped: the treads do not turn as commanded" in caplog.text
    sent = speeds_sent(world)
    assert [speed == 0.0 for speed, _ in groupby(sent)].count(True) == 1
    assert sent[-1] > 50.0
    hold_treads(world, False)
    start = truth(world).x
    assert await drive(world, 0.06, 0.0, 1.0) == []
    assert truth(world).x > start + 0.03


@in_a_hall
async def test_an_action_then_ends_blocked_and_the_treads_stand(world) -> None:
    world.robot.obstacles.enable_stop(True)
    await world.pass_time(0.5)
    act(world, lambda f: f.ground.hold(True))
    with fails(Reason.BLOCKED):
        await world.robot.maneuvers.go_to_pose(Pose2D(0.0, 0.3), speed=0.06, is_relative=True)
    await world.pass_time(0.5)
    assert is_standing(world)


@in_a_hall
async def test_a_command_that_the_robot_does_not_get_is_no_stall(world) -> None:
    """Neither the first one nor a much faster one."""
    robot = world.robot
    events = record(robot.on_event)
    for speed in (0.0, 0.01):
        await drive(world, speed, 0.0, 1.0)
        sendto = world.wire.sendto
        world.wire.sendto = lambda datagram, address: None
        await drive(world, 0.15, 0.0, 1.0)
        world.wire.sendto = sendto
    assert not pushes(events)
    assert not robot.hazards.current


# -- remembering


@in_a_hall
async def test_where_it_was_is_remembered_until_it_is_carried_away(world) -> None:
    robot = world.robot
    await world.pass_time(0.5)
    act(world, lambda f: f.ground.hold(True))
    await drive(world, 0.0, 1.5, 1.5)
    act(world, lambda f: f.ground.hold(False))
    [hazard] = robot.hazards.current
    assert hazard.kind is HazardKind.BUMP
    center = robot.localization.pose.compose(DRIVE_CENTER)
    x, y = hazard.middle
    assert math.hypot(x - center.x, y - center.y) == pytest.approx(0.078, abs=0.005)
    act(world, lambda f: f.ground.pick_up())
    await world.until(lambda: not robot.hazards.current)
    assert robot.hazards.past
    await world.pass_time(FORGETTING + 0.2)
    assert not robot.hazards.past


def test_places_age_are_bounded_and_the_same_place_is_one() -> None:
    hazards = Hazards(lifetime=10.0)
    for time in (0.0, 5.0):
        hazards.add(HazardKind.BUMP, Side.FRONT, Pose2D(1.0, 2.0, math.pi / 2), time)
    [hazard] = hazards.current
    assert hazard.middle == pytest.approx((1.0, 2.058))
    assert [x for x, _ in hazard.points] == pytest.approx([1.03, 1.02, 1.01, 1.0, 0.99, 0.98, 0.97])
    hazards.update(15.0)
    assert hazards.current
    hazards.update(15.1)
    assert (hazards.current, len(hazards.past)) == ([], 1)
    for number in range(2 * MAX_HAZARDS):
        hazards.add(HazardKind.CLIFF, Side.BACK, Pose2D(0.1 * number), 20.0)
    assert len(hazards.current) == MAX_HAZARDS
    assert hazards.current[-1].middle == pytest.approx((0.1 * (2 * MAX_HAZARDS - 1) - 0.098, 0.0))
