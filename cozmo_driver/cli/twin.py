"""A robot's twin: the emulator's options by which it errs as the one of a checkup's report."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..checkup import Report, Verdict, load_report, measured_of
from ..emulator import (
    DEFAULT_HARDWARE,
    FIGURES,
    HARDWARE,
    Lens,
    hardware_like,
    shaking_like,
    variation_like,
)
from ..robot_bounds import MEASURED_BOUNDS, check_possible

_LENS = {"fx": "focal_length_x", "fy": "focal_length_y", "cx": "centre_x", "cy": "centre_y"}
_MOST_SHAKING = 10.0
_MEASURED = (Verdict.PASSED, Verdict.UNUSUAL)


def twin_options(path: Path) -> dict[str, Any]:
    """Return the fields of ``EmulatorOptions`` by a report, or the one in a folder.

    What its steps did not measure is as of the measured robot of its hardware, which errs in
    nothing.
    Raises ``ValueError`` for what is no report, and for what no robot has.
    """
    report = load_report(path)
    body = _number(report, "identity", "body_hardware")
    names = {hardware.body_version: name for name, hardware in HARDWARE.items()}
    name = names.get(round(body or 0), DEFAULT_HARDWARE)
    options: dict[str, Any] = {"hardware": hardware_like(FIGURES[name] | _figures(report))}
    if (shaking := _shaking(report)) is not None:
        options["shaking"] = min(_MOST_SHAKING, shaking)
    if (voltage := _number(report, "battery", "voltage")) is not None:
        options["battery_voltage"] = voltage
    stored = {}
    for field, name in _LENS.items():
        if (value := _number(report, "camera_calibration", name)) is not None:
            check_possible(f"camera_calibration.{name}", value, MEASURED_BOUNDS[field])
            stored[field] = value
    step = report.step("calibrate")
    measured = {name: _number(report, "calibrate", name) for name in (step.values if step else ())}
    known = {name: value for name, value in measured.items() if value is not None}
    steps = {one.name: one for one in report.steps}
    if (difference := measured_of(steps).get("tread_difference")) is not None:
        known["tread_difference"] = difference.value
    options["variation"] = variation_like(known, Lens(**stored))
    return options


def _shaking(report: Report) -> float | None:
    """Return how strongly the robot shakes, by its slowest drives; None if it was not measured."""
    axes = {axis: _number(report, "shaking", f"accelerometer_{axis}_0.03") for axis in "xyz"}
    measured = {axis: one for axis, one in axes.items() if one is not None}
    speeds = [_number(report, "treads", f"reached_{way}_0.03") for way in ("forward", "backward")]
    known = [one for one in speeds if one]
    if not measured:
        return None
    return shaking_like(measured, sum(known) / len(known)) if known else shaking_like(measured)


def _figures(report: Report) -> dict[str, float]:
    """Return what was measured, by STEP.NAME."""
    return {
        f"{step.name}.{name}": one.value
        for step in report.steps
        if step.verdict in _MEASURED
        for name, one in step.values.items()
        if isinstance(one.value, int | float) and math.isfinite(one.value)
    }


def _number(report: Report, step: str, name: str) -> float | None:
    """Return a value of a step; None where it was not measured."""
    found = report.step(step)
    value = found.values[name].value if found and name in found.values else None
    return value if isinstance(value, int | float) and math.isfinite(value) else None
