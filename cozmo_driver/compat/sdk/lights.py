"""``cozmo.lights``: colours and lights (spec 21 §7)."""

from __future__ import annotations

import copy
from typing import Any

from ...robot import LONGEST_LIGHT, LightState
from ...robot import Color as RobotColor

_OPAQUE = 0xFF
_FOREVER_MS = round(LONGEST_LIGHT * 1000)


class Color:
    """Given as ``int_color`` 0xRRGGBBAA, or as ``rgb``, always opaque; a ``name`` alone is dark."""

    def __init__(
        self,
        int_color: int | None = None,
        rgb: tuple[int, ...] | None = None,
        name: str | None = None,
    ) -> None:
        self.name = name
        self._int_color = 0
        if int_color is not None:
            self._int_color = int_color | _OPAQUE
        elif rgb is not None:
            red, green, blue = rgb[:3]
            self._int_color = int(red) << 24 | int(green) << 16 | int(blue) << 8 | _OPAQUE

    @property
    def int_color(self) -> int:
        return self._int_color

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Color) and self.int_color == other.int_color

    def __hash__(self) -> int:
        return hash(self._int_color)

    def __repr__(self) -> str:
        return f"<Color {self.name or ''} {self.int_color:#010x}>"

    def _of_robot(self) -> RobotColor:
        value = self._int_color
        red, green, blue = ((value >> shift & 0xFF) / 255 for shift in (24, 16, 8))
        return RobotColor(red, green, blue)


green = Color(name="green", int_color=0x00FF00FF)
red = Color(name="red", int_color=0xFF0000FF)
blue = Color(name="blue", int_color=0x0000FFFF)
white = Color(name="white", int_color=0xFFFFFFFF)
off = Color(name="off", int_color=0x00000000)


class Light:
    """A light that changes between two colours; times in ms."""

    def __init__(
        self,
        on_color: Color = off,
        off_color: Color = off,
        on_period_ms: int = 250,
        off_period_ms: int = 0,
        transition_on_period_ms: int = 0,
        transition_off_period_ms: int = 0,
    ) -> None:
        self.on_color, self.off_color = on_color, off_color
        self.on_period_ms, self.off_period_ms = on_period_ms, off_period_ms
        self.transition_on_period_ms = transition_on_period_ms
        self.transition_off_period_ms = transition_off_period_ms

    @property
    def on_color(self) -> Color:
        return self._on_color

    @on_color.setter
    def on_color(self, color: Color) -> None:
        self._on_color = _checked(color)

    @property
    def off_color(self) -> Color:
        return self._off_color

    @off_color.setter
    def off_color(self, color: Color) -> None:
        self._off_color = _checked(color)

    def flash(
        self, on_period_ms: int = 250, off_period_ms: int = 250, off_color: Color = off
    ) -> Light:
        """Return a light that flashes in this one's colour."""
        light = copy.copy(self)
        light.on_period_ms, light.off_period_ms = on_period_ms, off_period_ms
        light.off_color = off_color
        return light

    def __repr__(self) -> str:
        return f"<Light on={self.on_color} off={self.off_color}>"

    def _of_robot(self) -> LightState:
        return LightState(
            self.on_color._of_robot(),
            self.off_color._of_robot(),
            *(
                min(max(0, int(ms)), _FOREVER_MS) / 1000
                for ms in (
                    self.on_period_ms,
                    self.off_period_ms,
                    self.transition_on_period_ms,
                    self.transition_off_period_ms,
                )
            ),
        )


def _checked(color: Any) -> Color:
    if not isinstance(color, Color):
        raise TypeError(f"a light takes a cozmo.lights.Color, not {color!r}")
    return color


def check_light(light: Any) -> Light:
    """Return a light. Raises ``TypeError`` for anything else."""
    if not isinstance(light, Light):
        raise TypeError(f"this takes a cozmo.lights.Light, not {light!r}")
    return light


green_light = Light(green, green)
red_light = Light(red, red)
blue_light = Light(blue, blue)
white_light = Light(white, white)
off_light = Light(off, off)
