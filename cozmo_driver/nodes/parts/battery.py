"""``battery_state``."""

from __future__ import annotations

import math

from sensor_msgs.msg import BatteryState

from ...robot import Battery
from ..context import Context
from ..conversions.robot import battery_message
from ..qos import SENSOR

_PERIOD = 1.0


class BatteryPart:
    """Publishes the battery once a second, and at once when the charger does something else."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's battery."""
        self._context = context
        self._publisher = context.node.create_publisher(BatteryState, "battery_state", SENSOR)
        self._frame = context.frame("base_frame")
        self._due = -math.inf
        self._charge: object = None
        context.robot.on_battery.connect(self._take)

    def _take(self, battery: Battery) -> None:
        state = self._context.robot.state
        if state is None or (state.time < self._due and battery.charge is self._charge):
            return
        self._due, self._charge = state.time + _PERIOD, battery.charge
        stamp = self._context.stamp(state.time)
        self._publisher.publish(battery_message(battery, stamp, self._frame))
