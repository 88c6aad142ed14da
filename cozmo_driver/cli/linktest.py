"""``cozmo linktest``: measures the link to a robot with harmless messages."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..link import end, with_timeout
from ..protocol import ConnectionLost, EngineConfig, NotConnected, SendQueueFull
from ..protocol.messages import SetAudioVolume
from ..traffic import Endpoint, TrafficError
from ..traffic.live import EngineLink
from .common import add_address, add_examples, add_number, as_command_error, print_result
from .signals import run_until_signalled

_LOUDEST = 65535
SETTLED_AFTER = 1.1
"""Seconds after which a ping without an echo counts as lost."""
_PROGRESS_INTERVAL = 1.0
_CONFIG = EngineConfig(ping_longest_pause=1 / 30)
"""A robot that was not asked for its state acknowledges only together with the echo of a ping."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_address(parser)
    add = parser.add_argument
    add_number(parser, "--count", 500, "messages to send", low=1)
    add_number(parser, "--rate", 100.0, "messages in a second", above=0.0)
    text = "give up so long after the last message was sent"
    add_number(parser, "--timeout", 30.0, text, "SECONDS", above=0.0)
    add("--json", action="store_true", help="print JSON for programs")
    add_examples(
        parser,
        "cozmo linktest  # 500 messages in 5 s",
        "cozmo linktest --count 200 --rate 200 --network-interface lo",
        "cozmo linktest --json",
    )


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(TrafficError):
        report = run_until_signalled(_LinkTest(arguments).run())
    print_result(arguments, report.content(), report.lines())
    return 0 if report.is_complete else 1


class _LinkTest:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._report = LinkReport(arguments.count)
        self._link = EngineLink(
            Endpoint(arguments.robot, arguments.port),
            network_interface=arguments.network_interface,
            config=_CONFIG,
        )
        self._sent: asyncio.Queue[tuple[int, float]] = asyncio.Queue()
        """Ordinals of messages, and when they were sent."""

    async def run(self) -> LinkReport:
        """Return what was measured. Raises ``TrafficError`` when no robot answers."""
        loop = asyncio.get_running_loop()
        try:
            await self._link.established()
            started = loop.time()
            progress = asyncio.create_task(self._show_progress())
            try:
                await self._exchange()
            except (ConnectionLost, NotConnected):
                self._report.ended = f"the connection is gone: {self._link.reason}"
            except TimeoutError:
                self._report.ended = f"not acknowledged within {self._arguments.timeout:g} s"
            finally:
                progress.cancel()
            self._report.duration = loop.time() - started
            await self._read_statistics()
        finally:
            self._link.close()
        return self._report

    async def _exchange(self) -> None:
        receiving = asyncio.create_task(self._await_acknowledgements())
        try:
            await self._send()
            await with_timeout(self._arguments.timeout, asyncio.shield(receiving))
        finally:
            error = await end(receiving)
            if not isinstance(error, ConnectionLost | None):
                raise error

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        for number in range(self._arguments.count):
            await asyncio.sleep(started + number / self._arguments.rate - loop.time())
            while True:
                now = loop.time()
                try:
                    ordinal = self._link.send(SetAudioVolume(number % _LOUDEST + 1))
                except SendQueueFull:
                    await self._link.drained(self._link.waiting - 1)
                else:
                    self._sent.put_nowait((ordinal, now))
                    break

    async def _await_acknowledgements(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(self._arguments.count):
            ordinal, sent = await self._sent.get()
            await self._link.acknowledged(ordinal)
            self._report.round_trips.append(loop.time() - sent)

    async def _read_statistics(self) -> None:
        """Read the counters when every ping of the test has been answered or is lost."""
        statistics = self._link.statistics
        self._report.resends = statistics.resends
        self._report.pings_answered = statistics.pings_answered
        if self._link.is_connected:
            await asyncio.sleep(SETTLED_AFTER)
        self._report.pings_lost = statistics.pings_lost
        self._report.ping_smoothed = statistics.round_trip_smoothed
        self._report.ping_best = statistics.round_trip_min

    async def _show_progress(self) -> None:
        while True:
            await asyncio.sleep(_PROGRESS_INTERVAL)
            print(
                f"{self._report.delivered} of {self._report.count} delivered",
                file=sys.stderr,
                flush=True,
            )


@dataclass(slots=True)
class LinkReport:
    """Numbers of one test; times in seconds."""

    count: int
    """Messages that were to be delivered."""
    round_trips: list[float] = field(default_factory=list)
    """From handing a message over until its acknowledgement, one for each delivered message."""
    duration: float = 0.0
    resends: int = 0
    pings_answered: int = 0
    pings_lost: int = 0
    ping_smoothed: float | None = None
    ping_best: float | None = None
    ended: str = ""
    """Why the test ended early; empty when it did not."""

    @property
    def delivered(self) -> int:
        return len(self.round_trips)

    @property
    def is_complete(self) -> bool:
        return self.delivered == self.count

    @property
    def loss(self) -> float | None:
        """Estimated share of datagrams lost one way; None without a ping."""
        return loss_each_way(self.pings_answered, self.pings_lost)

    def lines(self) -> list[str]:
        lines = [f"delivered   {self.delivered} of {self.count} messages in {self.duration:.1f} s"]
        if self.ended:
            lines.append(f"ended       {self.ended}")
        if self.round_trips:
            lines.append(
                f"round trip  {spread(self.round_trips)} (message sent until acknowledged)"
            )
        lines.append(f"resent      {self.resends} messages")
        if self.loss is not None:
            lines.append(
                f"loss        about {100 * self.loss:.1f} % of datagrams each way "
                f"({self.pings_lost} of {self.pings_lost + self.pings_answered} pings unanswered)"
            )
        if self.ping_smoothed is not None and self.ping_best is not None:
            lines.append(
                f"ping        {_ms(self.ping_smoothed)} smoothed, {_ms(self.ping_best)} at best"
            )
        return lines

    def content(self) -> dict[str, Any]:
        """Return the report for programs; times in s, None for what was not measured."""
        content = asdict(self)
        trips = content.pop("round_trips")
        return {
            **content,
            "ended": self.ended or None,
            "delivered": self.delivered,
            "loss": self.loss,
            "round_trip_p50": percentile(trips, 0.5) if trips else None,
            "round_trip_p99": percentile(trips, 0.99) if trips else None,
            "round_trip_longest": max(trips) if trips else None,
        }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def loss_each_way(answered: int, lost: int) -> float | None:
    """Return the share of datagrams lost one way, by pings; None without a ping.

    A ping is lost when either of its two ways loses a datagram.
    """
    settled = answered + lost
    return 1.0 - math.sqrt(answered / settled) if settled else None


def spread(seconds: Sequence[float]) -> str:
    p50, p99 = (percentile(seconds, share) for share in (0.5, 0.99))
    return f"p50 {_ms(p50)}, p99 {_ms(p99)}, longest {_ms(max(seconds))}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
