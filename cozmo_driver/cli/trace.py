"""``cozmo trace``: a session over time, as a summary, as events or as a picture."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from ..protocol.messages import GetManufacturingInfo
from ..traffic import (
    DirectionSeries,
    Dissector,
    Endpoint,
    RecordedFrame,
    SessionEnds,
    SessionSeries,
    TraceEvent,
    Tracer,
    TrafficError,
)
from ..traffic.live import EngineLink
from .common import (
    DEFAULT_ROBOT,
    CommandError,
    add_examples,
    add_network_interface,
    add_number,
    as_command_error,
    counted,
)
from .linktest import loss_each_way, spread
from .signals import run_until_signalled
from .traffic_input import endpoint, opened

_MESSAGE_PERIOD = 0.25
"""Seconds; a robot answers a question that is repeated sooner only once."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="pcap or pcapng, or a recording as text")
    add(
        "--live",
        nargs="?",
        const=DEFAULT_ROBOT,
        metavar="ADDRESS[:PORT]",
        help="connect to a robot instead (default %(const)s); nothing moves",
    )
    add_number(parser, "--seconds", 10.0, "how long with --live", "SECONDS", above=0.0)
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
    if (arguments.file is None) is (arguments.live is None):
        raise CommandError("name either a FILE or --live", 2)
    trace = _Trace(arguments)
    if arguments.live is not None:
        robot = endpoint(arguments.live)
        with as_command_error(TrafficError):
            begin, frames = run_until_signalled(_Live(robot, arguments).run())
        trace.update(frames)
        trace.show({1: SessionEnds(1, Endpoint("this computer", 0), robot, 0.0)}, begin)
    else:
        with opened(arguments.file, shows_progress=not arguments.json) as traffic:
            trace.update(traffic.frames)
            trace.show(traffic.sessions.ends, traffic.begin)
    if not trace.sessions:
        raise CommandError("there is no frame of a Cozmo to trace")
    return 0


class _Trace:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.sessions: dict[int, SessionSeries] = {}
        self._arguments = arguments

    def update(self, frames: Iterable[RecordedFrame]) -> None:
        dissector, tracer = Dissector(), Tracer()
        for recorded in frames:
            if self._arguments.session in (None, recorded.session):
                self._on_events(tracer.update(dissector.dissect(recorded)))
        self._on_events(tracer.end())

    def _on_events(self, events: list[TraceEvent]) -> None:
        for event in events:
            if self._arguments.json:
                print(json.dumps(event.as_json()))
            self.sessions.setdefault(event.session, SessionSeries()).update(event)

    def show(self, ends: dict[int, SessionEnds], begin: float | None) -> None:
        if not self._arguments.json:
            for number, series in self.sessions.items():
                print("\n".join(_summary(ends[number], series)))
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
        self._seconds = arguments.seconds
        self._frames: list[RecordedFrame] = []
        self._link = EngineLink(robot, network_interface=arguments.network_interface, tap=self._tap)

    async def run(self) -> tuple[float, list[RecordedFrame]]:
        """Return when it began, s since 1970, and what was exchanged. Raises ``TrafficError``."""
        loop = asyncio.get_running_loop()
        begin, self._zero = datetime.now(timezone.utc).timestamp(), loop.time()
        try:
            await self._link.established()
            end = loop.time() + self._seconds
            while (left := end - loop.time()) > 0 and self._link.is_connected:
                self._link.send(GetManufacturingInfo())
                await asyncio.sleep(min(left, _MESSAGE_PERIOD))
        finally:
            self._link.close()
        return begin, self._frames

    def _tap(self, to_robot: bool, datagram: bytes, now: float) -> None:
        self._frames.append(
            RecordedFrame(len(self._frames) + 1, now - self._zero, to_robot, datagram)
        )


def _summary(ends: SessionEnds, series: SessionSeries) -> list[str]:
    begin, duration = series.begin, series.duration
    lines = [
        f"session {ends.number}  engine {ends.engine}, robot {ends.robot}, "
        f"{duration:.1f} s from {begin:.1f} s on",
        "  phases        "
        + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in series.durations().items()),
    ]
    for name, way in (("to robot", series.to_robot), ("from robot", series.from_robot)):
        lines.append(f"  {name:<12}  {_way(way, duration)}")
    if pings := _pings(series):
        lines.append(f"  ping          {pings}")
    if series.ack_delays:
        lines.append(f"  acknowledged  {spread(series.ack_delays)} after they were first sent")
    states = len(series.from_robot.messages.get("RobotState", ()))
    if states:
        missing = series.missing_states
        share = f" ({100 * missing / (missing + states):.1f} %)" if missing else ""
        lines.append(f"  states        {states}, {missing} missing{share}")
    for begin, length in series.silences:
        lines.append(f"  silence       of the robot for {length:.1f} s from {begin:.1f} s on")
    return lines


def _way(way: DirectionSeries, duration: float) -> str:
    rate = f" ({len(way.frames) / duration:.1f}/s)" if duration else ""
    text = f"{len(way.frames)} frames{rate}, {way.bytes} bytes, {way.count} messages and pings, "
    text += f"{len(way.resends)} sent again"
    return f"{text}, {counted(len(way.gaps), 'gap')}" if way.gaps else text


def _pings(series: SessionSeries) -> str:
    answered, lost = len(series.round_trips), len(series.lost_pings)
    loss = loss_each_way(answered, lost)
    if loss is None:
        return ""
    text = f"{answered} answered, {lost} lost: about {100 * loss:.1f} % of datagrams each way"
    return f"{text}; {spread(series.round_trips)}" if answered else text
