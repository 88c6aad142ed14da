"""What lights and the face show at a time: patterns, layers, images (spec 04 §1, 08)."""

from __future__ import annotations

from ..media import DisplayImage, display_codec
from ..protocol import BackpackLayer, LightState, messages
from .core import Core

FRAME = 0.030
"""Seconds of one light frame."""
DARK = LightState(0, 0, 0, 0, 0, 0, 0)
Rgb = tuple[float, float, float]
CLEARED_AFTER = 30.0
"""s without a new image until the face is dark."""
LEFT, FRONT, MIDDLE, REAR, RIGHT = range(5)


def rgb(word: int) -> Rgb:
    """Return red, green, blue of a colour word, 0 to 1."""
    return (word >> 10 & 31) / 31, (word >> 5 & 31) / 31, (word & 31) / 31


def load(light: LightState) -> float:
    """Return what a light draws at most: red + 1.4 green + 0.7 blue, 0 to 31 each (spec 14)."""
    parts = (rgb(light.on_color), rgb(light.off_color))
    return max(31 * (red + 1.4 * green + 0.7 * blue) for red, green, blue in parts)


def color_at(light: LightState, elapsed: float) -> Rgb:
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
    return tuple(color_at(lights[(place - steps) % count], elapsed) for place in range(count))


class Backpack:
    """Shows one layer at a time; everything is dark without a connection."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.layer: int = BackpackLayer.USER
        self.head_light = False
        self._layers: dict[int, dict[int, tuple[LightState, float]]] = {}
        core.handle(messages.BackpackLightsMiddle, self._on_middle)
        core.handle(messages.BackpackLightsTurnSignals, self._on_sides)
        core.handle(messages.BackpackSetLayer, lambda m: self.show_layer(m.layer))
        core.handle(messages.SetHeadlight, self._on_head_light)
        core.when_connected(self._reset)
        core.when_disconnected(self._reset)

    def colors(self) -> tuple[Rgb, ...]:
        """Return what the lights show now: left, front, middle, rear, right; the sides are red."""
        lights = self._layers.get(self.layer, {})
        colors = []
        for place in range(5):
            light, since = lights.get(place, (DARK, 0.0))
            red, green, blue = color_at(light, self._core.now - since)
            is_side = place in (LEFT, RIGHT)
            colors.append((red, 0.0, 0.0) if is_side else (red, green, blue))
        return tuple(colors)

    def light(self, place: int, layer: int = BackpackLayer.USER) -> LightState:
        return self._layers.get(layer, {}).get(place, (DARK, 0.0))[0]

    def show_layer(self, layer: int) -> None:
        """Show another layer; what is not a layer is ignored."""
        if layer in tuple(BackpackLayer):
            self.layer = layer

    def animate(self, colors: tuple[int, ...]) -> None:
        """Show a keyframe's colour words: left, front, middle, back, right (spec 06 §1)."""
        for place, word in enumerate(colors):
            self._set(place, LightState(word, word, 1, 0, 0, 0, 0), BackpackLayer.ANIMATION)
        self.show_layer(BackpackLayer.ANIMATION)

    def _reset(self) -> None:
        self.layer = BackpackLayer.USER
        self.head_light = False
        self._layers.clear()

    def _set(self, place: int, light: LightState, layer: int) -> None:
        self._layers.setdefault(layer, {})[place] = (light, self._core.now)

    def _on_middle(self, m: messages.BackpackLightsMiddle) -> None:
        for place, light in zip((FRONT, MIDDLE, REAR), m.lights, strict=True):
            self._set(place, light, m.layer)

    def _on_sides(self, m: messages.BackpackLightsTurnSignals) -> None:
        for place, light in zip((LEFT, RIGHT), m.lights, strict=True):
            self._set(place, light, m.layer)

    def _on_head_light(self, m: messages.SetHeadlight) -> None:
        self.head_light = m.enable


class Display:
    """The face: shows images, and nothing any more when none came for half a minute."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._image = b""
        self._shown_at = core.now
        core.when_disconnected(self.clear)

    @property
    def picture(self) -> DisplayImage:
        """What can be seen now: 64 rows of 128 pixels, 0 or 1."""
        is_old = self._core.now - self._shown_at >= CLEARED_AFTER
        return display_codec.decode(b"" if is_old else self._image)

    def show(self, image: bytes) -> None:
        self._image, self._shown_at = image, self._core.now

    def clear(self) -> None:
        self._image = b""
