"""Tells when the battery gets low, once each time (spec 10 §1.2)."""

from __future__ import annotations

import math

from ..battery import CRITICAL, LOW, Battery
from .events import RobotEvent
from .events import RobotEventType as Type

PATIENCE = 5.0
"""The filtered voltage must stay below the limit for this long, s: driving lets it sag."""
RECOVERED = 0.05
"""An alarm may come again when the voltage was this far above its limit, V."""


class _Alarm:
    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._below_since = math.inf
        self._is_told = False

    def update(self, voltage: float, time: float) -> bool:
        """Take the voltage in V, NaN on the charger; return whether to raise the alarm."""
        if math.isnan(voltage) or voltage >= self._limit + RECOVERED:
            self._is_told = False
        # Also for NaN.
        if not voltage < self._limit:
            self._below_since = math.inf
            return False
        self._below_since = min(self._below_since, time)
        if self._is_told or time - self._below_since < PATIENCE:
            return False
        self._is_told = True
        return True


class BatteryAlarm:
    """Watches the filtered voltage off the charger."""

    def __init__(self) -> None:
        """Start with a battery of which nothing is known."""
        self._low, self._critical = _Alarm(LOW), _Alarm(CRITICAL)

    def update(self, battery: Battery, time: float) -> list[RobotEvent]:
        """Take the battery at a time in s; return what is to be told, without the posture."""
        voltage = battery.filtered_voltage
        events = []
        if self._low.update(voltage, time):
            text = f"the battery is low ({voltage:.2f} V): put the robot on its charger"
            events.append(RobotEvent(Type.BATTERY_LOW, text, time=time))
        if self._critical.update(voltage, time):
            text = f"the battery is empty ({voltage:.2f} V): the robot is about to switch off"
            events.append(RobotEvent(Type.BATTERY_CRITICAL, text, time=time))
        return events
