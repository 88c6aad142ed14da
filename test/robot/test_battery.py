from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol.enums import RobotStatusFlag
from cozmo_driver.robot import Charge, RobotEventType
from cozmo_driver.robot.battery import BatteryTracker, level_at
from cozmo_driver.robot.event_collector import battery_events

from .states import state

ON_CHARGER = int(RobotStatusFlag.IS_ON_CHARGER)
CHARGING = ON_CHARGER | int(RobotStatusFlag.IS_CHARGING)


@pytest.mark.parametrize(
    ("voltage", "level"),
    [(3.0, 0.0), (3.4, 0.0), (3.5, 0.03), (3.775, 0.475), (4.05, 1.0), (4.7, 1.0)],
)
def test_the_level_follows_the_discharge_curve(voltage, level):
    assert level_at(voltage) == pytest.approx(level)


@given(st.lists(st.floats(3.2, 4.2), min_size=2, max_size=50))
def test_the_level_never_rises_off_the_charger(voltages):
    tracker = BatteryTracker()
    levels = [
        tracker.update(state(time=i * 1.0, battery_voltage=v)).level for i, v in enumerate(voltages)
    ]
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize(
    ("flags", "charge", "level"),
    [
        (CHARGING, Charge.CHARGING, math.nan),
        (ON_CHARGER, Charge.FULL, 1.0),
        (ON_CHARGER | int(RobotStatusFlag.IS_CHARGER_OOS), Charge.CHARGER_OUT_OF_SPEC, math.nan),
    ],
)
def test_the_chargers_own_voltage_says_nothing_about_the_level(flags, charge, level):
    battery = BatteryTracker().update(state(flags=flags, battery_voltage=4.6))
    assert battery.charge is charge
    assert battery.level == pytest.approx(level, nan_ok=True)
    assert battery.voltage == 4.6


def test_charging_lets_the_level_start_anew():
    tracker = BatteryTracker()
    tracker.update(state(time=0.0, battery_voltage=3.6))
    tracker.update(state(time=1.0, battery_voltage=4.6, flags=CHARGING))
    assert tracker.update(state(time=2.0, battery_voltage=4.0)).level == pytest.approx(0.95)


def test_a_robot_not_heard_of_for_a_minute_may_have_been_charged():
    tracker = BatteryTracker()
    tracker.update(state(time=0.0, battery_voltage=3.6))
    assert tracker.update(state(time=59.0, battery_voltage=4.0)).level < 0.1
    assert tracker.update(state(time=120.0, battery_voltage=4.0)).level == pytest.approx(0.95)


def watch(voltages, *, period=0.1, flags=0):
    """Return the events of a battery with these voltages, one each ``period`` s, and when."""
    tracker, before, events = BatteryTracker(), None, []
    for step, voltage in enumerate(voltages):
        battery = tracker.update(state(time=step * period, battery_voltage=voltage, flags=flags))
        events += [(event.type, step * period) for event in battery_events(before, battery)]
        before = battery
    return events


def test_a_battery_that_runs_empty_is_told_of_once_when_low_and_once_when_empty():
    voltages = [4.0 - 0.001 * step for step in range(800)]
    (low, low_at), (critical, critical_at) = watch(voltages)
    assert (low, critical) == (RobotEventType.BATTERY_LOW, RobotEventType.BATTERY_CRITICAL)
    # 3.5 V after 50 s, 3.4 V after 60 s; the filter lags by its time of 10 s.
    assert low_at == pytest.approx(65.0, abs=1.0)
    assert critical_at == pytest.approx(75.0, abs=1.0)


def test_sagging_under_load_is_no_low_battery():
    assert watch([3.6] * 100 + [3.3] * 30 + [3.6] * 100) == []


def test_a_low_battery_is_told_of_again_after_it_was_charged():
    tracker, before, events = BatteryTracker(), None, []
    for step in range(400):
        flags = CHARGING if 150 <= step < 200 else 0
        now = step * 0.1
        battery = tracker.update(state(time=now, battery_voltage=3.45, flags=flags))
        events += [event.type for event in battery_events(before, battery)]
        before = battery
    assert events == [RobotEventType.BATTERY_LOW] * 2


def test_the_chargers_voltage_raises_no_alarm():
    assert watch([3.0] * 200, flags=CHARGING) == []
