"""Latency of commands and stops, and delivery under loss, with a robot in its own process."""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import Trigger

from .rows import Row, limit_row
from .soak.run import running_driver, running_load, running_node

COUNT = 200
_TIMEOUT = 120.0
_LOSSES = (0.01, 0.03, 0.10, 0.20)


@dataclass(frozen=True, slots=True)
class Run:
    """What one client did: latencies in ms, values delivered in order, CPU share of a core."""

    latencies: list[float]
    delivered: list[int]
    cpu: float

    @property
    def is_complete(self) -> bool:
        """Tell whether every command arrived once and in order."""
        return self.delivered == list(range(1, COUNT + 1))


class RobotProcess:
    """A fresh robot in a process of its own; ``seen`` is what it recorded, once it has ended."""

    def __init__(self, loss: float = 0.0) -> None:
        """Lose this share of the datagrams both ways."""
        self.seen: dict[str, Any] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.robot", "--loss", str(loss)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = int(self._read()["port"])

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def __enter__(self) -> RobotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self.seen = self._read()
        self._process.wait(_TIMEOUT)


def run_client(client: str, loss: float) -> Run:
    """Run one client against a fresh robot that loses datagrams both ways."""
    settle = 1.0 if loss == 0 else 3.0
    sent: dict[str, Any] = {}
    with RobotProcess(loss) as robot, contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "benchmarks.client", client, "--port", str(robot.port)),
                *("--count", str(COUNT), "--settle", str(settle)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=90,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        sent = json.loads(lines[-1]) if lines else {}
    arrivals = robot.seen["arrivals"]
    latencies = [
        (arrivals[str(value)] - handed) * 1000.0
        for value, handed in enumerate(sent.get("sent", []), start=1)
        if str(value) in arrivals
    ]
    # A volume set at start is no command of ours.
    delivered = [v for v in robot.seen["delivered"] if 1 <= v <= COUNT]
    return Run(latencies, delivered, float(sent.get("cpu", math.nan)))


def stop_latencies(count: int = COUNT) -> list[float]:
    """Return ms from the call of ``emergency_stop`` to the wire, while all else is asked too."""
    namespace = f"/stop_{os.getpid()}"
    called: list[float] = []

    def make_clients(node: Node) -> list[Client]:
        return [node.create_client(Trigger, name) for name in ("emergency_stop", "release_stop")]

    with (
        RobotProcess() as robot,
        tempfile.NamedTemporaryFile(suffix=".log") as log,
        running_node(namespace, "stops", make_clients) as (stop, release),
        running_load(namespace) as load,
        running_driver(robot.port, namespace, Path(log.name)),
    ):
        deadline = time.monotonic() + _TIMEOUT
        while not (load.connections and load.connections[-1][1] and release.service_is_ready()):
            if time.monotonic() > deadline:
                raise RuntimeError("the driver does not connect")
            time.sleep(0.1)
        pauses = Random(1)
        for _ in range(count):
            time.sleep(pauses.uniform(0.02, 0.1))
            called.append(time.monotonic())
            _call(stop)
            _call(release)
        load.end()
    stops = [next((at for at in robot.seen["stops"] if at > call), math.inf) for call in called]
    return [(at - call) * 1000.0 for at, call in zip(stops, called, strict=True)]


def _call(client: Client) -> None:
    answered = threading.Event()
    client.call_async(Trigger.Request()).add_done_callback(lambda _: answered.set())
    if not answered.wait(_TIMEOUT):
        raise RuntimeError(f"{client.srv_name} does not answer")


def _quantile(values: list[float], share: float) -> float:
    return statistics.quantiles(values, n=100)[round(share * 100) - 1]


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    theirs, ours = run_client("pycozmo", 0.0), run_client("ours", 0.0)
    result = [
        limit_row(
            "command -> datagram on the wire, p50",
            _quantile(theirs.latencies, 0.5),
            _quantile(ours.latencies, 0.5),
            0.3,
            "ms",
        ),
        limit_row(
            "command -> datagram on the wire, p99",
            _quantile(theirs.latencies, 0.99),
            _quantile(ours.latencies, 0.99),
            1.0,
            "ms",
        ),
        limit_row(
            "emergency_stop to wire while everything else is asked, p99",
            None,
            _quantile(stop_latencies(), 0.99),
            50.0,
            "ms",
        ),
        _delivery_row(0.0, theirs, ours, ours.cpu),
    ]
    for loss in _LOSSES:
        result.append(
            _delivery_row(loss, run_client("pycozmo", loss), run_client("ours", loss), ours.cpu)
        )
    return result


def _delivery_row(loss: float, theirs: Run, ours: Run, lossless_cpu: float) -> Row:
    def figure(run: Run) -> str:
        order = "in order" if run.delivered == sorted(set(run.delivered)) else "disordered"
        cpu = "unfinished" if math.isnan(run.cpu) else f"CPU {run.cpu * 100:.1f} %"
        return f"{len(set(run.delivered))} {order}, {cpu}"

    return Row(
        f"{COUNT} reliable commands at {loss * 100:.0f} % loss both ways",
        figure(theirs),
        figure(ours),
        f"CPU {ours.cpu / lossless_cpu:.1f}x lossless",
        "all, in order; CPU <= 2x",
        ours.is_complete and ours.cpu <= 2 * lossless_cpu,
    )
