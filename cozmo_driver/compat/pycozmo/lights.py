"""``pycozmo.lights``: colours, and lights that are steady (spec 21 §10)."""

from __future__ import annotations

from .protocol_encoder import LightState

_OPAQUE = 0x8000


class Color:
    """Given as ``int_color`` 0xRRGGBBAA or ``rgb``."""

    def __init__(
        self,
        int_color: int | None = None,
        rgb: tuple[int, int, int] | None = None,
        name: str | None = None,
    ) -> None:
        self.name = name
        if int_color is not None:
            self.int_color = int_color | 0xFF
        elif rgb is not None:
            self.int_color = rgb[0] << 24 | rgb[1] << 16 | rgb[2] << 8 | 0xFF
        else:
            raise ValueError("a color needs int_color or rgb")

    def to_int16(self) -> int:
        """Return it as the robot's lights have it."""
        red, green, blue = (self.int_color >> shift & 0xFF for shift in (24, 16, 8))
        return _OPAQUE | red >> 3 << 10 | green >> 3 << 5 | blue >> 3

    @classmethod
    def from_int16(cls, value: int) -> Color:
        red, green, blue = ((value >> shift & 0x1F) * 255 // 31 for shift in (10, 5, 0))
        return cls(rgb=(red, green, blue))

    def __repr__(self) -> str:
        return f"<Color {self.name or ''} {self.int_color:#010x}>"


def _steady(color: Color) -> LightState:
    word = color.to_int16()
    return LightState(on_color=word, off_color=word, on_frames=30)


green = Color(name="green", int_color=0x00FF00FF)
red = Color(name="red", int_color=0xFF0000FF)
blue = Color(name="blue", int_color=0x0000FFFF)
white = Color(name="white", int_color=0xFFFFFFFF)
off = Color(name="off", int_color=0x00000000)
green_light, red_light, blue_light = _steady(green), _steady(red), _steady(blue)
white_light, off_light = _steady(white), _steady(off)
