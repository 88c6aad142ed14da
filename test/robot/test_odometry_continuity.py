"""The odometry never steps further than the treads can drive, whatever befalls robot and link."""

from __future__ import annotations

import asyncio
import itertools
import math
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cozmo_driver.emulator import Pose2D as EmulatorPose
from cozmo_driver.protocol import messages
from cozmo_driver.robot import DRIVE_CENTER, MAX_WHEEL_SPEED, TRACK_WIDTH, Phase, Refused

from ..protocol.strategies import REPEATABLE
from .hands import act, close, is_standing, truth, with_robot

_SLACK = 1.1
"""Of the treads' greatest speed."""
_LEAST = 0.003
"""Of a step in m and rad, which rounding and stamps may make."""


def localize_late(world, delay):
    """Let the emulated robot count as it is told ``delay`` seconds later: it works tick by tick."""
    core = world.firmware.core
    handlers = core._handlers[messages.AbsoluteLocalizationUpdate]

    def localize(message):
        for handler in handlers:
            handler(message)

    core._handlers[messages.AbsoluteLocalizationUpdate] = [
        lambda message: core.after(delay, lambda: localize(message))
    ]


async def drive(world, linear, angular):
    for _ in range(20):
        try:
            world.robot.motion.drive(linear, angular)
        except Refused:
            return
        await asyncio.sleep(0.05)


async def pick_up(world):
    act(world, lambda f: f.ground.pick_up())
    await world.pass_time(0.7)


async def put_down(world, x, angle):
    act(world, lambda f: f.ground.put_down(EmulatorPose(x, 0.0, angle)))
    await world.pass_time(0.3)


async def lose(world, seed):
    """Lose a third of all datagrams for two seconds; the link holds."""
    random = Random(seed)
    world.wire.is_lost = lambda _: random.random() < 0.3
    world.robot.motion.stop()
    await world.pass_time(2.0)
    world.wire.is_lost = lambda _: False


async def reconnect(world, seed, power, stranger, late):
    """Lose the link and have it back.

    The robot may be switched off meanwhile (``power``), be told an origin by another program
    (``stranger``), and take ``late`` seconds to do what it is told afterwards.
    """
    robot, random = world.robot, Random(seed)
    world.wire.is_cut = True
    await world.until(lambda: robot.session_state.phase is not Phase.CONNECTED)
    await world.until(lambda: not world.firmware.connected)
    if power:
        world.wire.restart()
    if stranger is not None:
        update = messages.AbsoluteLocalizationUpdate(0, 0, stranger, 900.0, -700.0, 2.0)
        act(world, lambda f: f.body._on_localization(update))
    localize_late(world, late)
    world.wire.is_lost = lambda _: random.random() < 0.4
    world.wire.is_cut = False
    await world.connected()
    world.wire.is_lost = lambda _: False
    await world.pass_time(0.5)


@pytest.mark.parametrize(("linear", "angular"), [(0.2, 0.0), (0.1, 0.5), (0.0, 0.5)])
@with_robot()
async def test_what_a_robot_drove_without_a_link_is_within_what_odometry_claims(
    world, linear, angular
):
    await drive(world, linear, angular)
    await world.reconnect()
    await world.until(lambda: world.robot.odometry.time > world.loop.time() - 1.0)
    odometry = world.robot.odometry
    here, there = (pose.compose(DRIVE_CENTER) for pose in (odometry.pose, truth(world)))
    assert not close(here, there, 0.3, 2.0)
    away = math.dist((here.x, here.y), (there.x, there.y))
    turned = math.remainder(here.yaw - there.yaw, 2 * math.pi)
    assert away**2 <= 2.0 * odometry.position_variance + _LEAST
    assert turned**2 <= 4.0 * odometry.heading_variance + _LEAST


@with_robot()
async def test_a_robot_that_stood_when_its_link_was_lost_is_as_certain_as_it_was(world):
    await drive(world, 0.1, 0.5)
    world.robot.motion.stop()
    await world.until(lambda: is_standing(world))
    await world.pass_time(1.0)
    before = world.robot.odometry
    await world.reconnect()
    await world.until(lambda: world.robot.odometry.time > before.time + 5.0)
    after = world.robot.odometry
    assert close(after.pose, before.pose)
    assert after.position_variance == pytest.approx(before.position_variance)
    assert after.heading_variance == pytest.approx(before.heading_variance)


numbers = st.integers(0, 999)
steps = st.one_of(
    st.tuples(st.just(drive), st.sampled_from([0.2, 0.1, -0.1]), st.sampled_from([0.0, 1.5, -3.0])),
    st.tuples(st.just(pick_up)),
    st.tuples(st.just(put_down), st.floats(-500, 500), st.floats(-3, 3)),
    st.tuples(st.just(lose), numbers),
    st.tuples(
        st.just(reconnect),
        numbers,
        st.booleans(),
        st.none() | st.sampled_from([1, 2, 3, 4]),
        st.sampled_from([0.0, 0.2]),
    ),
)


@example([(drive, 0.2, 1.5), (pick_up,), (put_down, 0.0, 1.0), (reconnect, 0, False, None, 0.2)])
@example([(drive, 0.2, 1.5), (reconnect, 0, False, 2, 0.2)])
@given(st.lists(steps, min_size=3, max_size=8))
@settings(REPEATABLE, max_examples=15)
def test_no_step_is_further_than_the_treads_can_drive(course):
    @with_robot()
    async def scenario(world):
        seen = []
        world.robot.on_odometry.connect(lambda o: seen.append((o.time, o.pose)))
        for action, *arguments in course:
            await action(world, *arguments)
        assert seen
        for (before, a), (after, b) in itertools.pairwise(seen):
            reach = _SLACK * MAX_WHEEL_SPEED * (after - before)
            assert math.dist((a.x, a.y), (b.x, b.y)) <= reach + _LEAST
            turn = abs(math.remainder(b.yaw - a.yaw, 2 * math.pi))
            assert turn <= 2 * reach / TRACK_WIDTH + _LEAST

    scenario()
