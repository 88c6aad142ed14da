"""``cozmo record``: a session as a pcap file, by a relay between engine and robot."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ..link import PcapWriter, with_timeout
from ..signals import on_signals
from ..traffic import ROBOT_PORT, STDIN, Endpoint, TrafficError
from ..traffic.live import Relay
from .common import CommandError, add_address, add_examples, as_command_error, within
from .traffic_input import endpoint

_MEGABYTE = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="pcap file to write; - for the standard output")
    add_address(parser)
    add(
        "--listen",
        default=f"127.0.0.1:{ROBOT_PORT}",
        metavar="ADDRESS[:PORT]",
        help="where the engine finds the robot meanwhile (default %(default)s)",
    )
    for name, metavar, text in (
        ("--seconds", "SECONDS", "end after so long (default: at Ctrl-C)"),
        ("--size", "MB", "end before the file gets larger (default: never)"),
    ):
        add(name, type=within(float, name, above=0.0), metavar=metavar, help=text)
    add("--force", action="store_true", help="replace the file if it is there")
    add_examples(
        parser,
        "cozmo record session.pcap --robot 172.31.1.1  # and connect the driver to 127.0.0.1",
        "cozmo record session.pcap --seconds 60 --size 20",
        "cozmo record session.pcap --robot 127.0.0.1 --port 5551 --listen 127.0.0.1:5552",
    )


def run(arguments: argparse.Namespace) -> int:
    listen = endpoint(arguments.listen)
    with as_command_error(TrafficError):
        asyncio.run(_Recorder(arguments).run(listen))
    return 0


@contextmanager
def _file(arguments: argparse.Namespace) -> Iterator[BinaryIO]:
    """Open the file to write, which loses what it held."""
    if arguments.file == STDIN:
        if sys.stdout.isatty():
            raise CommandError("a terminal cannot show a pcap file: | cozmo dump -", 2)
        with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as file:
            yield file
        return
    try:
        with open(arguments.file, "wb" if arguments.force else "xb", buffering=0) as file:
            yield file
    except FileExistsError:
        raise CommandError(f"{arguments.file} is there already; --force replaces it") from None


class _Recorder:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._robot = Endpoint(arguments.robot, arguments.port)
        self._limit = None if arguments.size is None else arguments.size * _MEGABYTE
        self._frames = {True: 0, False: 0}
        self._error: OSError | None = None

    async def run(self, listen: Endpoint) -> None:
        loop = asyncio.get_running_loop()
        self._enough = asyncio.Event()
        # Times of a recording go on steadily even when somebody sets the clock.
        self._zero = time.time() - loop.time()
        relay = Relay(self._robot, self._on_datagram, self._arguments.network_interface)
        where = await relay.start(listen)
        try:
            # Not before it can record: with --force an older recording is gone then.
            with _file(self._arguments) as file:
                self._writer = PcapWriter(file)
                await self._record(where)
        finally:
            relay.close()
        if self._error is not None:
            raise self._error
        print(
            f"{self._frames[True]} frames to the robot, {self._frames[False]} from it, "
            f"{self._writer.size} bytes",
            file=sys.stderr,
        )

    async def _record(self, where: Endpoint) -> None:
        on_signals(lambda _: self._enough.set())
        print(
            f"recording to {self._arguments.file}; connect to {where} instead of {self._robot}",
            file=sys.stderr,
            flush=True,
        )
        # Slow to import.
        from tqdm import tqdm  # type: ignore[import-untyped]

        with tqdm(unit=" frames", desc="recorded", leave=False, disable=None) as self._bar:
            try:
                await with_timeout(self._arguments.seconds, self._enough.wait())
            except TimeoutError:
                self._enough.set()

    def _on_datagram(self, source: Endpoint, destination: Endpoint, data: bytes) -> None:
        if self._enough.is_set():
            return
        if self._limit is not None and self._writer.size_with(data) > self._limit:
            self._enough.set()
            return
        now = self._zero + asyncio.get_running_loop().time()
        try:
            self._writer.write(now, source, destination, data)
        except OSError as error:
            self._error = error
            self._enough.set()
            return
        self._frames[destination == self._robot] += 1
        self._bar.update()
