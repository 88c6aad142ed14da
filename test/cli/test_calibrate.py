from __future__ import annotations

import asyncio
import errno
import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest

from cozmo_driver.checkup import CalibrationResult, keep_calibration, seeing
from cozmo_driver.cli import calibrate as command
from cozmo_driver.cli.common import CommandError
from cozmo_driver.emulator import running_emulator
from cozmo_driver.perception import (
    LearntMount,
    Mount,
    Print,
    PrintedCube,
    load_mount,
    load_prints,
)
from cozmo_driver.robot import (
    Measurement,
    RobotCalibration,
    data_directory,
    load_robot_calibration,
    save_robot_calibration,
)

from .command import run, started

SERIAL = 0x45A1B2C3
VALUES = {
    "distance_scale": 0.9931,
    "turn_scale": 1.0142,
    "track_width": 0.0917,
    "head_zero": 0.0105,
    "fx": 291.5,
    "fy": 291.5,
    "cx": 158.1,
    "cy": 117.4,
}
RESULT = CalibrationResult(
    SERIAL,
    {name: Measurement(value, value / 1000.0, "a test") for name, value in VALUES.items()},
    LearntMount(Mount(-0.02, 0.015, 0.01), (0.0008, 0.0004, 0.0013), 40),
    151.0,
    0.1,
    "cube_2",
    PrintedCube(0x77, {"front": Print(1.01)}),
)


def test_it_says_what_it_will_do_and_moves_nothing_before_somebody_agreed() -> None:
    with running_emulator(calibration_time=0.0) as emulator:
        with started("calibrate", "--robot", "127.0.0.1", "--port", emulator.port) as process:
            code, output, errors = process.end()
        assert emulator.state().sessions == 0
    assert (code, output) == (2, "")
    assert "60 x 40 cm" in errors
    assert "nobody is there to agree: give --yes" in errors.splitlines()[-1]


def test_without_a_cube_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeing, "FINDING", 0.3)
    with running_emulator(calibration_time=0.0) as emulator:
        code, output, errors = run(
            "calibrate", "--yes", "--robot", "127.0.0.1", "--port", emulator.port
        )
        assert emulator.state().received["ImageRequest"] > 0
    assert (code, output) == (1, "")
    assert "no cube is in sight" in errors
    assert not list(data_directory().glob("*"))


@pytest.mark.parametrize("size", ["8", "8x8", "2x6", "8x6x2", "-8x6"])
def test_what_is_no_board_is_refused(size: str) -> None:
    code, _, errors = run("calibrate", f"--board={size}", "--robot", "127.0.0.1", "--port", 9)
    assert code == 2
    assert "from 3 on, such as 8x6" in errors


def test_what_was_measured_is_kept_by_the_serial_number_beside_what_else_is_known(
    folder: Path,
) -> None:
    older = {"turn_scale": Measurement(1.02, 0.01, "older"), "fx": Measurement(300.0, 9.0, "older")}
    save_robot_calibration(folder, SERIAL, RobotCalibration(older))
    measured = {name: one for name, one in RESULT.measured.items() if name != "fx"}
    keep_calibration(
        folder,
        replace(RESULT, measured=measured),
    )
    kept = load_robot_calibration(folder, SERIAL)
    assert kept.measured == {**measured, "fx": older["fx"]}
    assert load_mount(folder, SERIAL) == RESULT.mount
    assert load_prints(folder, SERIAL) == {"cube_2": RESULT.printed}
    assert load_robot_calibration(folder, SERIAL + 1).measured == {}


@pytest.mark.parametrize("found", ["a robot", "a lens"])
def test_what_cannot_be_kept_is_printed(
    found: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def measured(*_: object, **__: object) -> object:
        return RESULT if found == "a robot" else RESULT.measured

    for name, replacement in {
        "keep_calibration": keep,
        "keep_lens": keep,
        "calibrate": measured,
        "measure_lens": measured,
        "RobotPerception": MagicMock(),
    }.items():
        monkeypatch.setattr(command, name, replacement)
    robot = MagicMock(**{"on_odometry.next": AsyncMock(), "identity.head_serial": SERIAL})
    given = Namespace(json=False, dry_run=False, board=(8, 6), square=25.0)
    do = command._measure if found == "a robot" else command._measure_lens
    with pytest.raises(CommandError, match=r"not kept: .* No space left on device"):
        asyncio.run(do(robot, given))
    output = capsys.readouterr().out
    assert "track in turns       91.7 +- 0.1  mm" in output
    assert output.endswith("nothing was kept\n")


def test_it_is_told_with_units_and_deviations(capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(command._lines_of(RESULT, None))
    assert lines[0] == "distance           0.9931 +- 0.0010  m driven for each m that it counts"
    assert "track in turns       91.7 +- 0.1  mm" in lines
    assert "camera's pitch      -1.15 +- 0.05  degrees higher than drawn" in lines
    assert lines[-1] == "nothing was kept"
    command.print_result(Namespace(json=True), command._content_of(RESULT, Path("/kept")), [])
    content = json.loads(capsys.readouterr().out)
    assert content["head_serial"] == "45a1b2c3"
    assert content["measured"]["turn_scale"]["value"] == 1.0142
    assert content["camera_mount"]["roll"] == {"value": 0.015, "deviation": 0.0004}
    assert content["kept_in"] == "/kept"
