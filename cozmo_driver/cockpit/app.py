"""The web application: one static page, its channel, the stop, files; behind the guard."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from ..link import with_timeout
from . import express
from .channel import NONSENSE, serve_channel
from .hub import Hub, Page
from .limits import PacedSockets
from .recordings import Recordings
from .reports import Reports
from .robot_port import Answer, RobotPort
from .security import Guard, Refusals, Sessions
from .view import View

_STATIC = Path(__file__).parent / "static"
UNKNOWN_ROBOT = 4404
"""Close code of a channel: the page has to be loaded again."""
TOO_MANY_PAGES = 4503
_KEPT = 15.0
"""s for which a page that has lost its connection is kept; its robot stops at once."""
_STOP_TIMEOUT = 1.2
"""s; a page tells its user after 1.5 s that nothing has been confirmed."""
_MOST_PAGES = 600
"""Of which nobody has so many."""
_PAGE_ID = re.compile(r"[0-9a-f]{32}")


@dataclass
class Cockpit:
    """The robots that pages may choose from, and how pages may be used."""

    find: Callable[[], Sequence[str]]
    """Names of the robots, the one to begin with first; never empty."""
    connect: Callable[[str], RobotPort]
    """Makes the way to a robot, once for each."""
    recordings: Recordings
    reports: Reports
    read_only: bool = False
    sessions: Sessions | None = None
    refusals: Refusals = field(default_factory=Refusals)
    names: Collection[str] = ()
    """Of a reverse proxy, in lower case."""
    meshes: Path | None = None
    """The folder of ``cozmo_description`` with the robot's meshes."""
    link: Callable[[str, str], Answer] = lambda _, __: Answer(True, "")
    """Answers for a page's origin and robot: the ``url`` that a telephone opens, with a token if
    needed.
    """
    hubs: dict[str, Hub] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    """Of open pages, by id."""

    def hub(self, robot: str) -> Hub | None:
        """Return the hub of a robot, None where nobody has ever heard of it."""
        if robot not in self.hubs and robot in self.find():
            self.hubs[robot] = Hub(self.connect(robot), self.reports)
        return self.hubs.get(robot)

    def open_page(self, page_id: str, name: str, hub: Hub, origin: str) -> View | None:
        """Return the view of a page, the same one when it comes again; None: there are too many."""
        view = self.views.get(page_id)
        if view is not None and view.hub is hub:
            return view
        if view is not None or len(self.views) >= _MOST_PAGES:
            self.refusals.add("too many pages", name)
            return None
        page = Page(page_id, name)
        hub.add(page)
        link = partial(self.link, origin, hub.robot.name)
        view = View(hub, page, self.recordings, read_only=self.read_only, link=link)
        self.views[page_id] = view
        return view

    def close_page(self, view: View) -> None:
        """Forget a page, unless it has come again."""
        if view.page.outbox is None and self.views.get(view.page.id) is view:
            del self.views[view.page.id]
            view.hub.remove(view.page)

    async def close(self) -> None:
        """End what goes on without pages, and have every robot back with its driver."""
        await asyncio.gather(*(hub.checkup.close() for hub in self.hubs.values()))

    def hello(self, hub: Hub) -> dict[str, Any]:
        """Return what a page learns first."""
        names = self.find()
        robot = hub.robot
        return {
            "read_only": self.read_only,
            "limits": dict(robot.limits),
            # One that has been here may come again.
            "robots": [*names, *({robot.name} - set(names))],
            "has_world": "world" in robot.feeds,
            "has_logout": self.sessions is not None,
        }


def name_of(connection: HTTPConnection) -> str:
    """Return whose page it is, for people."""
    address = connection.client.host if connection.client else "?"
    device = "phone" if "Mobi" in connection.headers.get("user-agent", "") else "computer"
    return f"this {device}" if address in ("127.0.0.1", "::1") else f"{device} {address}"


def make_app(cockpit: Cockpit) -> ASGIApp:
    """Return the application."""
    site = _Site(cockpit)
    app = Starlette(
        routes=[
            Route("/", site.page),
            WebSocketRoute("/channel", site.channel),
            Route("/stop", site.stop, methods=["POST"]),
            Route("/sound", site.sound, methods=["POST"]),
            Route("/clips/{name}.png", site.film),
            Route("/faces/{name}.png", site.face),
            Route("/meshes/{name}", site.mesh),
            Route("/recordings/{name}", site.recording),
            Route("/checkups/{name}/{file:path}", site.report),
            Route("/favicon.ico", site.icon),
            Mount("/cockpit", _Fresh(directory=_STATIC)),
        ]
    )
    _refuse_invalid_utf_8(cockpit.refusals)
    return Guard(PacedSockets(app), cockpit.sessions, cockpit.refusals, cockpit.names)


class _Fresh(StaticFiles):
    """Files that a browser asks for again, so that modules of two versions never meet."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        answer = super().file_response(*args, **kwargs)
        answer.headers["cache-control"] = "no-cache"
        return answer


class _Site:
    """What each address answers; in the server's loop."""

    def __init__(self, cockpit: Cockpit) -> None:
        self._cockpit = cockpit
        self._html = Template((_STATIC / "index.html").read_text(encoding="utf-8"))
        folder = cockpit.meshes
        self._meshes = {file.name: file for file in folder.glob("*.stl")} if folder else {}

    async def page(self, request: Request) -> Response:
        names = self._cockpit.find()
        robot = request.query_params.get("robot", names[0])
        if self._cockpit.hub(robot) is None:
            return no_robot_page(robot, names)
        html = self._html.substitute(robot=escape(robot))
        return HTMLResponse(html, headers={"cache-control": "no-store"})

    async def channel(self, websocket: WebSocket) -> None:
        cockpit, query = self._cockpit, websocket.query_params
        await websocket.accept()
        hub, page_id = cockpit.hub(query.get("robot", "")), query.get("page", "")
        if hub is None or not _PAGE_ID.fullmatch(page_id):
            await websocket.close(UNKNOWN_ROBOT)
            return
        origin = websocket.headers.get("origin", "")
        view = cockpit.open_page(page_id, name_of(websocket), hub, origin)
        if view is None:
            await websocket.close(TOO_MANY_PAGES)
            return
        try:
            await serve_channel(websocket, view, cockpit.refusals, cockpit.hello(hub))
        finally:
            asyncio.get_running_loop().call_later(_KEPT, cockpit.close_page, view)

    async def stop(self, request: Request) -> Response:
        """Latch the emergency stop: without the channel, whatever that waits for."""
        robot = request.query_params.get("robot", "")
        hub = self._cockpit.hub(robot)
        if hub is None:
            return PlainTextResponse(f"there is no robot {robot[:80]!r} here", 404)
        try:
            answer = await with_timeout(_STOP_TIMEOUT, hub.stop())
        except TimeoutError:
            answer = Answer(False, "neither driver nor robot has answered")
        return _told(answer)

    async def sound(self, request: Request) -> Response:
        """Play a file that a page sends as the request's body, to its end."""
        view = self._cockpit.views.get(request.query_params.get("page", ""))
        if view is None:
            return _told(Answer(False, "this page is not connected: load it again"))
        name = request.query_params.get("name", "")
        return _told(await express.play_file(view, name, await request.body()))

    async def film(self, request: Request) -> Response:
        return _png(await run_in_threadpool(express.film_of, request.path_params["name"]))

    async def face(self, request: Request) -> Response:
        return _png(await run_in_threadpool(express.picture_of, request.path_params["name"]))

    async def mesh(self, request: Request) -> Response:
        file = self._meshes.get(request.path_params["name"])
        if file is None:
            return Response(status_code=404)
        return FileResponse(file, headers={"cache-control": "max-age=3600"})

    async def recording(self, request: Request) -> Response:
        name = request.path_params["name"]
        file = self._cockpit.recordings.find(name)
        return FileResponse(file, filename=name) if file else Response(status_code=404)

    async def report(self, request: Request) -> Response:
        """Send a report's page and zip to be kept, neither shown as one of the cockpit."""
        name, file = request.path_params["name"], request.path_params["file"]
        path = self._cockpit.reports.file(name, file)
        if path is None:
            return Response(status_code=404)
        kept_as = f"{name}{path.suffix}" if path.suffix != ".jpg" else None
        return FileResponse(path, filename=kept_as, headers={"cache-control": "no-store"})

    async def icon(self, _: Request) -> Response:
        return FileResponse(_STATIC / "icon.svg")


def _told(answer: Answer) -> Response:
    return JSONResponse({"success": answer.success, "message": answer.message})


def _png(content: bytes | None) -> Response:
    return Response(content or b"", 200 if content else 404, media_type="image/png")


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


def _refuse_invalid_utf_8(refusals: Refusals) -> None:
    """Count it as nonsense: uvicorn closes the WebSocket, and would log a traceback."""

    def is_news(record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
            refusals.add(NONSENSE, "a WebSocket: invalid UTF-8")
            return False
        return True

    logging.getLogger("uvicorn.error").addFilter(is_news)
