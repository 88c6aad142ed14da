"""What a checkup found of a robot and the driver uses from then on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from ..robot import Measurement, load_robot_calibration, save_robot_calibration
from .report import ReportedStep
from .step import Result, Verdict

Finding = Result | ReportedStep
"""Of a step, by whose name it stands."""

_COUNTS = (Verdict.PASSED, Verdict.UNUSUAL)
_EDGE_SHARE = 0.5
"""Of what the floor reads: what reads more is no edge."""
_FLICKER = 5.0
"""Standard deviation of the cliff sensor's reading (spec 18)."""
_LEAST_DIFFERENCE = 0.002
"""Standard deviation of a difference of treads, however alike the five speeds tell it: 16 emulated
robots were measured 0.001 beside in the median, and one 0.005."""
_STATES, _SHARE = 130, 0.05
"""States that sensors are read in, and share of a noise: how well they tell it."""


def keep_measured(directory: Path, serial: int, findings: Mapping[str, Finding]) -> list[str]:
    """Store by the serial number what was found; return the names. Raises ``OSError``.

    What ``cozmo calibrate`` measured on the way is kept by its own step, and comes first.
    """
    measured = measured_of(findings)
    if measured:
        kept = load_robot_calibration(directory, serial)
        save_robot_calibration(directory, serial, kept.with_values(measured))
    return list(measured)


def measured_of(findings: Mapping[str, Finding]) -> dict[str, Measurement]:
    """Return what steps found, by the names of ``MEASURED_BOUNDS``; nothing impossible."""
    source = f"cozmo checkup {date.today().isoformat()}"
    found = {
        name: (value, deviation)
        for name, value, deviation in _found(findings)
        if math.isfinite(value) and math.isfinite(deviation)
    }
    if _value(findings, "calibrate", "track_width") is not None:
        found.pop("track_width", None)
    measured = {name: Measurement(*pair, source) for name, pair in found.items()}
    return {name: one for name, one in measured.items() if one.is_possible(name)}


def _found(findings: Mapping[str, Finding]) -> Iterator[tuple[str, float, float]]:
    """Yield names, values and standard deviations."""
    noises = [_value(findings, "sensors", f"accelerometer_noise_{axis}") for axis in "xyz"]
    known = [noise for noise in noises if noise is not None]
    if known:
        yield "accelerometer_noise", max(known), _SHARE * max(known)
    zero, noise = (_value(findings, "sensors", f"gyro_{name}") for name in ("z", "noise_z"))
    if zero is not None and noise is not None:
        yield "gyro_zero", zero, noise / math.sqrt(_STATES)
    track, spread = (_value(findings, "turns", name) for name in ("track", "track_spread"))
    if track is not None and spread is not None:
        yield "track_width", track, spread
        yield from _difference(findings, track)
    slope, spread = (
        _value(findings, "turns", name) for name in ("track_per_rate", "track_per_rate_deviation")
    )
    if slope is not None and spread is not None:
        yield "track_per_rate", slope, spread
    floor, edge = (_value(findings, "edge", name) for name in ("floor", "least"))
    if floor is not None and edge is not None and edge < _EDGE_SHARE * floor:
        yield "edge_reading", edge, _FLICKER


def _difference(
    findings: Mapping[str, Finding], track: float
) -> Iterator[tuple[str, float, float]]:
    """Yield what the right tread drives more for the same count.

    What the robot turned on a straight drive, at the track of its spins, less what its treads
    counted to differ.
    """
    turn, spread, counted = (
        _value(findings, "treads", name)
        for name in ("heading_per_way", "heading_per_way_deviation", "difference_per_way")
    )
    if turn is not None and spread is not None and counted is not None:
        unsure = math.hypot(spread * track, _LEAST_DIFFERENCE)
        yield "tread_difference", turn * track - counted, unsure


def _value(findings: Mapping[str, Finding], step: str, name: str) -> float | None:
    finding = findings.get(step)
    if finding is None or finding.verdict not in _COUNTS:
        return None
    found = finding.values.get(name)
    return float(found.value) if found and not isinstance(found.value, str) else None
