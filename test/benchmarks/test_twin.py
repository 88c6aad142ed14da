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
from cozmo_driver.emulator import robot_file

from ..checkup.desk import emulated
from ..robot.virtual import in_virtual_time

COMPARED = {"identity", *(name.partition(".")[0] for name in EXPECTATIONS)}


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


def share(folder: Path, like: Path | None = None) -> float:
    rows = twin(folder, like=like)
    assert len(rows) > 30
    return sum(row.is_met for row in rows) / len(rows)


@pytest.mark.parametrize(
    ("serial", "hardware", "shaking"), [(801, "1.0", 1.0), (802, "1.5", 2.5)], ids=["B", "A"]
)
def test_a_twin_is_within_the_tolerances_and_another_robot_is_not(
    serial: int, hardware: str, shaking: float, tmp_path: Path
) -> None:
    folder = checked(tmp_path, serial, hardware, shaking)
    assert share(folder) >= WANTED
    # One like the other robot that was measured, which does not shake.
    other = json.loads(robot_file({"1.0": "1.5", "1.5": "1.0"}[hardware]).read_text())
    reported = json.loads((folder / REPORT_FILE).read_text())
    [shaken] = [step for step in reported["steps"] if step["name"] == "shaking"]
    shaken["values"]["accelerometer_x_0.03"]["value"] = 0.0
    (tmp_path / "other.json").write_text(json.dumps({**other, "steps": [*other["steps"], shaken]}))
    assert share(folder, like=tmp_path / "other.json") < WANTED
