"""Lights of the backpack and the cubes as pages ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..robot import BackpackLights, Color, CubeLights, LightState
from .robot_port import Answer
from .view import View

PATTERNS: dict[str, Callable[[Color], LightState]] = {
    "steady": lambda color: LightState(on_color=color),
    "blink": lambda color: LightState(on_color=color, on_duration=0.5, off_duration=0.5),
    "breathe": lambda color: LightState(
        on_color=color, on_duration=0.12, fade_out=0.9, off_duration=0.12, fade_in=0.9
    ),
}
_TURN = 0.3
"""s for which a colour stays in a corner of a cube before it goes to the next one."""


def color_of(text: Any) -> Color:
    """Return the colour of ``#rrggbb``. Raises ``ValueError``."""
    if not isinstance(text, str) or len(text) != 7 or not text.startswith("#"):
        raise ValueError(f"no colour: {str(text)[:20]!r}")
    return Color(*(part / 255 for part in bytes.fromhex(text[1:])))


def show_backpack(view: View, values: Mapping[str, Any]) -> Answer:
    """Show ``colors`` in a ``pattern``; without colours the robot's own lights again."""
    states = _states(values, 5)
    return view.publish("backpack_lights", lights=BackpackLights(*states) if states else None)


def show_cube(view: View, values: Mapping[str, Any]) -> Answer:
    """The same of the ``cube`` (its factory id); ``turns``: they run around."""
    states = _states(values, 4)
    lights = None
    if states:
        corners = (states[0], states[1], states[2], states[3])
        lights = CubeLights(corners, _TURN * bool(values.get("turns")))
    return view.publish("cube_lights", lights=lights, factory_id=int(values["cube"]))


def _states(values: Mapping[str, Any], count: int) -> list[LightState]:
    colors = values.get("colors")
    if colors is None:
        return []
    if len(colors) != count:
        raise ValueError(f"{count} colours, not {len(colors)}")
    make = PATTERNS[values["pattern"]]
    return [make(color_of(color)) for color in colors]
