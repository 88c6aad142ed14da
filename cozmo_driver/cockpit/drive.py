"""Drive: the camera, keys, a stick for fingers, a gamepad, head, lift and light."""

from __future__ import annotations

from nicegui import ui
from nicegui.events import GenericEventArguments

from .view import View


def build(view: View) -> None:
    """Fill the tab. What moves the robot is in ``static/drive.js``, on the page's own channel."""
    with ui.element("div").classes("cz-drive"):
        ui.element("cozmo-camera").props("feed=camera")
        with ui.element("section").classes("cz-controls").props('aria-label="Driving"'):
            if view.read_only:
                ui.label("This cockpit only shows: it was started with read_only.")
            else:
                ui.element("cozmo-drive")
                _add_light(view)
                ui.element("cozmo-keys")


def _add_light(view: View) -> None:
    async def on_switch(event: GenericEventArguments) -> None:
        await view.call("set_head_light", data=bool(event.args))

    light = ui.switch("Head light").classes("cz-light").props("color=primary")
    # What a user does; a change of the value comes also from the robot.
    light.on("update:model-value", on_switch, args=[None])
    view.watch("status", lambda status: light.set_value(status["is_head_light_on"]))
