"""What a light shows at a time; robot and cubes run the patterns by themselves (spec 08 §1, §4)."""

from __future__ import annotations

from ..protocol.structs import LightState

FRAME = 0.030
"""Seconds of one light frame."""
DARK = LightState(0, 0, 0, 0, 0, 0, 0)
Rgb = tuple[float, float, float]


def rgb(word: int) -> Rgb:
    """Return red, green, blue of a colour word, 0 to 1."""
    return (word >> 10 & 31) / 31, (word >> 5 & 31) / 31, (word & 31) / 31


def load(light: LightState) -> float:
    """Return what a light draws at most: red + 1.4 green + 0.7 blue, 0 to 31 each (spec 14)."""
    parts = (rgb(light.on_color), rgb(light.off_color))
    return max(31 * (red + 1.4 * green + 0.7 * blue) for red, green, blue in parts)


def shown(light: LightState, elapsed: float) -> Rgb:
    """Return the colour ``elapsed`` seconds after the light was set."""
    on, off = rgb(light.on_color), rgb(light.off_color)
    if not (light.on_frames and light.off_frames):
        return on if light.on_frames else off
    phases = (
        (light.on_frames, on, on),
        (light.transition_off_frames, on, off),
        (light.off_frames, off, off),
        (light.transition_on_frames, off, on),
    )
    position = (elapsed / FRAME + light.offset) % sum(length for length, _, _ in phases)
    for length, start, end in phases:
        if position < length:
            red, green, blue = (
                a + (b - a) * position / length for a, b in zip(start, end, strict=True)
            )
            return red, green, blue
        position -= length
    return on


def rotated(
    lights: tuple[LightState, ...], rotation_frames: int, elapsed: float
) -> tuple[Rgb, ...]:
    """Return the colours of lights whose pattern moves on by one light per rotation period."""
    steps = int(elapsed / (rotation_frames * FRAME)) if rotation_frames else 0
    count = len(lights)
    return tuple(shown(lights[(place - steps) % count], elapsed) for place in range(count))
