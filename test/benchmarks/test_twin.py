"""An emulated twin does in a checkup what the robot of a report did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.fidelity.__main__ import WANTED
from benchmarks.fidelity.twin import twin
from cozmo_driver.checkup import (
    EXPECTATIONS,
    REPORT_FILE,
    STEPS,
    Checkup,
    Files,
    Nobody,
    chosen_steps,
    report_of,
    save_report,
)

from ..checkup.desk import emulated
from ..robot.virtual import in_virtual_time

COMPARED = {"identity", *(name.partition(".")[0] for name in EXPECTATIONS)}


def reported(folder: Path, serial: int, hardware: str, shaking: float) -> Path:
    """Check an emulated robot; return the folder of its report."""
    robot = emulated(serial, hardware=hardware, seed=serial) | {"shaking": shaking}

    @in_virtual_time(robot, cache_directory=folder / "cache")
    async def run(world) -> None:
        checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, COMPARED))
        await checkup.run()
        save_report(report_of(checkup, world.robot, b"salt"), folder, Files({}))

    run()
    return folder


def share(folder: Path) -> float:
    rows = twin(folder)
    assert len(rows) > 30
    return sum(row.is_met for row in rows) / len(rows)


@pytest.mark.parametrize(
    ("serial", "hardware", "shaking"), [(801, "1.0", 1.0), (802, "1.5", 2.5)], ids=["B", "A"]
)
def test_a_twin_is_within_the_tolerances_and_another_robot_is_not(
    serial: int, hardware: str, shaking: float, tmp_path: Path
) -> None:
    folder = reported(tmp_path, serial, hardware, shaking)
    assert share(folder) >= WANTED
    # A twin of the other hardware, which does not shake.
    file = folder / REPORT_FILE
    report = json.loads(file.read_text())
    steps = {step["name"]: step for step in report["steps"]}
    body = steps["identity"]["values"]["body_hardware"]
    body["value"] = 9 - body["value"]
    shaken = steps["shaking"]["values"]["accelerometer_x_0.03"]
    shaken["value"] = 0.0
    file.write_text(json.dumps(report))
    assert share(folder) < WANTED
