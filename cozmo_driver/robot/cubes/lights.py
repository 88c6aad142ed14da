"""The four lights of a cube, within what its battery can carry (spec 08 §4, 14)."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocol import messages
from ...protocol.structs import LightState as WireLight
from ..lights import DARK, LONGEST, OFF, Color, LightState, frames, to_wire
from .data import CubeKind

BUDGET = 49.0
"""Red + 1.4 green + 0.7 blue, 0 to 31 each, of all four lights together: with more than about 50
the cube browns out."""
_ALPHA = 0x8000
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
        """Refuse what no cube can show."""
        if len(self.lights) != 4:
            raise ValueError(f"a cube has 4 lights, not {len(self.lights)}")
        if not 0.0 <= self.rotation_period <= LONGEST:
            raise ValueError(
                f"the rotation period is from 0 to {LONGEST} s, not {self.rotation_period}"
            )


def all_alike(light: LightState, rotation_period: float = 0.0) -> CubeLights:
    """Return the lights of a cube that shows the same four times; the period in s."""
    return CubeLights((light, light, light, light), rotation_period)


def _spin(offset: float) -> LightState:
    return LightState(Color(0.0, 8 / 31, 0.0), OFF, 0.03, 0.39, 0.21, 0.06, offset)


IDLE = all_alike(LightState(Color(0.0, 5 / 31, 5 / 31), OFF, 0.03, 5.01, 1.02, 1.02))
GREETING = (
    (1.28, CubeLights((_spin(0.0), _spin(0.12), _spin(0.21), _spin(0.3)))),
    (5.1, all_alike(LightState(Color(0.0, 8 / 31, 0.0), OFF, 1.02, 3.0, 0.12, 1.02))),
    (0.0, IDLE),
)
"""What a cube shows when it has connected, s each, the last one until it is told otherwise: the
official app's own patterns, within the budget."""


def messages_for(
    slot: int, kind: CubeKind, lights: CubeLights, budget: float
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


def _parts(word: int) -> tuple[int, int, int]:
    return word >> 10 & _MASK, word >> 5 & _MASK, word & _MASK


def _load(word: int) -> float:
    red, green, blue = _parts(word)
    return red + 1.4 * green + 0.7 * blue


def _dimmed(light: WireLight, brightness: float) -> WireLight:
    if brightness == 1.0:
        return light
    return light._replace(
        on_color=_scaled(light.on_color, brightness),
        off_color=_scaled(light.off_color, brightness),
    )


def _scaled(word: int, brightness: float) -> int:
    red, green, blue = (int(part * brightness) for part in _parts(word))
    return word & _ALPHA | red << 10 | green << 5 | blue
