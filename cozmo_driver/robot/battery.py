"""Battery level from voltage and charger flags; the robot reports no percentage (spec 10 §1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..protocol import RobotStatusFlag
from .data import RobotState

LOW_VOLTAGE = 3.5
"""Below this the robot should be charged, V."""
_CRITICAL_VOLTAGE = 3.4
"""Below this the robot is about to switch off, V."""
_SAG_TIME = 5.0
"""Driving lets the voltage sag: it must stay below a limit for this long, s."""
_RECOVERED = 0.05
"""How far above the limit the voltage must be to end it, V."""
_FILTER_TIME = 10.0
_FORGET_AFTER = 60.0
"""After a gap this long nobody knows whether the robot was charged meanwhile, s."""
_CURVE = (
    (3.40, 0.00),
    (3.50, 0.03),
    (3.60, 0.08),
    (3.65, 0.13),
    (3.70, 0.25),
    (3.75, 0.40),
    (3.80, 0.55),
    (3.85, 0.67),
    (3.90, 0.77),
    (3.95, 0.87),
    (4.00, 0.95),
    (4.05, 1.00),
)


class Charge(Enum):
    DISCHARGING = "discharging"
    CHARGING = "charging"
    FULL = "full"
    CHARGER_OUT_OF_SPEC = "charger out of spec"


@dataclass(frozen=True, slots=True)
class Battery:
    """Voltage as measured (on the charger that of the charger), level 0 to 1 or NaN, charge.

    ``filtered_voltage`` follows the cell's within 10 s; NaN on the charger, where a battery is
    neither low nor critical, that is about to switch the robot off.
    """

    voltage: float
    level: float
    charge: Charge
    is_on_charger: bool
    filtered_voltage: float = math.nan
    is_low: bool = False
    is_critical: bool = False


class _Limit:
    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._below_since = math.inf
        self._is_below = False

    def update(self, voltage: float, time: float) -> bool:
        """Return whether the voltage, NaN on the charger, counts as below the limit."""
        if voltage < self._limit:
            self._below_since = min(self._below_since, time)
            self._is_below |= time - self._below_since >= _SAG_TIME
        else:
            self._below_since = math.inf
            self._is_below &= voltage < self._limit + _RECOVERED
        return self._is_below


_VOLTAGES, _LEVELS = np.array(_CURVE).T


def level_at(voltage: float) -> float:
    """Return the charge level, 0 to 1, of a resting battery at this voltage."""
    return float(np.interp(voltage, _VOLTAGES, _LEVELS))


class BatteryTracker:
    """Filters the voltage; the level never rises off the charger."""

    def __init__(self) -> None:
        self._filtered = math.nan
        self._level = 1.0
        self._time = 0.0
        self._low, self._critical = _Limit(LOW_VOLTAGE), _Limit(_CRITICAL_VOLTAGE)

    def update(self, state: RobotState) -> Battery:
        on_charger = state.has(RobotStatusFlag.IS_ON_CHARGER)
        if on_charger:
            self._filtered, self._level = math.nan, 1.0
            self._low.update(math.nan, state.time)
            self._critical.update(math.nan, state.time)
            charge = _charge_on_charger(state)
            level = 1.0 if charge is Charge.FULL else math.nan
            return Battery(state.battery_voltage, level, charge, True)
        if math.isnan(self._filtered) or state.time - self._time > _FORGET_AFTER:
            self._filtered, self._level = state.battery_voltage, 1.0
        else:
            share = 1 - math.exp(-max(0.0, state.time - self._time) / _FILTER_TIME)
            self._filtered += share * (state.battery_voltage - self._filtered)
        self._time = state.time
        self._level = min(self._level, level_at(self._filtered))
        return Battery(
            state.battery_voltage,
            self._level,
            Charge.DISCHARGING,
            False,
            self._filtered,
            is_low=self._low.update(self._filtered, state.time),
            is_critical=self._critical.update(self._filtered, state.time),
        )


def _charge_on_charger(state: RobotState) -> Charge:
    if state.has(RobotStatusFlag.IS_CHARGER_OOS):
        return Charge.CHARGER_OUT_OF_SPEC
    return Charge.CHARGING if state.has(RobotStatusFlag.IS_CHARGING) else Charge.FULL
