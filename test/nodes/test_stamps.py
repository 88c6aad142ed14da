from __future__ import annotations

import time
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time

from cozmo_driver.driver.status import publish_status
from cozmo_driver.ros.context import Stamper, to_time
from cozmo_interfaces.msg import RobotStatus

from ..robot.states import state
from .conftest import Bench
from .graph import seconds
from .test_state_conversions import STANDING

EPOCH = 1_700_000_000_000_000_000


class Clocks:
    """A ROS clock (ns) and a monotonic one (s) that a test moves."""

    def __init__(self) -> None:
        self.ros, self.monotonic = EPOCH, 500.0
        self.stamper = Stamper(lambda: self.ros, lambda: self.monotonic)

    def advance(self, elapsed: float) -> None:
        self.ros += round(elapsed * 1e9)
        self.monotonic += elapsed

    def stamp(self, at: float) -> int:
        stamp = self.stamper(at)
        return stamp.sec * 10**9 + stamp.nanosec


def test_a_time_is_stamped_as_long_ago_as_it_was() -> None:
    clocks = Clocks()
    assert clocks.stamp(499.75) == EPOCH - 250_000_000


def test_equal_times_are_stamped_alike_however_late() -> None:
    clocks = Clocks()
    first = clocks.stamp(499.9)
    clocks.advance(0.003)
    clocks.ros += 12345
    assert clocks.stamp(499.9) == first


def test_stamps_rise_although_the_clocks_are_not_read_at_once() -> None:
    clocks = Clocks()
    first = clocks.stamp(500.0)
    clocks.advance(0.001)
    clocks.ros -= 5_000_000
    assert clocks.stamp(500.001) == first + 1


def test_no_stamp_lies_in_the_future() -> None:
    clocks = Clocks()
    assert clocks.stamp(507.0) == EPOCH


def test_a_clock_that_was_set_back_is_followed() -> None:
    clocks = Clocks()
    clocks.stamp(500.0)
    clocks.advance(0.03)
    clocks.ros -= 3600 * 10**9
    assert clocks.stamp(500.03) == clocks.ros


def test_before_simulated_time_runs_the_stamp_is_zero() -> None:
    clocks = Clocks()
    clocks.ros = 0
    assert clocks.stamp(499.0) == 0


def test_nanoseconds_become_seconds_and_a_rest() -> None:
    assert to_time(1_500_000_000) == Time(sec=1, nanosec=500_000_000)
    assert to_time(-5) == Time()
    assert seconds(to_time(2_250_000_000)) == 2.25


@pytest.mark.covers("status")
def test_a_status_is_stamped_by_its_own_state_and_moves_no_stamp_of_the_next(bench: Bench) -> None:
    publish_status(bench.context)
    inbox = bench.graph.listen(RobotStatus, "status")
    bench.publisher("status")
    now = time.monotonic()
    bench.robot.status = replace(STANDING, state=state(time=now - 0.5))

    def emit() -> tuple[Time, Time]:
        before = bench.context.stamp(now)
        bench.robot.on_state.emit(state(time=now))
        return before, bench.context.stamp(now)

    before, after = bench.context.in_loop(emit)
    assert after == before
    stamp = inbox.wait_for(lambda _: True).header.stamp
    assert seconds(before) - seconds(stamp) == pytest.approx(0.5, abs=0.2)
