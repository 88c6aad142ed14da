"""One moment of a clip as a picture: the face, the robot from its side, lights, what it does."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ...media.display_codec import HEIGHT, WIDTH
from ...resources.keyframes import BodyMotion
from .moments import Color, Moment

PAGE: Color = (24, 26, 30)
TEXT: Color = (225, 228, 232)
FAINT: Color = (140, 146, 154)
SOUND: Color = (255, 196, 92)
_PANEL, _LIT, _GLOW = (6, 8, 12), (130, 225, 255), (34, 92, 120)
_BODY, _TREAD, _EDGE = (196, 198, 202), (70, 74, 80), (110, 114, 120)
_HEAD, _LIFT = (226, 228, 232), (222, 84, 74)

CELL = (WIDTH, HEIGHT + 50)
"""Pixels of a cell at scale 1."""
_SKETCH = (58, 48)
_GROUND = 44
"""Row of the ground in a sketch."""
_MM = 0.42
"""Pixels for 1 mm."""
_LIFT_PIVOT, _ARM = (-38.0, 45.0), 66.0
_NECK = (-8.0, 47.0)
_FINE = 3
"""The sketch is drawn so many times larger."""
_STOPPED = 1
"""mm/s or deg/s below which nothing is told."""


def cell(moment: Moment, scale: int = 1) -> Image.Image:
    """Return a moment; its size is ``CELL`` times ``scale``."""
    width, height = CELL[0] * scale, CELL[1] * scale
    image = Image.new("RGB", (width, height), PAGE)
    image.paste(_panel(moment, scale), (0, 0))
    top = HEIGHT * scale + scale
    image.paste(_sketch(moment, scale), (0, top))
    draw = ImageDraw.Draw(image)
    left = (_SKETCH[0] + 4) * scale
    draw.text((left, top), f"{moment.time:.2f} s", TEXT, font(10 * scale))
    _draw_lights(draw, moment.lights, left, top + 15 * scale, scale)
    if moment.motion is not None:
        draw.text((left, top + 23 * scale), _motion_text(moment.motion), TEXT, font(9 * scale))
    if moment.sound is not None:
        room = width - draw.textlength(moment.sound, font(9 * scale))
        place = max(0.0, min(left, room)), top + 35 * scale
        draw.text(place, moment.sound, SOUND, font(9 * scale))
    return image


def font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """Return Pillow's own font; older ones have it in one size."""
    try:
        return ImageFont.load_default(size)
    except TypeError:
        return ImageFont.load_default()


def _panel(moment: Moment, scale: int) -> Image.Image:
    """Return the display: every second row is lit, the other of each pair faintly."""
    pixels = np.full((HEIGHT, WIDTH, 3), _PANEL, np.uint8)
    if moment.picture is not None:
        pairs = moment.picture.reshape(HEIGHT // 2, 2, WIDTH).any(axis=1)
        pixels[np.repeat(pairs, 2, axis=0)] = _GLOW
        pixels[moment.picture] = _LIT
    size = WIDTH * scale, HEIGHT * scale
    return Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST)


def _sketch(moment: Moment, scale: int) -> Image.Image:
    """Return the robot from its right side, head and lift as they are; it looks to the right."""
    fine = scale * _FINE
    image = Image.new("RGB", (_SKETCH[0] * fine, _SKETCH[1] * fine), PAGE)
    draw = ImageDraw.Draw(image)

    def on(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        return [((29 + x * _MM) * fine, (_GROUND - y * _MM) * fine) for x, y in points]

    draw.line(on([(-70, 0), (70, 0)]), _EDGE, fine)
    draw.polygon(on([(-46, 10), (-50, 34), (-40, 50), (-18, 52), (14, 40), (22, 12)]), _BODY)
    draw.line(on([(-38, 9), (14, 9)]), _TREAD, round(18 * _MM * fine))
    for wheel in (-38, 14):
        draw.ellipse(on([(wheel - 9, 18), (wheel + 9, 0)]), _TREAD)
    head = [(-4, -14), (24, -14), (30, 4), (26, 24), (0, 26), (-10, 8)]
    draw.polygon(on(_turned(head, moment.head, _NECK)), _HEAD)
    draw.polygon(on(_turned([(22, -8), (29, 4), (26, 18), (20, 16)], moment.head, _NECK)), _PANEL)
    arm = math.asin(max(-1.0, min(1.0, (moment.lift - _LIFT_PIVOT[1]) / _ARM)))
    wrist = _LIFT_PIVOT[0] + _ARM * math.cos(arm), _LIFT_PIVOT[1] + _ARM * math.sin(arm)
    draw.line(on([_LIFT_PIVOT, wrist]), _LIFT, round(5 * _MM * fine))
    x, y = wrist
    draw.line(on([(x, y + 8), (x + 10, y + 8), (x + 10, y - 22)]), _LIFT, round(5 * _MM * fine))
    return image.resize((_SKETCH[0] * scale, _SKETCH[1] * scale), Image.Resampling.BOX)


def _turned(
    points: Sequence[tuple[float, float]], degrees: float, about: tuple[float, float]
) -> list[tuple[float, float]]:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(about[0] + x * cosine - y * sine, about[1] + x * sine + y * cosine) for x, y in points]


def _draw_lights(
    draw: ImageDraw.ImageDraw, lights: Sequence[Color], left: int, top: int, scale: int
) -> None:
    """Draw the five lights from left to right: left, front, middle, rear, right."""
    size = 5 * scale
    for index, color in enumerate(lights):
        x = left + index * (size + 4 * scale)
        draw.ellipse((x, top, x + size, top + size), color, outline=_EDGE)


def _motion_text(motion: BodyMotion) -> str:
    speed, radius = motion.limited_speed, motion.radius_mm
    if abs(speed) < _STOPPED:
        return "stop"
    if radius == 0:
        return f"{'left' if speed > 0 else 'right'} {abs(speed)}°/s"
    return f"{'ahead' if speed > 0 else 'back'} {abs(speed)} mm/s"
