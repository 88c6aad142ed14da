from __future__ import annotations

import itertools
import math
import random

import pytest

from cozmo_driver.robot import DeviceClock
from cozmo_driver.robot.states import SLEW_RATE

PERIOD = 0.03


def arrivals(count, *, offset=100.0, drift=0.0, jitter=0.02, seed=1):
    """Yield robot stamps and their arrivals: offset, drift of the robot's clock, random delay."""
    rng = random.Random(seed)
    last = 0.0
    for i in range(count):
        stamp = i * PERIOD
        received = max(last, offset + stamp * (1 + drift) + 0.005 + rng.random() * jitter)
        last = received
        yield stamp, received


def test_stamps_grow_and_never_lie_in_the_future():
    clock = DeviceClock()
    last = float("-inf")
    for stamp, received in arrivals(5000, drift=1e-4, jitter=0.08):
        time = clock.update(stamp, received)
        assert last < time <= received
        last = time


def test_the_jitter_of_the_way_disappears():
    clock = DeviceClock()
    times = [clock.update(*pair) for pair in arrivals(2000)]
    steps = [b - a for a, b in itertools.pairwise(times[500:])]
    assert min(steps) > PERIOD - 0.001
    assert max(steps) < PERIOD + 0.001


HOURS, SETTLED = 3, 120.0


@pytest.mark.parametrize("drift", [3e-3, -3e-3, 3e-4])
def test_stamps_of_a_robot_clock_that_drifts_stay_true_for_hours(drift):
    clock, worst = DeviceClock(), 0.0
    for stamp, received in arrivals(round(HOURS * 3600 / PERIOD), drift=drift):
        off = clock.update(stamp, received) - (100.0 + stamp * (1 + drift))
        if stamp > SETTLED:
            worst = max(worst, abs(off - 0.005))
    assert worst < 0.003
    assert clock.to_robot(clock.to_host(stamp + 0.5)) == pytest.approx(stamp + 0.5)


def test_a_network_that_is_slower_from_now_on_is_no_drift():
    clock = DeviceClock()
    for stamp, received in arrivals(20_000):
        time = clock.update(stamp, received + (0.2 if stamp > 300.0 else 0.0))
        assert math.isnan(clock.drift) or abs(clock.drift) < 1e-4
    assert time - (100.0 + stamp) == pytest.approx(0.205, abs=0.002)


def test_a_jump_of_the_delay_is_slewed_in():
    clock = DeviceClock()
    for stamp, received in arrivals(1000, jitter=0.0):
        clock.update(stamp, received)
    before = clock.offset
    for i in range(1000, 2000):
        clock.update(i * PERIOD, 100.0 + i * PERIOD + 0.205)
    elapsed = 1000 * PERIOD
    assert 0 < clock.offset - before <= SLEW_RATE * elapsed + 1e-9
    assert clock.skew == pytest.approx(0.2 - (clock.offset - before), abs=1e-6)


def test_a_reset_forgets_the_offset_but_stamps_still_grow():
    clock = DeviceClock()
    first = clock.update(50.0, 200.0)
    clock.reset()
    second = clock.update(0.0, 200.03)
    assert first < second <= 200.03
    assert clock.to_host(1.0) == pytest.approx(201.03)


@pytest.mark.parametrize("drift", [0.0, 2e-4, -5e-5])
def test_the_drift_of_the_robots_clock_is_measured(drift):
    clock = DeviceClock()
    for index, (stamp, received) in enumerate(arrivals(5000, drift=drift)):
        clock.update(stamp, received)
        if index == 300:
            assert math.isnan(clock.drift)
    assert clock.drift == pytest.approx(drift, abs=2e-5)
