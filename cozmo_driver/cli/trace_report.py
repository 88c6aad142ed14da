"""A traced session in words."""

from __future__ import annotations

from ..traffic.sessions import SessionEnds
from ..traffic.trace_series import SessionSeries, WaySeries
from .link_report import loss_each_way, spread
from .words import counted


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
        lines.append(f"  acknowledged  {spread(series.ack_delays)} after they were first sent")
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
    loss = loss_each_way(answered, lost)
    if loss is None:
        return ""
    text = f"{answered} answered, {lost} lost: about {100 * loss:.1f} % of datagrams each way"
    return f"{text}; {spread(series.round_trips)}" if answered else text
