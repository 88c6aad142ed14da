"""A robot that pushes against something: noticed, told, stopped, remembered."""

from __future__ import annotations

import asyncio
import logging
import math
from dataclasses import replace
from itertools import pairwise

import pytest

from benchmarks.pushing import Approach, Subject, alarms, latency
from cozmo_driver.emulator import Pose2D as Place
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.registry import decode_message
from cozmo_driver.robot import (
    Movement,
    Pose2D,
    PushDetector,
    Reason,
    Refused,
    RobotError,
    RobotEventType,
    Side,
    state_from_message,
)
from cozmo_driver.robot.motion.driving import GIVEN_UP
from cozmo_driver.robot.obstacles import FORGETTING, MAX_HAZARDS, HazardKind, Hazards

from ..emulator.world.worlds import ROOM
from ..emulator.world.worlds import world as make_place
from ..protocol.recordings import SESSION, recording
from .hands import act, is_standing, truth, with_robot

WALL = {"points": [[0.2, -0.8], [0.2, 0.8]], "thickness": 0.01}
FRONT = 0.1629
"""Where the origin is when the front touches the wall, m."""
at_a_wall = with_robot({"seed": 3, "world": lambda: make_place(ROOM, noise=True, walls=[WALL])})


def put(world, x: float, yaw: float = 0.0) -> None:
    """Put the robot somewhere, m and rad."""
    act(world, lambda f: f.ground.put_down(Place(1000 * x, 0.0, yaw)))


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


@pytest.mark.parametrize("speed", [30.0, 60.0, 120.0, 200.0])
@pytest.mark.parametrize(
    "way",
    [{"gap": 60.0}, {"gap": 0.0}, {"gap": 60.0, "is_backwards": True}],
    ids=["driving", "starting", "backwards"],
)
def test_a_wall_ahead_is_noticed_within_half_a_second(speed, way) -> None:
    assert all(0.0 < latency(Approach(speed, 0.0, **way), seed) < 0.5 for seed in range(3))


@pytest.mark.parametrize("angle", [15.0, 45.0])
@pytest.mark.parametrize("speed", [60.0, 200.0])
def test_so_is_a_wall_that_is_met_at_an_angle(speed, angle) -> None:
    assert all(0.0 < latency(Approach(speed, angle, 60.0), seed) < 0.5 for seed in range(3))


@pytest.mark.parametrize("name", ["room", "maze"])
def test_driving_about_freely_is_never_taken_for_it(name) -> None:
    count, way = alarms(name, 3.0, seed=7)
    assert count == 0
    assert way > 4.0


@pytest.mark.parametrize("sign", [1, -1])
def test_turning_back_slowly_after_a_stop_is_not_taken_for_it(sign) -> None:
    """The body still rocks from the stop (spec 18)."""
    for seed in range(6):
        subject = Subject(make_place(ROOM, noise=True), seed)
        noticed = []
        for speed, seconds in ((-120.0, 0.6), (0.0, 0.21), (22.0, 0.6), (0.0, 0.3)):
            subject.drive(sign * speed, sign * speed, 0.0)
            noticed += [found for _, found in subject.run(seconds) if found]
        assert not noticed


@pytest.mark.parametrize("how", ["slowly", "while docking"])
def test_driving_after_the_head_moved_is_not_taken_for_it(how) -> None:
    """The accelerometer hangs in the head: its zero is another one."""
    head_speed, flag = (0.2, 0) if how == "slowly" else (10.0, Flag.IS_PICKING_OR_PLACING)
    noticed = []
    for seed in range(4):
        subject = Subject(make_place(ROOM, noise=True), seed)
        detector = subject.detector
        for angle, speed in ((0.3, 30.0), (-0.3, -30.0)):
            subject.firmware.joints.head.move_to(angle, head_speed, 10.0, 0.0)
            subject.detector = PushDetector()
            for state, _ in subject.run(4.0):
                detector.update(replace(state, flags=state.flags | flag))
            subject.detector = detector
            for tread_speed, seconds in ((speed, 1.5), (0.0, 0.5)):
                subject.drive(tread_speed, tread_speed, 0.0)
                noticed += [found for _, found in subject.run(seconds) if found]
    assert not noticed


def test_starting_just_after_the_head_moved_is_not_taken_for_it() -> None:
    """The jolt of the start is no part of the accelerometer's zero."""
    noticed = []
    for seed in range(4):
        subject = Subject(make_place(ROOM, noise=True), seed)
        for number in range(16):
            subject.firmware.joints.head.move_to(0.1 * (-1) ** number, 10.0, 10.0, 0.0)
            speed = 25.0 * (-1) ** (number // 2)
            for tread_speed, seconds in ((0.0, 0.75 + 0.01 * number), (speed, 0.5), (0.0, 0.5)):
                subject.drive(tread_speed, tread_speed, 0.0)
                noticed += [found for _, found in subject.run(seconds) if found]
    assert not noticed


@pytest.mark.parametrize("askew", [-6.0, 6.0])
def test_rails_that_turn_a_robot_on_its_way_to_the_contacts_are_not_taken_for_it(askew) -> None:
    for seed in range(3):
        place = make_place(ROOM, noise=True, charger={"x": 0.0, "y": 0.0, "yaw": 0.0})
        subject, noticed = Subject(place, seed), []
        before_lip = Place(0.0, 0.0, math.radians(180.0 + askew)).then(Place(85.0))
        subject.firmware.ground.put_down(before_lip)
        noticed += [found for _, found in subject.run(1.5) if found]
        subject.drive(-30.0, -30.0, 0.0)
        while not subject.firmware.battery.on_charger:
            noticed += [found for _, found in subject.run(0.03) if found]
            assert subject.time < 10.0
        assert not noticed


def test_a_real_robot_that_moves_its_head_is_not_taken_for_it() -> None:
    detector, states = PushDetector(), 0
    for _, to_robot, data in recording(SESSION):
        start = data.find(b"\xf0") if not to_robot else -1
        if start < 0 or len(data) < start + 92:
            continue
        message = decode_message(data[start : start + 92])
        if isinstance(message, messages.RobotState) and message.timestamp < 1e6:
            now = message.timestamp / 1000.0
            assert detector.update(state_from_message(message, now, now)) is None
            states += 1
    assert states > 10


# -- what follows from it


@at_a_wall
async def test_cmd_vel_against_a_wall_stops_and_may_turn_and_drive_back(world, caplog) -> None:
    robot, events = world.robot, []
    robot.on_event.connect(events.append)
    put(world, 0.10)
    await world.until(lambda: robot.status and robot.state.off_treads.name == "ON_TREADS")
    await world.pass_time(1.5)
    events.clear()
    with caplog.at_level(logging.WARNING):
        refused = await drive(world, 0.1, 0.0, 6.0)
    [event] = pushes(events)
    assert (event.movement, event.side) == (Movement.BLOCKED, Side.FRONT)
    assert event.has_stopped
    assert event.duration < 0.5
    assert set(refused) == {Reason.BLOCKED}
    assert len(refused) > 90
    assert is_standing(world)
    assert "in front of the robot" in caplog.text
    # What it pushed before that was noticed is all that the odometry errs by.
    assert truth(world).x == pytest.approx(FRONT, abs=0.003)
    assert (await drive(world, 0.0, 1.0, 0.2)) == []
    assert (await drive(world, -0.05, 0.0, 1.0)) == []
    assert (await drive(world, 0.03, 0.0, 0.5)) == []
    assert truth(world).x < FRONT - 0.02


@at_a_wall
async def test_the_odometry_stands_while_it_pushes_and_never_jumps(world) -> None:
    robot = world.robot
    robot.bump.enable(False)
    put(world, 0.10)
    await world.pass_time(2.0)
    xs, scales = [], []
    robot.on_odometry.connect(lambda o: (xs.append(o.pose.x), scales.append(o.covariance_scale)))
    start = robot.localization.pose.x
    await drive(world, 0.1, 0.0, 3.0)
    assert robot.bump.pushing is not None
    assert max(scales) == robot.odometry_tracker.uncertainty.inflation
    assert robot.localization.pose.x - start == pytest.approx(FRONT - 0.10, abs=0.025)
    await drive(world, 0.0, 0.0, 0.3)
    at_wall = robot.localization.pose.x
    await drive(world, -0.1, 0.0, 0.6)
    assert robot.bump.pushing is None
    assert robot.localization.pose.x < at_wall - 0.04
    assert max(abs(b - a) for a, b in pairwise(xs)) < 0.006


@at_a_wall
async def test_nobody_who_gave_up_is_refused_for_long(world) -> None:
    put(world, 0.10)
    await world.pass_time(2.0)
    assert Reason.BLOCKED in await drive(world, 0.1, 0.0, 1.5)
    await world.pass_time(GIVEN_UP + 0.2)
    world.robot.motion.drive(0.05, 0.0)


@pytest.mark.parametrize("what", ["drive_distance", "go_to_pose"])
def test_an_action_ends_blocked_and_the_treads_stand(what) -> None:
    @at_a_wall
    async def scenario(world) -> None:
        put(world, 0.10)
        await world.pass_time(2.0)
        goal = Pose2D(0.3) if what == "go_to_pose" else 0.3
        options = {"is_relative": True} if what == "go_to_pose" else {}
        with pytest.raises(RobotError) as caught:
            await getattr(world.robot.maneuvers, what)(goal, speed=0.06, **options)
        assert caught.value.reason is Reason.BLOCKED
        await world.pass_time(0.5)
        assert is_standing(world)

    scenario()


@at_a_wall
async def test_treads_that_are_held_are_a_stall(world) -> None:
    robot, events = world.robot, []
    await world.pass_time(0.5)
    robot.on_event.connect(events.append)
    act(world, lambda f: (f.wheels.left.switch(False), f.wheels.right.switch(False)))
    refused = await drive(world, 0.06, 0.0, 1.0)
    [event] = pushes(events)
    assert (event.movement, event.side) == (Movement.TREADS_HELD, Side.FRONT)
    assert event.duration == pytest.approx(0.42, abs=0.05)
    assert Reason.BLOCKED in refused
    assert [h.kind for h in robot.hazards.current] == [HazardKind.STALL]


@at_a_wall
async def test_a_command_that_the_robot_does_not_get_is_no_stall(world) -> None:
    robot, events = world.robot, []
    await world.pass_time(0.5)
    robot.on_event.connect(events.append)
    sendto = world.wire.sendto
    world.wire.sendto = lambda datagram, address: None
    await drive(world, 0.06, 0.0, 1.0)
    world.wire.sendto = sendto
    assert not pushes(events)
    assert not robot.hazards.current


# -- remembering


@at_a_wall
async def test_where_it_was_is_remembered_until_it_is_carried_away(world) -> None:
    robot = world.robot
    put(world, 0.10)
    await world.pass_time(2.0)
    await drive(world, 0.1, 0.0, 2.0)
    [hazard] = robot.hazards.current
    assert hazard.kind is HazardKind.BUMP
    here = robot.localization.pose
    x, y = hazard.middle
    assert math.hypot(x - here.x, y - here.y) == pytest.approx(0.058, abs=0.005)
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
