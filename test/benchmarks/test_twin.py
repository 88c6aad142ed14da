"""An emulated twin does in a checkup what the robot of a report did."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from benchmarks.fidelity.__main__ import WANTED
from benchmarks.fidelity.recording import Row
from benchmarks.fidelity.twin import twin
from cozmo_driver.checkup import (
    EXPECTATIONS,
    STEPS,
    Checkup,
    Files,
    Nobody,
    Quantity,
    Report,
    ReportedStep,
    Verdict,
    chosen_steps,
    report_of,
    save_report,
)

from ..checkup.desk import emulated
from ..robot.virtual import in_virtual_time

SAME = {"network", "animation"}
"""Steps whose figures are alike whatever the robot."""
COMPARED = {"identity", *(name.partition(".")[0] for name in EXPECTATIONS)} - SAME


def checked(folder: Path, serial: int, hardware: str, shaking: float) -> Path:
    """Check an emulated robot; return the folder of its report."""
    robot = emulated(serial, hardware=hardware, seed=serial) | {"shaking": shaking}

    @in_virtual_time(robot, cache_directory=folder / "cache")
    async def run(world) -> None:
        checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, COMPARED))
        await checkup.run()
        save_report(report_of(checkup, world.robot, b"salt"), folder, Files({}))

    run()
    return folder


def share(rows: list[Row]) -> float:
    assert len(rows) > 30
    return sum(row.is_met for row in rows) / len(rows)


def test_a_twin_is_within_the_tolerances_and_a_usual_robot_is_not(tmp_path: Path) -> None:
    rows = twin(checked(tmp_path, 802, "1.5", 2.5))
    assert share(rows) >= WANTED, [row for row in rows if not row.is_met]
    usual = {
        name.replace(".", ": ").replace("_", " "): (one.low + one.high) / 2
        for name, one in EXPECTATIONS.items()
    }
    assert share([replace(row, emulated=usual[row.what]) for row in rows]) < WANTED


def test_what_was_not_measured_is_no_difference(tmp_path: Path) -> None:
    noise = {"noise": Quantity(math.nan)}
    steps = (ReportedStep("camera", "Camera", Verdict.PASSED, "", values=noise),)
    report = Report("0123456789ab", "2026-11-24", "0.0.0", 100.0, "", steps)
    save_report(report, tmp_path, Files({}))
    assert twin(tmp_path) == []
