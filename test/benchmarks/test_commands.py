"""The latency of the emergency stop can be measured."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from benchmarks.commands import stop_latencies


def test_every_stop_reaches_the_robot_while_everything_else_is_asked() -> None:
    latencies = stop_latencies(5)
    assert len(latencies) == 5
    assert all(math.isfinite(latency) and latency > 0.0 for latency in latencies)
