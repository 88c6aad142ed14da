"""A traced session in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..traffic.lines import counted
from ..traffic.sessions import SessionEnds
from ..traffic.trace_series import SessionSeries, WaySeries
from .link_report import percentile


def report_lines(ends: SessionEnds, series: SessionSeries) -> list[str]:
    """Return the summary for people."""
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
        lines.append(f"  acknowledged  {_spread(series.ack_delays)} after they were first sent")
    states = len(series.from_robot.messages.get("RobotState", ()))
    if states:
        lines.append(
            f"  states        {states}, {series.missing_states} missing{_share(series, states)}"
        )
    for begin, length in series.silences:
        lines.append(f"  silence       of the robot for {length:.1f} s from {begin:.1f} s on")
    return lines


def _way(way: WaySeries, duration: float) -> str:
    rate = f" ({len(way.frames) / duration:.1f}/s)" if duration else ""
    text = f"{len(way.frames)} frames{rate}, {way.bytes} bytes, {way.count} messages and pings, "
    text += f"{len(way.resends)} sent again"
    return f"{text}, {counted(len(way.gaps), 'gap')}" if way.gaps else text


def _share(series: SessionSeries, states: int) -> str:
    if not series.missing_states:
        return ""
    return f" ({100 * series.missing_states / (series.missing_states + states):.1f} %)"


def _pings(series: SessionSeries) -> str:
    answered, lost = len(series.round_trips), len(series.lost_pings)
    if not answered + lost:
        return ""
    # A ping is lost when either of its two ways loses a datagram.
    loss = 1.0 - math.sqrt(answered / (answered + lost))
    text = f"{answered} answered, {lost} lost: about {100 * loss:.1f} % of datagrams each way"
    return f"{text}; {_spread(series.round_trips)}" if answered else text


def _spread(seconds: Sequence[float]) -> str:
    p50, p99 = (percentile(seconds, share) for share in (0.5, 0.99))
    return f"p50 {_ms(p50)}, p99 {_ms(p99)}, longest {_ms(max(seconds))}"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
