"""The battery and the charger's contacts (spec 10 §1.2, §9)."""

from __future__ import annotations

import math

from .body import Body, Pose2D
from .core import Core
from .wheels import Wheels

CHARGER_VOLTAGE = 4.5
"""What the robot measures while it charges; says nothing about the charge."""
_DRAIN = 0.001 / 20
"""V/s."""
_DRIVE_DROP = 0.08
_EMPTY = 3.0
_CONTACT = 6.0
"""mm that the robot may be moved before it loses the charger's contacts (spec 13 §6)."""
_MEASURED = 0.012
"""V between two values of the robot's converter, as recorded."""


class Battery:
    """One cell; it drains with time and sags while the treads turn."""

    def __init__(
        self, core: Core, body: Body, wheels: Wheels, voltage: float, on_charger: bool
    ) -> None:
        """Start at ``voltage`` (off the charger)."""
        self._core = core
        self._body = body
        self._wheels = wheels
        self._since = core.now
        self._random = core.random("battery")
        self.charge_voltage = voltage
        self._charger: Pose2D | None = body.world_pose if on_charger else None

    @property
    def on_charger(self) -> bool:
        """Whether the charger's contacts touch; once lost they are found again only by hand."""
        if self._charger is None:
            return False
        here = self._body.world_pose
        if math.hypot(here.x - self._charger.x, here.y - self._charger.y) > _CONTACT:
            self._charger = None
            self._since = self._core.now
        return self._charger is not None

    def put_on_charger(self, on: bool) -> None:
        """Set the robot on a charger where it stands, or take the charger away."""
        self.charge_voltage = self.open_voltage
        self._since = self._core.now
        self._charger = self._body.world_pose if on else None

    @property
    def voltage(self) -> float:
        """Voltage as the robot measures it, in steps of the converter."""
        exact = CHARGER_VOLTAGE if self.on_charger else self.open_voltage
        if not self.on_charger and self._wheels.moving:
            exact -= _DRIVE_DROP
        return exact + _MEASURED * self._random.randrange(2)

    @property
    def open_voltage(self) -> float:
        """Voltage of the cell at rest, off the charger."""
        drained = 0.0 if self._charger else _DRAIN * (self._core.now - self._since)
        return max(self.charge_voltage - drained, _EMPTY)
