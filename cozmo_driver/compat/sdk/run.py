"""``cozmo.run``: connecting, and running a program to its end (spec 21 §2)."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from ...link import LoopThread, run_in
from ..settings import settings
from . import logs
from .conn import CozmoConnection
from .exceptions import ConnectionError, NoDevicesFound, SDKShutdown
from .logs import setup_basic_logging
from .sync import Side
from .viewer import Viewer

__all__ = [
    "AndroidConnector",
    "DeviceConnector",
    "FirstAvailableConnector",
    "IOSConnector",
    "TCPConnector",
    "connect",
    "connect_on_loop",
    "connect_with_3dviewer",
    "connect_with_tkviewer",
    "run_program",
    "setup_basic_logging",
]


class DeviceConnector:
    """Which robot to take: here the next free one of those that the command names."""

    def __init__(self, *values: Any, serial: str | None = None, **named: Any) -> None:
        self.serial, self.enable_env_vars = serial, named.get("enable_env_vars", True)


class IOSConnector(DeviceConnector):
    """Any robot: there is no phone."""


class AndroidConnector(DeviceConnector):
    """Any robot: there is no phone."""


class TCPConnector(DeviceConnector):
    """Any robot: there is no app."""


class FirstAvailableConnector(DeviceConnector):
    """Any robot."""


_sync_threads: list[LoopThread] = []


def _sync_side() -> Side:
    """Return the loop of plain programs, in a thread that later runs use again."""
    if not _sync_threads:
        _sync_threads.append(LoopThread("cozmo-program", workers=None))
    thread = _sync_threads[0]
    return Side(thread.loop, thread.ident)


async def _connected(side: Side, conn_factory: Any, connector: Any) -> CozmoConnection:
    """Return a connection. Raises ``ConnectionError``."""
    address = settings.take(getattr(connector, "serial", None))
    if address is None:
        known = ", ".join(f"{host}:{port}" for host, port in settings.robots)
        raise NoDevicesFound(
            f"every robot is taken ({known}): name another one with --robot, or --robots 2"
        )
    factory = conn_factory or CozmoConnection
    conn: CozmoConnection = factory(side, address, connector)
    await conn._open()
    return conn


def connect_on_loop(
    loop: asyncio.AbstractEventLoop, conn_factory: Any = CozmoConnection, connector: Any = None
) -> CozmoConnection:
    """Connect a program that runs its own loop, which does not run yet."""
    return loop.run_until_complete(_connected(Side(loop), conn_factory, connector))


def connect(
    f: Callable[..., Any], conn_factory: Any = CozmoConnection, connector: Any = None
) -> None:
    """Call ``f`` with a connection; end it afterwards. Raises ``ConnectionError``."""
    _connect(f, conn_factory, connector, None)


def connect_with_tkviewer(
    f: Callable[..., Any],
    conn_factory: Any = CozmoConnection,
    connector: Any = None,
    force_on_top: bool = False,
) -> None:
    """As ``connect``, with pictures."""
    _connect(f, conn_factory, connector, Viewer())


def connect_with_3dviewer(
    f: Callable[..., Any],
    conn_factory: Any = CozmoConnection,
    connector: Any = None,
    enable_camera_view: bool = False,
    show_viewer_controls: bool = True,
) -> None:
    """As ``connect``, with the map, and pictures where they are wanted."""
    _connect(f, conn_factory, connector, Viewer(enable_camera_view, has_map=True))


def _connect(f: Callable[..., Any], conn_factory: Any, connector: Any, viewer: Any) -> None:
    """Run ``f``; Ctrl-C ends a coroutine quietly, a plain function with ``KeyboardInterrupt``."""
    try:
        _run(f, conn_factory, connector, viewer)
    except KeyboardInterrupt:
        if not inspect.iscoroutinefunction(_unwrapped(f)):
            raise


def run_program(
    f: Callable[..., Any],
    use_viewer: bool = False,
    conn_factory: Any = CozmoConnection,
    connector: Any = None,
    force_viewer_on_top: bool = False,
    deprecated_filter: Any = "default",
    use_3d_viewer: bool = False,
    show_viewer_controls: bool = True,
    exit_on_connection_error: bool = True,
) -> None:
    """Connect, wait for the robot, call ``f`` with it; everything stops when it returns.

    Raises ``SystemExit`` where there is no connection, and ``ConnectionError`` without
    ``exit_on_connection_error``.
    """
    setup_basic_logging()
    viewer = Viewer(use_viewer, has_map=use_3d_viewer) if use_viewer or use_3d_viewer else None

    if inspect.iscoroutinefunction(f):

        async def program(conn: CozmoConnection) -> None:
            await f(await conn.wait_for_robot())

        work: Callable[..., Any] = program
    else:

        def plain_program(conn: CozmoConnection) -> None:
            result = f(conn.wait_for_robot())
            if inspect.iscoroutine(result):
                # A partial or a method that is a coroutine after all.
                conn._side.call(lambda: result)  # type: ignore[union-attr]

        work = plain_program

    try:
        _run(work, conn_factory, connector, viewer)
    except KeyboardInterrupt:
        logs.logger.info("Exit requested by user")
        if threading.current_thread() is threading.main_thread():
            sys.exit(0)
    except ConnectionError as error:
        if exit_on_connection_error:
            sys.exit(f"A connection error occurred: {error}")
        logs.logger.error("A connection error occurred: %s", error)
        raise


def _run(f: Callable[..., Any], conn_factory: Any, connector: Any, viewer: Viewer | None) -> None:
    with contextlib.suppress(SDKShutdown):
        if inspect.iscoroutinefunction(_unwrapped(f)):
            _run_coroutine(f, conn_factory, connector, viewer)
        else:
            _run_plain(f, conn_factory, connector, viewer)


def _unwrapped(f: Any) -> Any:
    while isinstance(f, functools.partial):
        f = f.func
    return f


def _run_plain(
    f: Callable[..., Any], conn_factory: Any, connector: Any, viewer: Viewer | None
) -> None:
    """Run a plain function here, and the loop in its own thread."""
    side = _sync_side()
    loop = side.loop
    conn = run_in(loop, _connected(side, conn_factory, connector))
    try:
        if viewer is not None:
            run_in(loop, viewer.open(conn))
        f(conn)
    finally:
        run_in(loop, _close(conn))


def _run_coroutine(
    f: Callable[..., Any], conn_factory: Any, connector: Any, viewer: Viewer | None
) -> None:
    """Run a coroutine, and everything else of the façade, on the loop of this thread."""
    loop = current_loop()

    async def work() -> None:
        conn = await _connected(Side(loop), conn_factory, connector)
        try:
            if viewer is not None:
                await viewer.open(conn)
            await f(conn)
        finally:
            await _close(conn)

    task = loop.create_task(work())
    try:
        loop.run_until_complete(task)
    except (KeyboardInterrupt, SystemExit):
        if task.done():
            # The program raised it: a loop waits for ever for a task that has ended like that.
            raise
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, SDKShutdown):
            loop.run_until_complete(task)
        raise


async def _close(conn: CozmoConnection) -> None:
    """Shut down in the loop: called from another thread, it would end its own call, too."""
    await conn.shutdown()


def current_loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this thread; a new one where there is none, or a closed one."""
    try:
        with warnings.catch_warnings():
            # Newer Pythons warn of it, and the newest refuse it where there is none.
            warnings.simplefilter("ignore", DeprecationWarning)
            loop = asyncio.get_event_loop()
        if not loop.is_closed():
            return loop
    except RuntimeError:
        pass
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop
