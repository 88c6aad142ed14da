"""The frame of the page: header, tabs, what is always there. A tab is a module with ``build``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from nicegui import ui

from . import drive, express, live, manage, see
from .view import View


class Tab(NamedTuple):
    """``build`` fills the panel when it is opened for the first time."""

    name: str
    title: str
    icon: str
    build: Callable[[View], None]


TABS = (
    Tab("drive", "Drive", "sports_esports", drive.build),
    Tab("see", "See", "travel_explore", see.build),
    Tab("express", "Express", "mood", express.build),
    Tab("live", "Live", "favorite", live.build),
    Tab("manage", "Manage", "tune", manage.build),
)

_STOPPED = "Emergency stop. The robot does not move until it is released."
_CARRIED = "The robot was carried and waits. Release lets it drive."
_COLORS = {
    "primary": "#0b7285",
    "secondary": "#495057",
    "accent": "#0b7285",
    "positive": "#2b8a3e",
    "negative": "#c92a2a",
    "warning": "#a05a00",
    "info": "#1864ab",
}


def build_page(view: View, robots: Sequence[str], tab: str, *, with_logout: bool) -> None:
    """Fill a page that has just been opened."""
    # As early as can be: what follows needs them, and they need nothing.
    ui.add_head_html(
        '<link rel="stylesheet" href="/cockpit/cockpit.css">'
        '<link rel="stylesheet" href="/cockpit/see.css">'
        f'<meta name="cozmo-page" content="{escape(view.page_id)}">'
        f'<meta name="cozmo-robot" content="{escape(view.robot.name)}">'
        '<script type="module" src="/cockpit/main.js"></script>'
    )
    ui.colors(**_COLORS)
    with ui.element("div").classes("cz-app"):
        with ui.element("header").classes("cz-header"):
            ui.label("Cozmo").classes("cz-brand").props("role=heading aria-level=1")
            if len(robots) > 1:
                _add_robots(view, robots)
            ui.element("cozmo-strip")
            ui.element("cozmo-wheel")
            ui.element("cozmo-theme")
            if with_logout:
                ui.html('<form method="post" action="/logout"><button>Log out</button></form>')
        _add_tabs(view, tab)
        with ui.element("div").classes("cz-alerts"):
            ui.element("p").classes("cz-alert cz-stop-error").props("role=alert")
            _add_release(view)
        ui.element("cozmo-stop")


def no_robot_page(robot: str, names: Sequence[str]) -> HTMLResponse:
    """Say that a robot is not there, rather than show another one; looked for every 2 s."""
    others = "".join(
        f'<li><a href="/?{escape(urlencode({"robot": name}))}">/{escape(name)}</a></li>'
        for name in names
    )
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cozmo cockpit</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="refresh" content="2">'
        '<link rel="stylesheet" href="/cockpit/cockpit.css"><body class="cz-login"><main>'
        f"<h1>Cozmo cockpit</h1><p>The robot /{escape(robot[:80])} is not heard: does its driver "
        f"run? This page waits for it. Others:</p><ul>{others}</ul></main></body></html>"
    )
    return HTMLResponse(page, 404)


def _add_robots(view: View, robots: Sequence[str]) -> None:
    names = {name: f"/{name}" for name in robots}
    ui.select(
        names,
        value=view.robot.name,
        on_change=lambda event: ui.navigate.to("/?" + urlencode({"robot": event.value})),
    ).props('dense options-dense borderless aria-label="Robot"').classes("cz-robots")


def _add_tabs(view: View, chosen: str) -> None:
    by_name = {tab.name: tab for tab in TABS}
    first = chosen if chosen in by_name else TABS[0].name
    panels: dict[str, Any] = {}
    built: set[str] = set()

    def on_tab(name: str) -> None:
        if name not in built:
            built.add(name)
            with panels[name]:
                by_name[name].build(view)

    def on_change(name: str) -> None:
        on_tab(name)
        # A page that is loaded again shows the same tab.
        query = "?" + urlencode({"robot": view.robot.name, "tab": name})
        ui.run_javascript(f"history.replaceState(null, '', {json.dumps(query)})")

    with ui.element("nav").classes("cz-nav"), ui.tabs().props("no-caps") as tabs:
        for tab in TABS:
            ui.tab(tab.name, tab.title, tab.icon)
    with ui.tab_panels(tabs, value=first, animated=False).classes("cz-main").props("role=main"):
        for tab in TABS:
            panels[tab.name] = ui.tab_panel(tab.name).classes("cz-panel")
    tabs.on_value_change(lambda event: on_change(event.value))
    on_tab(first)
    tabs.on_value_change(lambda event: on_change(event.value))


def _add_release(view: View) -> None:
    with ui.element("div").classes("cz-alert").props("role=alert") as banner:
        reason = ui.label()

        async def release() -> None:
            await view.call("release_stop")

        if not view.read_only:
            ui.button("Release", on_click=release, color="white").props("no-caps text-color=dark")
    banner.set_visibility(False)

    def on_status(status: Mapping[str, Any]) -> None:
        text = _STOPPED if status["is_stopped"] else _CARRIED if status["is_held"] else ""
        reason.set_text(text)
        banner.set_visibility(bool(text))

    view.watch("status", on_status)
