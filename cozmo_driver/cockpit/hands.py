"""What the hands can do, with the phase and the reason in words; only where they are."""

from __future__ import annotations

from typing import Any, NamedTuple

from nicegui import ui

from .view import View, card

_ON = 3
"""``PlaceCube.Goal.ON``."""
_NEAREST = "the nearest"


class _Task(NamedTuple):
    """A button: ``object_field`` is where the goal names what was chosen."""

    label: str
    action: str
    object_field: str = ""
    needs_object: bool = False
    target: int | None = None


_TASKS = (
    _Task("Home to its charger", "dock_charger"),
    _Task("Go to it", "go_to_object", "object", True),
    _Task("Pick it up", "pick_up_cube", "object"),
    _Task("Put down here", "place_cube"),
    _Task("Put down on it", "place_cube", "object", True, _ON),
    _Task("Roll it upright", "roll_cube", "object"),
    _Task("Stack it on another", "stack_cubes", "top"),
)


class Hands:
    """A card that is there while the hands are."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._current: _Task | None = None
        with ui.element("div") as self._card, card("Hands"):
            self._object = ui.select({"": _NEAREST}, value="", label="Cube or charger")
            self._object.props("outlined dense").on_value_change(self._update_buttons)
            with ui.element("div").classes("cz-row"):
                self._buttons = {task: self._add_button(task) for task in _TASKS}
            self._update_buttons()
            with ui.element("div").classes("cz-goal"):
                self._status = ui.label("").props("role=status")
                self._cancel = ui.button("Cancel", on_click=view.hub.pursuit.cancel)
                self._cancel.props("no-caps outline").set_visibility(False)
        self._card.set_visibility(False)
        view.watch("hands", self._on_hands)
        view.watch("objects", self._on_objects)

    def _add_button(self, task: _Task) -> ui.button:
        button = ui.button(task.label, on_click=lambda: self._do(task))
        return button.props("no-caps outline")

    def _on_hands(self, hands: dict[str, Any]) -> None:
        self._card.set_visibility(bool(hands["actions"]))
        for task, button in self._buttons.items():
            button.set_visibility(task.action in hands["actions"])
        current = self._current
        if current is not None and current.action == hands["action"]:
            text = f"{current.label}: {hands['phase']}, attempt {hands['attempt']}"
            self._status.set_text(text)

    def _on_objects(self, objects: list[dict[str, Any]]) -> None:
        names = {"": _NEAREST, **{one["name"]: one["name"] for one in objects}}
        if names != self._object.options:
            chosen = self._object.value
            self._object.set_options(names, value=chosen if chosen in names else "")

    def _update_buttons(self) -> None:
        for task, button in self._buttons.items():
            button.set_enabled(bool(self._object.value) or not task.needs_object)

    async def _do(self, task: _Task) -> None:
        fields = {} if task.target is None else {"target": task.target}
        if task.object_field:
            fields[task.object_field] = self._object.value
        self._current = task
        self._status.classes(remove="cz-dim").set_text(f"{task.label}: begins")
        self._cancel.set_visibility(True)
        answer = await self._view.pursue_action(task.action, **fields)
        if self._current is task:
            self._current = None
            self._status.classes("cz-dim").set_text(answer.message or "It was given up.")
            self._cancel.set_visibility(False)
