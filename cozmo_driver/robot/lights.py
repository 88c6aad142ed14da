"""Lights of cubes, backpack and head, in SI units and on the wire (spec 08 §1, §2, §4)."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from enum import Enum

from ..protocol import LightState as WireLight
from ..protocol import SendQueueFull, messages
from .battery import Battery, Charge
from .cubes.data import CubeKind
from .errors import check_range
from .session import Session

LONGEST_LIGHT = 7.65
"""Longest duration of one phase of a light, s: 255 frames of 30 ms."""
LONGEST_LIGHT_OFFSET = 980.0
"""Longest phase shift of a light, s."""
_FRAME_MS = 30
"""As the app counts, for which its patterns are made (spec 08 §1). Robots were seen to take 33.3 ms
for each (spec 14): everything lasts 11 % longer than it says."""
_ALPHA = 0x8000
_STEADY_FRAMES = 30
"""A steady light is one that is always on; with no period at all colours come out wrong
(spec 14)."""


@dataclass(frozen=True, slots=True)
class Color:
    """0 to 1 each, else ``ValueError`` is raised; alpha 0 is dark, every other one is opaque."""

    red: float = 0.0
    green: float = 0.0
    blue: float = 0.0
    alpha: float = 1.0

    def __post_init__(self) -> None:
        for name in ("red", "green", "blue", "alpha"):
            check_range(f"the {name} of a colour", getattr(self, name), 0.0, 1.0)


OFF = Color()


@dataclass(frozen=True, slots=True)
class LightState:
    """One light; it repeats on, fade out, off, fade in by itself. Durations in s, 30 ms steps.

    Without an off duration it is steadily ``on_color``, without an on duration (but with an off
    duration) steadily ``off_color``, whatever the fades (spec 08 §4). A negative ``offset``
    delays the pattern. Raises ``ValueError`` for durations that the robot cannot hold.
    """

    on_color: Color = OFF
    off_color: Color = OFF
    on_duration: float = 0.0
    off_duration: float = 0.0
    fade_in: float = 0.0
    fade_out: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name in ("on_duration", "off_duration", "fade_in", "fade_out"):
            check_range(f"the {name} of a light", getattr(self, name), 0.0, LONGEST_LIGHT, "s")
        longest = LONGEST_LIGHT_OFFSET
        check_range("the offset of a light", self.offset, -longest, longest, "s")


def steady(color: Color) -> LightState:
    return LightState(on_color=color, off_color=color)


DARK = steady(OFF)


def frames(seconds: float) -> int:
    """Return how many light frames a time in s takes, rounded up."""
    return math.ceil(round(seconds * 1000) / _FRAME_MS)


def color_word(color: Color, *, white_balance: bool = False) -> int:
    """Return the colour as the robot's 16 bits: alpha, then 5 each of red, green, blue.

    White balance takes 40 % off green and blue next to red, as cubes need it (spec 08 §4).
    """
    if color.alpha == 0.0:
        return 0
    red, green, blue = (round(part * 255) for part in (color.red, color.green, color.blue))
    if white_balance and red:
        green, blue = green * 3 // 5, blue * 3 // 5
    return _ALPHA | red >> 3 << 10 | green >> 3 << 5 | blue >> 3


def to_wire(light: LightState, *, white_balance: bool = False) -> WireLight:
    on = color_word(light.on_color, white_balance=white_balance)
    off = color_word(light.off_color, white_balance=white_balance)
    on_frames, off_frames = frames(light.on_duration), frames(light.off_duration)
    if not (on_frames and off_frames):
        shown = off if off_frames else on
        return WireLight(shown, shown, _STEADY_FRAMES, 0, 0, 0, 0)
    return WireLight(
        on,
        off,
        on_frames,
        off_frames,
        frames(light.fade_in),
        frames(light.fade_out),
        frames(light.offset),
    )


# -- cubes


CUBE_BUDGET = 49.0
"""Red + 1.4 green + 0.7 blue, 0 to 31 each, of all four lights together: with more than about 50
the cube browns out."""
_MASK = 0x1F


@dataclass(frozen=True, slots=True)
class CubeLights:
    """Four lights in order around the top; of a charger pad the first three are used.

    With a ``rotation_period`` (s, 0 for none) the pattern moves on by one light per period.
    Raises ``ValueError`` for anything but four lights and a period of 0 to 7.65 s.
    """

    lights: tuple[LightState, LightState, LightState, LightState]
    rotation_period: float = 0.0

    def __post_init__(self) -> None:
        if len(self.lights) != 4:
            raise ValueError(f"a cube has 4 lights, not {len(self.lights)}")
        check_range("the rotation period", self.rotation_period, 0.0, LONGEST_LIGHT, "s")


def uniform_lights(light: LightState, rotation_period: float = 0.0) -> CubeLights:
    """Return the lights of a cube that shows the same four times; the period in s."""
    return CubeLights((light, light, light, light), rotation_period)


def _spin(offset: float) -> LightState:
    return LightState(Color(0.0, 8 / 31, 0.0), OFF, 0.03, 0.39, 0.21, 0.06, offset)


CUBE_IDLE = uniform_lights(LightState(Color(0.0, 5 / 31, 5 / 31), OFF, 0.03, 5.01, 1.02, 1.02))
CUBE_GREETING = (
    (1.28, CubeLights((_spin(0.0), _spin(0.12), _spin(0.21), _spin(0.3)))),
    (5.1, uniform_lights(LightState(Color(0.0, 8 / 31, 0.0), OFF, 1.02, 3.0, 0.12, 1.02))),
    (0.0, CUBE_IDLE),
)
"""What a cube shows when it has connected, s each, the last one until others are set: the
official app's own patterns, within the budget."""


def cube_messages(
    slot: int, kind: CubeKind, lights: CubeLights, budget: float = CUBE_BUDGET
) -> tuple[messages.CubeID, messages.CubeLights, float]:
    """Return the two messages, to be sent in this order and together, and the brightness.

    The brightness is 1, or less where ``budget`` made all colours darker by that factor.
    """
    states = lights.lights
    if kind is CubeKind.CHARGER:
        states = (*states[:3], DARK)
    wire = [to_wire(light, white_balance=True) for light in states]
    load = sum(max(_load(light.on_color), _load(light.off_color)) for light in wire)
    brightness = min(1.0, budget / load) if load else 1.0
    dimmed = tuple(_dimmed(light, brightness) for light in wire)
    selection = messages.CubeID(slot, frames(lights.rotation_period))
    return selection, messages.CubeLights(dimmed), brightness


def _channels(word: int) -> tuple[int, int, int]:
    return word >> 10 & _MASK, word >> 5 & _MASK, word & _MASK


def _load(word: int) -> float:
    red, green, blue = _channels(word)
    return red + 1.4 * green + 0.7 * blue


def _dimmed(light: WireLight, brightness: float) -> WireLight:
    if brightness == 1.0:
        return light
    return light._replace(
        on_color=_scaled_word(light.on_color, brightness),
        off_color=_scaled_word(light.off_color, brightness),
    )


def _scaled_word(word: int, brightness: float) -> int:
    red, green, blue = (int(part * brightness) for part in _channels(word))
    return word & _ALPHA | red << 10 | green << 5 | blue


# -- backpack


@dataclass(frozen=True, slots=True)
class BackpackLights:
    """The lights from the head backwards, and the two on the sides, which show red only."""

    front: LightState = DARK
    middle: LightState = DARK
    rear: LightState = DARK
    left: LightState = DARK
    right: LightState = DARK


class ChargeDisplay(Enum):
    OFF_CHARGER = "off charger"
    CHARGING = "charging"
    CHARGED = "charged"
    BAD_CHARGER = "bad charger or empty battery"


_GREEN = Color(0.0, 0x0F / 0x1F, 0.0)
_RED = Color(1.0, 0.0, 0.0)

_PATTERNS = {
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


def charge_display(battery: Battery) -> ChargeDisplay:
    if not battery.is_on_charger:
        return ChargeDisplay.BAD_CHARGER if battery.is_low else ChargeDisplay.OFF_CHARGER
    if battery.charge is Charge.CHARGER_OUT_OF_SPEC:
        return ChargeDisplay.BAD_CHARGER
    is_charging = battery.charge is Charge.CHARGING
    return ChargeDisplay.CHARGING if is_charging else ChargeDisplay.CHARGED


class Backpack:
    """Shows the user's lights, else the charging pattern; animations go over both in the robot.

    The robot reports nothing back: ``shown`` is what was sent last or is about to be sent.
    """

    def __init__(self, session: Session) -> None:
        self.display = ChargeDisplay.OFF_CHARGER
        self._requested: BackpackLights | None = None
        self._sent: BackpackLights | None = None
        self._session = session
        session.on_setup.connect(self._on_setup)

    @property
    def shown(self) -> BackpackLights:
        """The lights as they are now, where no animation covers them."""
        return _PATTERNS[self.display] if self._requested is None else self._requested

    def set(self, lights: BackpackLights) -> None:
        """Show ``lights`` until released, in later sessions too."""
        self._requested = lights
        self._update()

    def release(self) -> None:
        """Show the charging pattern again."""
        self._requested = None
        self._update()

    def on_battery(self, battery: Battery) -> None:
        self.display = charge_display(battery)
        self._update()

    def _on_setup(self, _: None) -> None:
        self._sent = None
        self._update()

    def _update(self) -> None:
        """Send the lights unless the robot has them: it repeats blinking patterns by itself.

        What a full queue refuses is sent with a later state.
        """
        lights = self.shown
        if lights == self._sent or not self._session.link.is_connected:
            return
        spine = tuple(map(to_wire, (lights.front, lights.middle, lights.rear)))
        sides = tuple(map(to_wire, (lights.left, lights.right)))
        with contextlib.suppress(SendQueueFull):
            self._session.send(messages.BackpackLightsMiddle(spine))
            self._session.send(messages.BackpackLightsTurnSignals(sides))
            self._sent = lights


# -- head light


class HeadLight:
    """Switches the infrared light beside the camera; the robot reports nothing back."""

    def __init__(self, session: Session) -> None:
        self.is_on = False
        """As set last; holds in every session."""
        self._session = session
        session.on_setup.connect(lambda _: self._send(self.is_on))

    def set(self, on: bool) -> None:
        """Switch on or off, now and in later sessions. Raises ``SendQueueFull``: it stays then."""
        if self._session.link.is_connected:
            self._send(on)
        self.is_on = on

    def _send(self, on: bool) -> None:
        self._session.send(messages.SetHeadlight(on))
