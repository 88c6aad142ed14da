"""A robot's twin: the emulator's options by which it errs as the one of a checkup's report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..checkup import load_report, measured_of
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
_CALIBRATE = "calibrate."
_MOST_SHAKING = 10.0


def twin_options(path: Path) -> dict[str, Any]:
    """Return the fields of ``EmulatorOptions`` by a report, or the one in a folder.

    What its steps did not measure is as of the measured robot of its hardware, which errs in
    nothing.
    Raises ``ValueError`` for what is no report, and for what no robot has.
    """
    report = load_report(path)
    figures = report.figures()
    names = {hardware.body_version: name for name, hardware in HARDWARE.items()}
    name = names.get(round(figures.get("identity.body_hardware", 0)), DEFAULT_HARDWARE)
    options: dict[str, Any] = {"hardware": hardware_like(FIGURES[name] | figures)}
    if (shaking := _shaking(figures)) is not None:
        options["shaking"] = min(_MOST_SHAKING, shaking)
    if (voltage := figures.get("battery.voltage")) is not None:
        options["battery_voltage"] = voltage
    stored = {}
    for field, name in _LENS.items():
        if (value := figures.get(f"camera_calibration.{name}")) is not None:
            check_possible(f"camera_calibration.{name}", value, MEASURED_BOUNDS[field])
            stored[field] = value
    known = {
        name.removeprefix(_CALIBRATE): value
        for name, value in figures.items()
        if name.startswith(_CALIBRATE)
    }
    steps = {one.name: one for one in report.steps}
    if (difference := measured_of(steps).get("tread_difference")) is not None:
        known["tread_difference"] = difference.value
    options["variation"] = variation_like(known, Lens(**stored))
    return options


def _shaking(figures: Mapping[str, float]) -> float | None:
    """Return how strongly the robot shakes, by its slowest drives; None if it was not measured."""
    axes = {axis: figures.get(f"shaking.accelerometer_{axis}_0.03") for axis in "xyz"}
    measured = {axis: one for axis, one in axes.items() if one is not None}
    speeds = [figures.get(f"treads.reached_{way}_0.03") for way in ("forward", "backward")]
    known = [one for one in speeds if one]
    if not measured:
        return None
    return shaking_like(measured, sum(known) / len(known)) if known else shaking_like(measured)
