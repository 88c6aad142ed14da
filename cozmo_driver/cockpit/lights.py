"""Lights of the backpack and the cubes, with a colour picker."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..robot import BackpackLights, Color, CubeLights, LightState
from .view import View, card

PATTERNS: dict[str, Callable[[Color], LightState]] = {
    "Steady": lambda color: LightState(on_color=color),
    "Blink": lambda color: LightState(on_color=color, on_duration=0.5, off_duration=0.5),
    "Breathe": lambda color: LightState(
        on_color=color, on_duration=0.12, fade_out=0.9, off_duration=0.12, fade_in=0.9
    ),
}
_FIRST = "#35d0e6"
_BACKPACK = ("Front", "Middle", "Rear")
_SIDES = ("Left", "Right")
_CORNERS = ("1", "2", "3", "4")


def color_of(text: str) -> Color:
    """Return the colour of ``#rrggbb``. Raises ``ValueError``."""
    if len(text) != 7 or not text.startswith("#"):
        raise ValueError(f"no colour: {text[:20]!r}")
    return Color(*(part / 255 for part in bytes.fromhex(text[1:])))


def add(view: View) -> None:
    with card("Backpack lights"):
        colors = _add_colors((*_BACKPACK, *_SIDES))
        pattern = _add_patterns()

        def show() -> None:
            make = PATTERNS[pattern.value]
            lights = BackpackLights(*(make(color_of(color.value)) for color in colors))
            view.publish("backpack_lights", lights=lights)

        ui.label("The lights on the sides show red only.").classes("cz-dim")
        _add_buttons(show, lambda: view.publish("backpack_lights", lights=None))
    with card("Cube lights"):
        _add_cube(view)


def _add_cube(view: View) -> None:
    cube = ui.select({}, label="Cube").props('outlined dense aria-label="Cube"')
    colors = _add_colors(_CORNERS)
    pattern = _add_patterns()
    turns = ui.switch("Run around")

    def show() -> None:
        if cube.value is None:
            ui.notify("no cube is connected", type="warning")
            return
        states = [PATTERNS[pattern.value](color_of(color.value)) for color in colors]
        lights = CubeLights((states[0], states[1], states[2], states[3]), 0.3 * turns.value)
        view.publish("cube_lights", lights=lights, factory_id=cube.value)

    def on_cubes(cubes: list[dict[str, object]]) -> None:
        names = {one["id"]: one["name"] for one in cubes if one["is_connected"]}
        cube.set_options(
            names, value=cube.value if cube.value in names else next(iter(names), None)
        )

    view.watch("cubes", on_cubes)
    _add_buttons(
        show,
        lambda: cube.value is not None
        and view.publish("cube_lights", lights=None, factory_id=cube.value),
    )


def _add_colors(names: tuple[str, ...]) -> list[Picker]:
    """Add a colour picker for each light, and one for all of them."""
    pickers: list[Picker] = []
    with ui.element("div").classes("cz-colors"):
        everything = Picker("All")
        pickers.extend(Picker(name) for name in names)

    def on_all(value: str) -> None:
        for picker in pickers:
            picker.set_value(value)

    everything.on_change = on_all
    return pickers


class Picker(ui.element):
    """The browser's own colour picker with its label; ``value`` is ``#rrggbb``."""

    def __init__(self, label: str) -> None:
        super().__init__("label")
        self.value = _FIRST
        self.on_change: Callable[[str], object] = lambda _: None
        with self.classes("cz-color"):
            self._input = ui.element("input").props(f"type=color value={_FIRST}")
            ui.label(label)
        self._input.on("input", self._on_input, js_handler="(e) => emit(e.target.value)")

    def _on_input(self, event: object) -> None:
        self.value = str(getattr(event, "args", _FIRST))
        self.on_change(self.value)

    def set_value(self, value: str) -> None:
        self.value = value
        self._input.props["value"] = value
        self._input.update()


def _add_patterns() -> ui.toggle:
    return ui.toggle(list(PATTERNS), value="Steady").props("no-caps unelevated padding='6px 14px'")


def _add_buttons(show: Callable[[], object], release: Callable[[], object]) -> None:
    with ui.element("div").classes("cz-row"):
        ui.button("Show", on_click=show).props("no-caps")
        ui.button("Back to the robot's own", on_click=release).props("flat no-caps")
