"""The web application: NiceGUI's page, the channel, the stop, files; behind the guard."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from nicegui import Client, core, ui
from nicegui import app as nicegui_app
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from ..link import with_timeout
from .channel import NONSENSE, UNKNOWN_PAGE, serve_channel
from .films import film_of
from .hub import Hub, Page
from .layout import build_page, no_robot_page
from .limits import PacedSockets
from .recordings import Recordings
from .robot_port import Answer, RobotPort
from .security import Guard, Refusals, Sessions
from .view import View

_STATIC = Path(__file__).parent / "static"
_RECONNECT_TIMEOUT = 15.0
"""s for which a page that has lost its connection is kept; its robot stops at once."""
_STOP_TIMEOUT = 1.2
"""s; a page tells its user after 1.5 s that nothing has been confirmed."""
_MOST_PAGES = 600
"""Of which nobody has so many; each one is kept for some time after it has been closed."""
_NO_PAGES = ("/_nicegui", "/cockpit/", "/stop", "/clips/", "/meshes/", "/recordings/")
_TAB_LIFETIME = 60.0
"""s for which NiceGUI remembers a tab of a browser, of which nothing is kept here."""


@dataclass
class Cockpit:
    """The robots that pages may choose from, and how pages may be used."""

    find: Callable[[], Sequence[str]]
    """Names of the robots, the one to begin with first; never empty."""
    connect: Callable[[str], RobotPort]
    """Makes the way to a robot, once for each."""
    recordings: Recordings
    read_only: bool = False
    sessions: Sessions | None = None
    refusals: Refusals = field(default_factory=Refusals)
    names: Collection[str] = ()
    """Of a reverse proxy, in lower case."""
    meshes: Path | None = None
    """The folder of ``cozmo_description`` with the robot's meshes."""
    hubs: dict[str, Hub] = field(default_factory=dict)
    pages: dict[str, tuple[Hub, Page]] = field(default_factory=dict)
    """By id."""

    def hub(self, robot: str) -> Hub | None:
        """Return the hub of a robot, None where nobody has ever heard of it."""
        if robot not in self.hubs and robot in self.find():
            self.hubs[robot] = Hub(self.connect(robot))
        return self.hubs.get(robot)

    def open_page(self, request: Request, client: Client, hub: Hub) -> View:
        page = Page(client.id, name_of(request))
        hub.add(page)
        self.pages[page.id] = hub, page
        client.on_delete(lambda: self._close_page(page.id))
        return View(hub, page, client, self.recordings, read_only=self.read_only)

    def _close_page(self, page_id: str) -> None:
        hub, page = self.pages.pop(page_id)
        hub.remove(page)


def name_of(request: Request) -> str:
    """Return whose page it is, for people."""
    address = request.client.host if request.client else "?"
    device = "phone" if "Mobi" in request.headers.get("user-agent", "") else "computer"
    return f"this {device}" if address in ("127.0.0.1", "::1") else f"{device} {address}"


def make_app(cockpit: Cockpit) -> ASGIApp:
    """Return the application; NiceGUI allows one in a process."""
    app = FastAPI(openapi_url=None)
    app.mount("/cockpit", StaticFiles(directory=_STATIC))

    @app.websocket("/channel")
    async def channel(websocket: WebSocket, page: str = "") -> None:
        if page not in cockpit.pages:
            await websocket.accept()
            await websocket.close(UNKNOWN_PAGE)
            return
        await serve_channel(
            websocket, *cockpit.pages[page], cockpit.refusals, read_only=cockpit.read_only
        )

    @app.post("/stop")
    async def stop(robot: str = "") -> Response:
        """Latch the emergency stop: without NiceGUI and the channel, whatever they wait for."""
        hub = cockpit.hub(robot)
        if hub is None:
            return PlainTextResponse(f"there is no robot {robot[:80]!r} here", 404)
        try:
            answer = await with_timeout(_STOP_TIMEOUT, hub.stop())
        except TimeoutError:
            answer = Answer(False, "neither driver nor robot has answered")
        return JSONResponse({"success": answer.success, "message": answer.message})

    @app.get("/clips/{name}.png")
    def film(name: str) -> Response:
        """Draw a filmstrip, in a thread of its own."""
        png = film_of(name)
        return Response(png or b"", 200 if png else 404, media_type="image/png")

    meshes = {file.name: file for file in cockpit.meshes.glob("*.stl")} if cockpit.meshes else {}

    @app.get("/meshes/{name}")
    async def mesh(name: str) -> FileResponse:
        if name not in meshes:
            raise HTTPException(404)
        return FileResponse(meshes[name], headers={"Cache-Control": "max-age=3600"})

    @app.get("/recordings/{name}")
    async def recording(name: str) -> Response:
        file = cockpit.recordings.find(name)
        return FileResponse(file, filename=name) if file else Response(status_code=404)

    @ui.page("/", title="Cozmo cockpit", dark=None)
    def page(
        request: Request, client: Client, robot: str | None = None, tab: str = ""
    ) -> Response | None:
        names = cockpit.find()
        hub = cockpit.hub(names[0] if robot is None else robot)
        if hub is None:
            return no_robot_page(robot or "", names)
        view = cockpit.open_page(request, client, hub)
        if hub.robot.name not in names:  # it has been here, and may come again
            names = [*names, hub.robot.name]
        build_page(view, names, tab, with_logout=cockpit.sessions is not None)
        return None

    nicegui_app.storage.max_tab_storage_age = _TAB_LIFETIME
    # A bar at the top for every request that waits, also for those that always do.
    nicegui_app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    ui.run_with(
        app,
        title="Cozmo cockpit",
        language="en-US",
        favicon=_STATIC / "icon.svg",
        reconnect_timeout=_RECONNECT_TIMEOUT,
        binding_refresh_interval=None,
        message_history_length=100,
        tailwind=False,
        show_welcome_message=False,
    )
    _refuse_nonsense(cockpit.refusals)
    limited = _LimitedPages(PacedSockets(app), cockpit.refusals)
    return Guard(limited, cockpit.sessions, cockpit.refusals, cockpit.names)


class _LimitedPages:
    """ASGI middleware: NiceGUI remembers each page for a minute, those that are not there too."""

    def __init__(self, app: ASGIApp, refusals: Refusals) -> None:
        self._app, self._refusals = app, refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and not scope["path"].startswith(_NO_PAGES)
        if is_page and len(Client.instances) >= _MOST_PAGES:
            self._refusals.add("too many pages", (scope.get("client") or "?")[0])
            text = "too many pages are open: close some, or wait a minute\n"
            await PlainTextResponse(text, 503)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _refuse_nonsense(refusals: Refusals) -> None:
    """Refuse what makes no sense on NiceGUI's own channel as on that of the page.

    uvicorn closes on invalid UTF-8, and would log a traceback of it.
    """

    def refusing(handler: Callable[..., Any]) -> Callable[..., Any]:
        async def handle(*args: Any) -> Any:
            try:
                result = handler(*args)
                return await result if isawaitable(result) else result
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                refusals.add(NONSENSE, f"NiceGUI's channel: {error!r}")

        return handle

    def is_news(record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
            refusals.add(NONSENSE, "a WebSocket: invalid UTF-8")
            return False
        return True

    logging.getLogger("uvicorn.error").addFilter(is_news)
    handlers = core.sio.handlers["/"]
    for event in handlers.keys() - {"connect", "disconnect"}:
        handlers[event] = refusing(handlers[event])
