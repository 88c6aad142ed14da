"""The backpack's five lights in their layers, and the light beside the camera (spec 08 §2)."""

from __future__ import annotations

from ..protocol.enums import BackpackLayer
from ..protocol.messages import (
    BackpackLightsMiddle,
    BackpackLightsTurnSignals,
    BackpackSetLayer,
    SetHeadlight,
)
from ..protocol.structs import LightState
from .core import Core
from .lights import DARK, Rgb, shown

LEFT, FRONT, MIDDLE, REAR, RIGHT = range(5)


class Backpack:
    """Shows one layer at a time; everything is dark without a connection."""

    def __init__(self, core: Core) -> None:
        """Take part in the connection."""
        self._core = core
        self.layer: int = BackpackLayer.USER
        self.head_light = False
        self._layers: dict[int, dict[int, tuple[LightState, float]]] = {}
        core.handle(BackpackLightsMiddle, self._set_middle)
        core.handle(BackpackLightsTurnSignals, self._set_sides)
        core.handle(BackpackSetLayer, lambda m: self.show_layer(m.layer))
        core.handle(SetHeadlight, self._set_head_light)
        core.when_connected(self._reset)
        core.when_disconnected(self._reset)

    def colors(self) -> tuple[Rgb, ...]:
        """Return what the lights show now: left, front, middle, rear, right; the sides are red."""
        lights = self._layers.get(self.layer, {})
        colors = []
        for place in range(5):
            light, since = lights.get(place, (DARK, 0.0))
            red, green, blue = shown(light, self._core.now - since)
            is_side = place in (LEFT, RIGHT)
            colors.append((red, 0.0, 0.0) if is_side else (red, green, blue))
        return tuple(colors)

    def light(self, place: int, layer: int = BackpackLayer.USER) -> LightState:
        """Return how a light was set in a layer."""
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

    def end_animation(self) -> None:
        """Show the user's lights again."""
        self.show_layer(BackpackLayer.USER)

    def _reset(self) -> None:
        self.layer = BackpackLayer.USER
        self.head_light = False
        self._layers.clear()

    def _set(self, place: int, light: LightState, layer: int) -> None:
        self._layers.setdefault(layer, {})[place] = (light, self._core.now)

    def _set_middle(self, m: BackpackLightsMiddle) -> None:
        for place, light in zip((FRONT, MIDDLE, REAR), m.lights, strict=True):
            self._set(place, light, m.layer)

    def _set_sides(self, m: BackpackLightsTurnSignals) -> None:
        for place, light in zip((LEFT, RIGHT), m.lights, strict=True):
            self._set(place, light, m.layer)

    def _set_head_light(self, m: SetHeadlight) -> None:
        self.head_light = m.enable
