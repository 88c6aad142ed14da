"""An emulated twin does in a checkup what the robot of a report did."""

from __future__ import annotations

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


def test_a_twin_is_within_the_tolerances_and_that_of_another_robot_is_not(tmp_path: Path) -> None:
    b = twin(checked(tmp_path / "B", 801, "1.0", 1.0))
    a = twin(checked(tmp_path / "A", 802, "1.5", 2.5))
    for own, other in ((a, b), (b, a)):
        assert share(own) >= WANTED
        emulated = {row.what: row.emulated for row in other}
        assert share([replace(row, emulated=emulated[row.what]) for row in own]) < WANTED
