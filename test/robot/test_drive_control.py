"""The pure parts of driving: speeds, their regulation, watchdog, backup limit, ownership."""

from __future__ import annotations

import asyncio
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import (
    Actuator,
    CommandTimer,
    DriveLimits,
    Owner,
    Pose2D,
    Reason,
    RobotError,
)
from cozmo_driver.robot.motion.driving import BackupLimit, limited_speeds, tread_speeds
from cozmo_driver.robot.motion.regulator import LIMIT, SpeedRegulator

from .hands import constants, fails
from .states import state
from .virtual import VirtualLoop

PERIOD = 0.03
LIMITS = DriveLimits()


def settle(angular, slip, seconds=10.0):
    """Turn a robot that turns ``slip`` times as fast as it is told; return its rate at the end."""
    regulator, last, rate = SpeedRegulator(), state(time=0.0), 0.0
    regulator.reset(0.0)
    for step in range(1, round(seconds / PERIOD) + 1):
        _, corrected = regulator.corrected(0.0, angular, LIMITS)
        rate += (corrected * slip - rate) * 0.3
        time, pose = step * PERIOD, last.pose.compose(Pose2D(yaw=rate * PERIOD))
        new = state(time=time, robot_time=time, pose=pose)
        regulator.update((0.0, angular), last, new, LIMITS)
        last = new
    return rate


@pytest.mark.parametrize("slip", [0.75, 1.0, 1.3])
@pytest.mark.parametrize("commanded", [0.1, 1.0, -2.0])
def test_the_turn_rate_settles_at_the_commanded_one(slip, commanded):
    assert settle(commanded, slip) == pytest.approx(commanded, rel=0.01)


@given(st.floats(-0.2, 0.2), st.floats(-5, 5), st.floats(-1, 1), st.floats(-3, 3))
def test_the_correction_never_exceeds_its_limit(linear, angular, way, turn):
    regulator, last = SpeedRegulator(), state()
    regulator.reset(0.0)
    for step in range(1, 50):
        time, pose = step * PERIOD, last.pose.compose(Pose2D(way, 0.0, turn))
        new = state(time=time, robot_time=time, pose=pose)
        regulator.update((linear, angular), last, new, LIMITS)
        last = new
        for command in ((linear, angular), (-linear / 9, 0.0), (0.0, -angular / 9)):
            speeds = limited_speeds(*command, LIMITS)
            for sent, asked in zip(regulator.corrected(*speeds, LIMITS), speeds, strict=True):
                assert abs(sent - asked) <= LIMIT * abs(asked) + 1e-9


def test_a_new_coordinate_system_and_a_gap_are_no_way():
    regulator, first = SpeedRegulator(), state()
    regulator.reset(0.0)
    for change in ({"origin_id": 7}, {"frame_id": 1}, {"robot_time": 2.0}):
        new = {"time": PERIOD, "robot_time": PERIOD, "pose": Pose2D(1.0, 2.0, 3.0)}
        far = state(**new | change)
        regulator.update((0.1, 1.0), first, far, LIMITS)
        assert regulator.corrected(0.1, 1.0, LIMITS) == (0.1, 1.0)


def test_a_little_forward_does_not_let_the_robot_creep_back():
    limit, x = BackupLimit(lambda: 0.1), 0.0

    def drive(speed):
        nonlocal x
        x += speed * PERIOD
        speeds = {"left_wheel_speed": speed, "right_wheel_speed": speed}
        limit.update(state(pose=Pose2D(x), **speeds), Owner.TOPIC)

    while not limit.is_exhausted:
        drive(-0.1)
    drive(0.1)
    assert limit.is_exhausted
    for _ in range(4):
        drive(0.1)
    assert not limit.is_exhausted


@pytest.mark.parametrize("is_free_meanwhile", [False, True])
def test_a_higher_limit_lets_the_robot_go_on_reversing_up_to_it(is_free_meanwhile):
    bound, x = 0.1, 0.0
    limit = BackupLimit(lambda: bound)

    def reverse_to(end):
        nonlocal x
        while x > end and not limit.is_exhausted:
            x -= 0.003
            speeds = {"left_wheel_speed": -0.1, "right_wheel_speed": -0.1}
            limit.update(state(pose=Pose2D(x), **speeds), Owner.TOPIC)

    reverse_to(-1.0)
    if is_free_meanwhile:
        bound = 0.0
        reverse_to(-0.15)
    bound = 0.3
    assert not limit.is_exhausted
    reverse_to(-1.0)
    assert -0.3 < x < -0.27
    bound = 0.2
    assert limit.is_exhausted


def test_a_turn_in_which_the_link_was_lost_is_no_reversing():
    """Treads that turn the robot in place jitter; nobody knows for how long the link was gone."""
    limit, treads = (
        BackupLimit(lambda: 0.1),
        {"left_wheel_speed": -0.051, "right_wheel_speed": 0.049},
    )
    limit.update(state(**treads), Owner.TOPIC)
    limit.update(state(time=PERIOD, pose=Pose2D(-3e-5), **treads), Owner.TOPIC)
    limit.update(state(time=300.0, origin_id=2), Owner.NONE)
    assert not limit.is_exhausted
    assert limit.reversed < 0.01


def test_the_newer_claim_wins_and_the_older_one_halts_and_fails():
    async def scenario():
        wheels = Actuator("wheels")
        owners, halted = [], []
        wheels.on_owner.connect(owners.append)
        first = wheels.claim(Owner.ACTION, "first", lambda: halted.append("first"))
        waiting = asyncio.ensure_future(first.next_state())
        await asyncio.sleep(0)
        second = wheels.claim(Owner.ACTION, "second", lambda: halted.append("second"))
        with fails(Reason.SUPERSEDED):
            await waiting
        with pytest.raises(RobotError):
            await first.next_state()
        wheels.release(first)
        assert second.is_held
        with pytest.raises(ZeroDivisionError), second:
            raise ZeroDivisionError
        assert halted == ["first", "second"]
        assert owners == [Owner.ACTION, Owner.NONE]

    asyncio.run(scenario())


def test_a_claim_that_ends_well_does_not_halt():
    async def scenario():
        halted = []
        wheels = Actuator("wheels")
        with wheels.claim(Owner.ACTION, "a test", lambda: halted.append(True)) as claim:
            waiting = asyncio.ensure_future(claim.next_state())
            await asyncio.sleep(0)
            wheels.update(state(path_segment=3))
            assert (await waiting).path_segment == 3
        assert not halted
        assert wheels.owner is Owner.NONE

    asyncio.run(scenario())


def test_a_cancelled_claim_halts_even_when_a_state_has_just_come():
    async def scenario():
        halted = []
        wheels = Actuator("wheels")

        async def drive():
            with wheels.claim(Owner.ACTION, "a test", lambda: halted.append(True)) as claim:
                while True:
                    await claim.next_state()

        task = asyncio.ensure_future(drive())
        await asyncio.sleep(0)
        wheels.update(state())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert halted == [True]

    asyncio.run(scenario())


def test_reasons_are_those_of_the_graph():
    assert {reason.name: int(reason) for reason in Reason} == constants("Reason")


def test_owners_are_those_of_the_graph():
    owners = {name: value for name, value in constants("RobotStatus").items() if "OWNER_" in name}
    assert {f"OWNER_{owner.name}": int(owner) for owner in Owner} == owners


def test_straight_drives_both_treads_alike():
    assert tread_speeds(0.05, 0.0, LIMITS) == (0.05, 0.05)


def test_a_turn_uses_the_effective_track_width():
    left, right = tread_speeds(0.0, 1.0, LIMITS)
    assert (left, right) == pytest.approx((-0.0345, 0.0345))


@given(st.floats(-3, 3), st.floats(-30, 30))
def test_no_tread_exceeds_its_limit_and_the_curve_keeps_its_radius(linear, angular):
    left, right = tread_speeds(linear, angular, LIMITS)
    assert max(abs(left), abs(right)) <= LIMITS.wheel_speed + 1e-12
    got_linear = (left + right) / 2
    got_angular = (right - left) / LIMITS.track_width
    assert abs(got_angular) <= LIMITS.yaw_rate + 1e-9
    assert got_linear * angular == pytest.approx(got_angular * linear, abs=1e-9)
    assert math.copysign(1, got_linear * linear) == 1 or abs(got_linear * linear) < 1e-12


@pytest.mark.parametrize("linear", [sys.float_info.max, 0.0, -sys.float_info.max])
@pytest.mark.parametrize("angular", [sys.float_info.max, 0.1, -sys.float_info.max])
def test_speeds_of_any_size_are_limited(linear, angular):
    left, right = tread_speeds(linear, angular, LIMITS)
    assert max(abs(left), abs(right)) <= LIMITS.wheel_speed + 1e-12
    assert abs(right - left) / LIMITS.track_width <= LIMITS.yaw_rate + 1e-9
    assert (left + right) * linear >= 0.0
    assert (right - left) * angular >= 0.0


def stops_after(*steps: tuple[str, float]) -> list[float]:
    """Return when a timer of 0.5 s expires, s; steps change it or command, then wait 0.3 s."""
    loop, stops = VirtualLoop(), []
    begin = loop.time()
    timer = CommandTimer(0.5, lambda: stops.append(loop.time() - begin))

    async def scenario() -> None:
        for what, value in steps:
            if what == "timeout":
                timer.change_timeout(value)
            else:
                timer.command(bool(value))
                await asyncio.sleep(0.3)
        await asyncio.sleep(10.0)

    try:
        loop.run_until_complete(scenario())
    finally:
        loop.close()
    return stops


def test_a_timer_calls_once_when_the_sender_falls_silent() -> None:
    assert stops_after(*[("command", 0.1)] * 10) == [pytest.approx(2.7 + 0.5)]


def test_a_timer_of_a_sender_that_stops_calls_nobody() -> None:
    assert stops_after(("command", 0.1), ("command", 0.0)) == []


def test_a_shorter_timeout_holds_for_the_command_under_way() -> None:
    steps = ("timeout", 5.0), ("command", 0.1), ("timeout", 1.5)
    assert stops_after(*steps) == [pytest.approx(1.5)]
