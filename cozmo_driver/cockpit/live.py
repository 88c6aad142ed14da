"""Live: the personality, what it may do, how it feels, what it does and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from .view import Running, View, card

_NODE = "cozmo_behavior"
_PERMISSIONS = {
    "allow_motion": "It may drive",
    "allow_leaving_charger": "It may leave its charger",
    "allow_going_home": "It may go home to charge",
    "mood_on_face": "Its face shows its mood",
}
_ABSENT = (
    "The personality does not run: start it with make run BEHAVIOR=1, "
    "or with behavior:=true in the launch file."
)


def build(view: View) -> None:
    absent = ui.label(_ABSENT).classes("cz-notice").props("role=status")
    with ui.element("div").classes("cz-cards") as cards:
        _add_state(view)
        with card("Mood"):
            ui.element("cozmo-levels").props("feed=mood low=-1")
        with card("Needs"):
            ui.element("cozmo-levels").props("feed=needs low=0")
        _Requests(view)
    cards.set_visibility(False)

    def on_state(_: Any) -> None:
        absent.set_visibility(False)
        cards.set_visibility(True)

    view.watch("behavior", on_state)


def _add_state(view: View) -> None:
    async def on_enable(event: GenericEventArguments) -> None:
        await view.call("behavior/enable", moves=bool(event.args), data=bool(event.args))

    with card("Personality"):
        enabled = ui.switch("Alive").on("update:model-value", on_enable, args=[None])
        ui.element("cozmo-doing")
        for name, text in _PERMISSIONS.items():
            _add_permission(view, name, text)
        _add_quiet_hours(view)
    view.watch("behavior", lambda state: enabled.set_value(state["is_enabled"]))


def _add_permission(view: View, name: str, text: str) -> None:
    async def on_switch(event: GenericEventArguments) -> None:
        if not (await view.set_parameter(_NODE, name, bool(event.args))).success:
            await load()

    async def load() -> None:
        switch.set_value(bool(await view.robot.parameter(_NODE, name)))

    switch = ui.switch(text).on("update:model-value", on_switch, args=[None])
    _once(view, load)


def _add_quiet_hours(view: View) -> None:
    async def on_change() -> None:
        hours = [float(field.value or 0.0) for field in fields]
        await view.set_parameter(_NODE, "quiet_hours", hours)

    async def load() -> None:
        hours = await view.robot.parameter(_NODE, "quiet_hours")
        for field, hour in zip(fields, hours or (), strict=False):
            field.set_value(hour)

    ui.label("It dozes, silent and still; two equal hours: never").classes("cz-dim")
    with ui.element("div").classes("cz-row"):
        fields = [
            ui.number(label, min=0, max=24, step=0.5).props("outlined dense").classes("cz-grow")
            for label in ("from, hour", "to, hour")
        ]
    for field in fields:
        field.on("change", on_change, args=[])
    _once(view, load)


class _Requests:
    """Behaviours, activities and reactions by name."""

    def __init__(self, view: View) -> None:
        self._view, self._running = view, Running()
        self._behaviors: dict[str, str] = {}
        with card("Ask for something"):
            self._behavior = _add_choice("Behaviour", lambda name: self._explain(name))
            self._about = ui.label("").classes("cz-dim").props("role=status")
            with ui.element("div").classes("cz-row"):
                ui.button("Run", on_click=self._run).props("no-caps")
                ui.button("Stop", on_click=self._running.cancel).props("flat no-caps")
            with ui.element("div").classes("cz-row"):
                self._reaction = _add_choice("Reaction").classes("cz-grow")
                ui.button("React", on_click=self._react).props("no-caps")
            with ui.element("div").classes("cz-row"):
                self._need_action = _add_choice("What serves a need").classes("cz-grow")
                ui.button("Serve", on_click=self._serve).props("no-caps")
            self._activity = _add_choice("Activity before all others", self._select)
        _once(view, self._load)

    async def _load(self) -> None:
        answer = await self._view.call("behavior/list", filter="")
        found = [one for one in answer.fields.get("behaviors", ()) if one.is_supported]
        self._behaviors = {one.behavior_id: one.message for one in found}
        self._behavior.set_options(list(self._behaviors))
        self._reaction.set_options(list(answer.fields.get("reactions", ())))
        self._need_action.set_options(list(answer.fields.get("need_actions", ())))
        chosen = await self._view.robot.parameter(_NODE, "activity")
        activities = {
            "": "as it likes",
            **{one: one for one in answer.fields.get("activities", ())},
        }
        self._activity.set_options(activities, value=chosen or "")

    def _explain(self, name: str | None) -> None:
        why = self._behaviors.get(name or "", "")
        self._about.set_text(f"not now: {why}" if why else "")

    async def _run(self) -> None:
        if name := self._behavior.value:
            goal = self._view.do("behavior/run", moves=True, behavior_id=name, run_count=1)
            await self._running.run(goal)

    async def _react(self) -> None:
        if name := self._reaction.value:
            await self._view.call("behavior/trigger_reaction", moves=True, reaction=name)

    async def _serve(self) -> None:
        if name := self._need_action.value:
            answer = await self._view.call("behavior/apply_need_action", action=name)
            if answer.success:
                ui.notify(f"{name}: {answer.message}", type="positive")

    async def _select(self, name: str | None) -> None:
        current = await self._view.robot.parameter(_NODE, "activity")
        if name is not None and name != current:
            await self._view.set_parameter(_NODE, "activity", name)


def _add_choice(label: str, on_change: Callable[[Any], Any] | None = None) -> ui.select:
    def changed(event: Any) -> Any:
        return on_change(event.value) if on_change else None

    return ui.select([], label=label, with_input=True, on_change=changed).props("outlined dense")


def _once(view: View, load: Callable[[], Any]) -> None:
    """Load when the personality is first heard."""
    waiting = True

    def on_state(_: Any) -> None:
        nonlocal waiting
        if waiting:
            waiting = False
            ui.timer(0.0, load, once=True)

    view.watch("behavior", on_state)
