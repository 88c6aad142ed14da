"""Command latency and delivery under loss, the same robot process for both clients."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from dataclasses import dataclass

from .rows import Row, limit_row

COUNT = 200
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


def run_client(client: str, loss: float) -> Run:
    """Run one client against a fresh robot process that loses datagrams both ways."""
    robot = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.robot", "--loss", str(loss)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert robot.stdout is not None
    assert robot.stdin is not None
    port = json.loads(robot.stdout.readline())["port"]
    settle = 1.0 if loss == 0 else 3.0
    sent: dict[str, object] = {}
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "benchmarks.client", client, "--port", str(port)),
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
    except subprocess.TimeoutExpired:
        sent = {}
    robot.stdin.close()
    seen = json.loads(robot.stdout.readline())
    robot.wait(10)
    times: list[float] = sent.get("sent", [])  # type: ignore[assignment]
    latencies = [
        (seen["arrivals"][str(value)] - handed) * 1000.0
        for value, handed in enumerate(times, start=1)
        if str(value) in seen["arrivals"]
    ]
    # A volume set at start is no command of ours.
    delivered = [v for v in seen["delivered"] if 1 <= v <= COUNT]
    return Run(latencies, delivered, float(sent.get("cpu", float("nan"))))  # type: ignore[arg-type]


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
            0.5,
            "ms",
        ),
        limit_row(
            "command -> datagram on the wire, p99",
            _quantile(theirs.latencies, 0.99),
            _quantile(ours.latencies, 0.99),
            2.0,
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
