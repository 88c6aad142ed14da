"""The battery and the charger's contacts (spec 10 §1.2, §9)."""

from __future__ import annotations

import math

from .body import Body, Pose2D
from .core import Core
from .hardware import (
    CHARGE,
    DRAIN,
    EMPTY,
    FULL,
    LOAD_DROP,
    VOLTAGE_DIPS,
    VOLTAGE_STEP,
    VOLTAGE_UNIT,
    Hardware,
)
from .joints import Joints
from .options import EmulatorOptions

_CONTACT = 6.0
_CONTACT_ANGLE = 0.1
"""mm and rad that a docked robot may stand beside its place (spec 13 §6)."""


class Battery:
    """One cell; it drains with time, sags while motors turn, and charges on a charger."""

    def __init__(
        self, core: Core, body: Body, joints: Joints, options: EmulatorOptions, hardware: Hardware
    ) -> None:
        self._core, self._body, self._joints, self._hardware = core, body, joints, hardware
        self._random = core.random("battery")
        self._since = core.now
        self._charge = options.battery_voltage
        self._was_charging = options.on_charger
        self._dock = body.world_pose if options.on_charger else None
        """Where the robot stands on the charger's contacts."""
        self._is_fixed = False
        """Whether the charger has its place in the world, or was put under the robot by hand."""

    def fix_charger(self, dock: Pose2D) -> None:
        self._dock, self._is_fixed = dock, True

    @property
    def on_charger(self) -> bool:
        """Whether the charger's contacts touch.

        One that was put under the robot by hand is lost when the robot leaves it.
        """
        touches = False
        if self._dock is not None:
            off = self._body.world_pose.seen_from(self._dock)
            touches = math.hypot(off.x, off.y) <= _CONTACT and abs(off.angle) <= _CONTACT_ANGLE
        if self._is_fixed:
            touches = touches and not self._body.is_lifted
        elif not touches:
            self._dock = None
        if touches != self._was_charging:
            self._settle()
            self._was_charging = touches
        return touches

    @property
    def is_charging(self) -> bool:
        return self.on_charger and self.open_voltage < FULL

    def put_on_charger(self, on: bool) -> None:
        """Set the robot on a charger where it stands, or take the charger away."""
        self._dock, self._is_fixed = self._body.world_pose if on else None, False

    def set_charge(self, voltage: float) -> None:
        self._settle()
        self._charge = min(max(voltage, EMPTY), FULL)

    @property
    def voltage(self) -> float:
        """Voltage as the robot measures it, in steps of the converter."""
        random, noise = self._random, self._core.noise
        is_dip = random.random() < VOLTAGE_DIPS * noise
        if self.on_charger:
            volts = self._hardware.charger_dips if is_dip else self._hardware.charger_volts
            return random.choice(volts) if noise else volts[0]
        is_loaded = self._body.wheels.moving or self._joints.moving
        exact = self.open_voltage - LOAD_DROP * is_loaded
        if is_dip:
            exact -= VOLTAGE_STEP * random.randint(1, 3)
        value = round(exact / VOLTAGE_STEP) * VOLTAGE_STEP
        return round(round(value / VOLTAGE_UNIT) * VOLTAGE_UNIT, 3)

    @property
    def open_voltage(self) -> float:
        """Voltage of the cell at rest, off the charger."""
        rate = CHARGE if self._was_charging else -DRAIN
        return min(max(self._charge + rate * (self._core.now - self._since), EMPTY), FULL)

    def _settle(self) -> None:
        self._charge, self._since = self.open_voltage, self._core.now
