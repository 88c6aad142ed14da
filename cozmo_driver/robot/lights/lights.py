"""Lights in SI units and what they are on the wire (spec 08 §1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...protocol.structs import LightState as WireLight

LONGEST = 7.65
"""Longest duration of one phase of a light, s: 255 frames of 30 ms."""
LONGEST_OFFSET = 980.0
"""Longest phase shift of a light, s."""
_FRAME_MS = 30
_ALPHA = 0x8000
_STEADY_FRAMES = 30
"""A steady light is one that is always on; with no period at all colours come out wrong
(spec 14)."""


@dataclass(frozen=True, slots=True)
class Color:
    """Red, green, blue, alpha, 0 to 1 each; alpha 0 is dark, every other one is opaque.

    Raises ``ValueError`` for other numbers.
    """

    red: float = 0.0
    green: float = 0.0
    blue: float = 0.0
    alpha: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no colour."""
        for name in ("red", "green", "blue", "alpha"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"the {name} of a colour is from 0 to 1, not {value}")


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
        """Refuse what the wire cannot carry."""
        for name in ("on_duration", "off_duration", "fade_in", "fade_out"):
            value = getattr(self, name)
            if not 0.0 <= value <= LONGEST:
                raise ValueError(f"the {name} of a light is from 0 to {LONGEST} s, not {value}")
        if not abs(self.offset) <= LONGEST_OFFSET:
            raise ValueError(
                f"the offset of a light is at most {LONGEST_OFFSET} s either way, not {self.offset}"
            )


def steady(color: Color) -> LightState:
    """Return a light that always shows ``color``."""
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
    """Return the light in the robot's colours and frames."""
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
