"""The five lights on the back: what the user wants, else how charging goes (spec 08 §2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...protocol import messages
from ..battery import LOW, Battery, Charge
from ..session import Session
from ..signal import Signal
from .lights import DARK, OFF, Color, LightState, steady, to_wire

_RECOVERED = LOW + 0.05
"""An empty battery counts as such until it measures this off the charger, V; the voltage sags
while the robot drives."""


@dataclass(frozen=True, slots=True)
class BackpackLights:
    """The lights from the head backwards, and the two on the sides, which show red only."""

    front: LightState = DARK
    middle: LightState = DARK
    rear: LightState = DARK
    left: LightState = DARK
    right: LightState = DARK


class ChargeDisplay(Enum):
    """What the lights tell about charging."""

    OFF_CHARGER = "off charger"
    CHARGING = "charging"
    CHARGED = "charged"
    BAD_CHARGER = "bad charger or empty battery"


_GREEN = Color(0.0, 0x0F / 0x1F, 0.0)
_RED = Color(1.0, 0.0, 0.0)

PATTERNS = {
    ChargeDisplay.OFF_CHARGER: BackpackLights(),
    ChargeDisplay.CHARGING: BackpackLights(
        front=LightState(_GREEN, OFF, 0.3, 0.9, 0.3, 0.3, -0.87),
        middle=LightState(_GREEN, OFF, 0.9, 0.3, 0.3, 0.3, -0.27),
        rear=steady(_GREEN),
    ),
    ChargeDisplay.CHARGED: BackpackLights(steady(_GREEN), steady(_GREEN), steady(_GREEN)),
    ChargeDisplay.BAD_CHARGER: BackpackLights(rear=LightState(_RED, OFF, 0.6, 0.6, 0.3, 0.3)),
}
"""The official app's own patterns."""


def charge_display(battery: Battery, before: ChargeDisplay) -> ChargeDisplay:
    """Return what to tell about ``battery``, having told ``before``."""
    if not battery.is_on_charger:
        empty = _RECOVERED if before is ChargeDisplay.BAD_CHARGER else LOW
        is_empty = battery.voltage < empty
        return ChargeDisplay.BAD_CHARGER if is_empty else ChargeDisplay.OFF_CHARGER
    if battery.charge is Charge.CHARGER_OUT_OF_SPEC:
        return ChargeDisplay.BAD_CHARGER
    is_charging = battery.charge is Charge.CHARGING
    return ChargeDisplay.CHARGING if is_charging else ChargeDisplay.CHARGED


class Backpack:
    """Shows the user's lights, else the charging pattern; animations go over both in the robot.

    The robot tells nothing back: ``shown`` is what it was last told or is about to be told.
    """

    def __init__(self, session: Session) -> None:
        """Send through ``session``."""
        self.on_change: Signal[BackpackLights] = Signal()
        self.patterns = dict(PATTERNS)
        """What is shown for each state of charging; may be replaced."""
        self.display = ChargeDisplay.OFF_CHARGER
        self._wish: BackpackLights | None = None
        self._told: BackpackLights | None = None
        self._session = session
        session.on_setup.connect(self._start_anew)

    @property
    def is_commanded(self) -> bool:
        """Tell whether the user's lights are shown, not the charging pattern."""
        return self._wish is not None

    @property
    def shown(self) -> BackpackLights:
        """The lights as they are now, where no animation covers them."""
        return self.patterns[self.display] if self._wish is None else self._wish

    def set(self, lights: BackpackLights) -> None:
        """Show ``lights`` until told otherwise, in later sessions too. Raises ``SendQueueFull``."""
        self._wish = lights
        self._tell()

    def release(self) -> None:
        """Show the charging pattern again. Raises ``SendQueueFull``."""
        self._wish = None
        self._tell()

    def follow(self, battery: Battery) -> None:
        """Take how the battery is now."""
        self.display = charge_display(battery, self.display)
        self._tell()

    def _start_anew(self, _: None) -> None:
        self._told = None
        self._tell()

    def _tell(self) -> None:
        """Send the lights unless the robot has them: it repeats blinking patterns by itself."""
        lights = self.shown
        if lights == self._told or not self._session.link.is_connected:
            return
        spine = tuple(map(to_wire, (lights.front, lights.middle, lights.rear)))
        sides = tuple(map(to_wire, (lights.left, lights.right)))
        self._session.send(messages.BackpackLightsMiddle(spine))
        self._session.send(messages.BackpackLightsTurnSignals(sides))
        self._told = lights
        self.on_change.emit(lights)
