"""Serves an assistant over stdio, or over HTTP on the loopback.

A robot is moved by nobody who has gone: a call ends when its client cancels it or leaves.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from io import FileIO
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ..animation import Assets
from ..robot import Robot
from .acts import Acts
from .data import Limits
from .server import AssistantServer, ToolActs

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]
_log = logging.getLogger(__name__)
_CHUNK = 1 << 16
_FAREWELL = 1
"""Time that open streams get to end, s."""


async def serve(
    robot: Robot, limits: Limits, assets: Assets, listener: socket.socket | None = None
) -> None:
    """Serve until the client has gone: over stdio, or for ever over HTTP on ``listener``.

    The robot connects meanwhile, and is left at rest.
    """
    acts = Acts(robot, limits, assets)
    await robot.start()
    try:
        await serve_acts(acts, listener, acts.animate_face())
    finally:
        await robot.stop()


async def serve_acts(
    acts: ToolActs, listener: socket.socket | None, *others: Coroutine[Any, Any, None]
) -> None:
    """Serve acts until the client has gone, and do something else meanwhile."""
    server = AssistantServer(acts)
    transport = _serve_stdio(server) if listener is None else _serve_http(server, acts, listener)
    tasks = [asyncio.ensure_future(work) for work in (transport, server.publish_events(), *others)]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            await task
    finally:
        acts.halt()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until_ended(serving: Coroutine[Any, Any, None], end: Callable[[], None]) -> None:
    """Wait for what serves; cancelled, ``end`` it in its own way, and wait for that."""
    task = asyncio.ensure_future(serving)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        end()
        await task
        raise


# -- stdio


async def _serve_stdio(server: AssistantServer) -> None:
    # The SDK reads in a thread that nothing wakes but input or its end, also when this is
    # cancelled: it gets a pipe that can be closed.
    source = os.dup(0)
    outlet, writing = os.pipe()
    os.dup2(outlet, 0)
    os.close(outlet)
    inlet = FileIO(writing, "wb")
    threading.Thread(target=_pump, args=(source, inlet), name="stdin", daemon=True).start()
    try:
        await _until_ended(server.run_stdio_async(), inlet.close)
    except Exception as error:
        if not _is_broken_pipe(error):
            raise
        # The client was killed: as where it closes its end. Nothing is left to be flushed to it.
        inlet.close()
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)


def _is_broken_pipe(error: BaseException) -> bool:
    """Tell whether this is all that went wrong, in a group of errors, too."""
    parts = getattr(error, "exceptions", None)
    return isinstance(error, BrokenPipeError) if parts is None else all(map(_is_broken_pipe, parts))


def _pump(source: int, inlet: FileIO) -> None:
    with suppress(OSError, ValueError):
        while chunk := os.read(source, _CHUNK):
            while chunk:
                chunk = chunk[inlet.write(chunk) :]
        inlet.close()


# -- HTTP


async def _serve_http(server: AssistantServer, acts: ToolActs, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    # Only a page in a browser sends an Origin, and none is let in; nor is who was led here by
    # another name of this computer.
    security = TransportSecuritySettings(allowed_hosts=[f"{host}:{port}", f"localhost:{port}"])
    app = server.streamable_http_app(transport_security=security)
    web = _WebServer(
        uvicorn.Config(
            _HaltWhenGone(app, acts.halt),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=_FAREWELL,
        )
    )

    def end() -> None:
        web.should_exit = True

    await _until_ended(web.serve(sockets=[listener]), end)


class _WebServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the command."""
        yield


class _HaltWhenGone:
    """Halts the robot when a client with a session goes before its call is answered.

    The SDK cancels the calls of clients without one, of the newer protocol, and no others.
    """

    def __init__(self, app: _App, halt: Callable[[], None]) -> None:
        self._app, self._halt = app, halt

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not _has_session(scope):
            await self._app(scope, receive, send)
            return
        is_answered = False

        async def watched_receive() -> _Message:
            message = await receive()
            if message["type"] == "http.disconnect" and not is_answered:
                _log.warning("a client went before its call was answered; the robot is stopped")
                self._halt()
            return message

        async def watched_send(message: _Message) -> None:
            nonlocal is_answered
            is_answered |= message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        await self._app(scope, watched_receive, watched_send)


def _has_session(scope: _Message) -> bool:
    return any(name == b"mcp-session-id" for name, _ in scope["headers"])
