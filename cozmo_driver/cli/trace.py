"""``cozmo trace``: a session over time, as a summary, as events or as a picture."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from ..link import UdpLink
from ..protocol import Connected, Disconnected, Event
from ..protocol.messages import GetManufacturingInfo
from ..traffic.dissect import Dissector
from ..traffic.errors import TrafficError
from ..traffic.network import Endpoint
from ..traffic.sessions import RecordedFrame, SessionEnds
from ..traffic.trace import TraceEvent, Tracer
from ..traffic.trace_series import SessionSeries
from .ending import run_until_terminated
from .errors import CommandError
from .examples import add_examples
from .robot_address import DEFAULT_ROBOT, add_network_interface
from .trace_report import report_lines
from .traffic_input import endpoint, opened, saying

_MESSAGE_PERIOD = 0.25
"""Seconds; a robot answers a question that is repeated sooner only once."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="pcap or pcapng, or a recording as text")
    add(
        "--live",
        nargs="?",
        const=DEFAULT_ROBOT,
        metavar="ADDRESS[:PORT]",
        help="connect to a robot instead (default %(const)s); nothing moves",
    )
    add(
        "--seconds",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long with --live (default %(default)g)",
    )
    add_network_interface(parser)
    add("--session", type=int, metavar="NUMBER", help="this one only (picture: the longest)")
    add("--json", action="store_true", help="one JSON object for each event")
    add("--picture", type=Path, metavar="FILE", help="draw a session as PNG, SVG or PDF")
    add_examples(
        parser,
        "cozmo trace session.pcap",
        "cozmo trace session.pcap --picture session.png",
        "cozmo trace session.pcap --json | grep round_trip",
        "cozmo trace --live --seconds 5  # of the link to a robot, nothing moves",
    )


def run(arguments: argparse.Namespace) -> int:
    """Trace; return 0, or 1 when there was nothing to trace."""
    if (arguments.file is None) is (arguments.live is None):
        raise CommandError("name either a FILE or --live", 2)
    if not 0 < arguments.seconds < math.inf:
        raise CommandError(f"--seconds {arguments.seconds:g}: must be above zero", 2)
    trace = _Trace(arguments)
    if arguments.live is not None:
        robot = endpoint(arguments.live)
        with saying():
            begin, frames = run_until_terminated(_Live(robot, arguments).run())
        trace.take_all(iter(frames))
        trace.show({1: SessionEnds(1, Endpoint("this computer", 0), robot, 0.0)}, begin)
    else:
        with opened(arguments.file, shows_progress=not arguments.json) as traffic:
            trace.take_all(iter(traffic))
            trace.show(traffic.sessions.ends, traffic.begin)
    if not trace.sessions:
        raise CommandError("there is no frame of a Cozmo to trace")
    return 0


class _Trace:
    """Follows frames; tells the events at once and keeps the series of each session."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.sessions: dict[int, SessionSeries] = {}
        self._arguments = arguments

    def take_all(self, frames: Iterator[RecordedFrame]) -> None:
        dissector, tracer = Dissector(), Tracer()
        for recorded in frames:
            if self._arguments.session in (None, recorded.session):
                self._take(tracer.take(dissector.dissect(recorded)))
        self._take(tracer.end())

    def _take(self, events: list[TraceEvent]) -> None:
        for event in events:
            if self._arguments.json:
                print(json.dumps(event.as_json()))
            self.sessions.setdefault(event.session, SessionSeries()).take(event)

    def show(self, ends: dict[int, SessionEnds], begin: float | None) -> None:
        if not self._arguments.json:
            for number, series in self.sessions.items():
                print("\n".join(report_lines(ends[number], series)))
        if self._arguments.picture is None or not self.sessions:
            return
        # Slow to import.
        from .trace_picture import draw

        number, longest = max(self.sessions.items(), key=lambda one: one[1].duration)
        title = f"session {number}: engine {ends[number].engine}, robot {ends[number].robot}"
        if begin is not None:
            when = datetime.fromtimestamp(begin + longest.begin, timezone.utc)
            title += f", {when:%Y-%m-%d %H:%M:%S} UTC"
        try:
            draw(longest, title, self._arguments.picture)
        except ValueError as error:
            raise CommandError(f"{self._arguments.picture}: {error}") from error


class _Live:
    """A connection of its own that asks the robot harmless questions and pings it."""

    def __init__(self, robot: Endpoint, arguments: argparse.Namespace) -> None:
        self._robot = robot
        self._seconds = arguments.seconds
        self._frames: list[RecordedFrame] = []
        self._link = UdpLink(
            *robot, self._on_event, network_interface=arguments.network_interface, tap=self._tap
        )
        self._changed = asyncio.Event()
        self._ended = ""

    async def run(self) -> tuple[float, list[RecordedFrame]]:
        """Return when it began, s since 1970, and what was exchanged."""
        loop = asyncio.get_running_loop()
        begin, self._zero = datetime.now(timezone.utc).timestamp(), loop.time()
        self._link.open()
        try:
            self._link.connect()
            await self._changed.wait()
            if self._ended:
                raise TrafficError(f"no robot at {self._robot}: {self._ended}")
            end = loop.time() + self._seconds
            while (left := end - loop.time()) > 0 and self._link.is_connected:
                self._link.send(GetManufacturingInfo())
                await asyncio.sleep(min(left, _MESSAGE_PERIOD))
        finally:
            self._link.close()
        return begin, self._frames

    def _on_event(self, event: Event, _now: float) -> None:
        if isinstance(event, Disconnected):
            self._ended = event.reason.value
        if isinstance(event, Connected | Disconnected):
            self._changed.set()

    def _tap(self, to_robot: bool, datagram: bytes, now: float) -> None:
        self._frames.append(
            RecordedFrame(len(self._frames) + 1, now - self._zero, to_robot, datagram)
        )
