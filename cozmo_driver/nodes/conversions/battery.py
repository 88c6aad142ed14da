"""Battery."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time
from sensor_msgs.msg import BatteryState

from ...robot import Battery, Charge
from .headers import header

_STATUS = {
    Charge.DISCHARGING: BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    Charge.CHARGING: BatteryState.POWER_SUPPLY_STATUS_CHARGING,
    Charge.FULL: BatteryState.POWER_SUPPLY_STATUS_FULL,
    Charge.CHARGER_OUT_OF_SPEC: BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING,
}


def battery_message(battery: Battery, stamp: Time, frame: str) -> BatteryState:
    """Return the battery; what the robot does not measure is NaN (spec 10 §1.2)."""
    out_of_spec = battery.charge is Charge.CHARGER_OUT_OF_SPEC
    return BatteryState(
        header=header(stamp, frame),
        voltage=float(battery.voltage),
        temperature=math.nan,
        current=math.nan,
        charge=math.nan,
        capacity=math.nan,
        design_capacity=math.nan,
        percentage=float(battery.level),
        power_supply_status=_STATUS[battery.charge],
        power_supply_health=(
            BatteryState.POWER_SUPPLY_HEALTH_UNSPEC_FAILURE
            if out_of_spec
            else BatteryState.POWER_SUPPLY_HEALTH_UNKNOWN
        ),
        power_supply_technology=BatteryState.POWER_SUPPLY_TECHNOLOGY_LIPO,
        present=True,
    )
