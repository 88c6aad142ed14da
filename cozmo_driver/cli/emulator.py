"""``cozmo emulator``: an emulated robot on UDP until it is interrupted."""

from __future__ import annotations

import argparse
import asyncio
import signal

from ..emulator import (
    DEFAULT_PORT,
    EmulatorOptions,
    EmulatorServer,
    ImpairmentOptions,
    PortTaken,
)
from .errors import CommandError

HELP = "run an emulated robot"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    add(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        help="UDP port, 0 for any free one (default %(default)s)",
    )
    add("--seed", type=int, default=0, help="of every random number (default %(default)s)")
    add("--on-charger", action="store_true", help="start on the charger")
    link = parser.add_argument_group("a bad link, both ways")
    for name, meaning in (
        ("loss", "lost"),
        ("duplicate", "doubled"),
        ("reorder", "overtaken by others"),
    ):
        link.add_argument(
            f"--{name}",
            type=float,
            default=0.0,
            metavar="SHARE",
            help=f"share of datagrams that are {meaning}, 0 to 1 (default 0)",
        )
    link.add_argument(
        "--latency-ms", type=float, default=0.0, metavar="MS", help="one way (default 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; return 0."""
    if not 0 <= arguments.port <= 65535:
        raise CommandError(f"--port {arguments.port}: a port is from 0 to 65535", 2)
    try:
        options = EmulatorOptions(seed=arguments.seed, on_charger=arguments.on_charger)
        link = ImpairmentOptions(
            loss=arguments.loss,
            duplicate=arguments.duplicate,
            reorder=arguments.reorder,
            latency=arguments.latency_ms / 1000.0,
        )
    except ValueError as error:
        raise CommandError(str(error), 2) from error
    server = EmulatorServer(
        options, host=arguments.host, port=arguments.port, uplink=link, downlink=link
    )
    asyncio.run(_serve(server))
    return 0


async def _serve(server: EmulatorServer) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        await server.start()
    except PortTaken:
        raise CommandError(
            f"UDP port {server.port} of {server.host} is in use: stop the other program or choose "
            "another port with --port"
        ) from None
    except OSError as error:
        raise CommandError(
            f"cannot listen on {server.host}, port {server.port}: {error.strerror or error}"
        ) from error
    print(f"Cozmo emulator on {server.host}:{server.port}", flush=True)
    reporter = _Reporter(server)
    server.changed = reporter.look
    await stop.wait()
    await server.stop()


class _Reporter:
    """Prints a line whenever an engine comes or goes."""

    def __init__(self, server: EmulatorServer) -> None:
        """Watch a server on which nobody is connected."""
        self._server = server
        self._reported = 0
        self._connected = False

    def look(self) -> None:
        """Report what has changed."""
        core = self._server.firmware.core
        connected = self._server.firmware.connected
        if (core.sessions, connected) == (self._reported, self._connected):
            return
        if self._connected or not connected:
            reason = core.last_disconnect.value if core.last_disconnect else "unknown"
            print(f"disconnected: {reason}", flush=True)
        if connected and self._server.peer is not None:
            host, port = self._server.peer
            print(f"connected: {host}:{port}", flush=True)
        self._reported, self._connected = core.sessions, connected
