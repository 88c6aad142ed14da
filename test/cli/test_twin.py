"""``cozmo emulator --like``: an emulated robot errs as the one of a report did."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cozmo_driver.checkup import (
    STEPS,
    Checkup,
    Nobody,
    Quantity,
    Report,
    ReportedStep,
    Verdict,
    chosen_steps,
    report_of,
)
from cozmo_driver.checkup.report import to_json
from cozmo_driver.cli.twin import twin_options
from cozmo_driver.emulator import FIGURES, HARDWARE, EmulatorOptions, hardware_like, robot_file
from cozmo_driver.emulator.hardware import CHARGER_TILT
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of

from ..checkup.desk import emulated
from ..robot.virtual import in_virtual_time
from .command import cozmo

HALL = {"name": "hall", "floor": [{"rectangle": [-2.0, -2.0, 2.0, 2.0]}]}
TRUE = variation_of(0x1234)


def report(folder: Path, **values: float) -> Path:
    """Write a report of that robot, with some ``values`` replaced; return the file."""
    lens = TRUE.optics.lens
    measured = {
        "distance_scale": sum(TRUE.tread_scales) / 2,
        "turn_scale": 1.0 / TRUE.gyro_scales[2],
        "head_zero": TRUE.head_zero,
        "pitch": TRUE.head_zero - TRUE.optics.down,
        "roll": TRUE.optics.roll,
        "yaw": TRUE.optics.left,
        **{name: getattr(lens, name) for name in ("fx", "fy", "cx", "cy")},
        **values,
    }
    steps = {
        "calibrate": measured,
        "identity": {"body_hardware": 4},
        "shaking": {"accelerometer_x_0.03": 0.614},
        "battery": {"charger_voltage": 4.7},
        "sensors": {"cliff": 700.0, "head_angle": 0.0, "accelerometer_x": 0.0},
        "head": {"short_up": 0.005},
        # It turns to the left by 0.2 rad/m at the track of 8 cm, as its right tread is longer.
        "turns": {"track": 0.08, "track_spread": 0.001},
        "treads": {
            "heading_per_way": 0.2,
            "heading_per_way_deviation": 0.01,
            "difference_per_way": 0.001,
        },
    }
    written = Report(
        "0123456789ab",
        "2026-11-24",
        "0.0.0",
        100.0,
        "",
        tuple(
            ReportedStep(
                name,
                name,
                Verdict.PASSED,
                "",
                values={one: Quantity(value) for one, value in found.items()},
            )
            for name, found in steps.items()
        ),
    )
    file = folder / "report.json"
    file.write_text(to_json(written))
    return file


def test_a_twin_errs_as_the_robot_of_the_report(tmp_path: Path) -> None:
    options = twin_options(report(tmp_path))
    assert options["shaking"] == pytest.approx(2.0)
    hardware = options["hardware"]
    assert (hardware.body_version, hardware.cliff, hardware.charger_volts) == (4, 700, (4.7,))
    # At a head that is higher than it says by its zero, of a body that its charger tilts; what is
    # not measured is as of robot B.
    angle = TRUE.head_zero + CHARGER_TILT
    assert hardware.accel_bias[0] == pytest.approx(-9806.0 * math.sin(angle))
    assert hardware.gyro_noise == HARDWARE["1.0"].gyro_noise
    assert hardware.head.short_up == 0.005
    assert hardware.head.short_down == HARDWARE["1.0"].head.short_down
    # On the charger nobody knows what the battery has.
    assert "battery_voltage" not in options
    twin = options["variation"]
    assert twin.gyro_scales[2] == pytest.approx(TRUE.gyro_scales[2])
    left, right = twin.tread_scales
    assert left + right == pytest.approx(sum(TRUE.tread_scales))
    assert 2 * (right - left) / (right + left) == pytest.approx(0.2 * 0.08 - 0.001)
    assert twin.head_zero == pytest.approx(TRUE.head_zero)
    for name in ("down", "roll", "left"):
        assert getattr(twin.optics, name) == pytest.approx(getattr(TRUE.optics, name)), name
    for name in ("fx", "fy", "cx", "cy"):
        assert getattr(twin.optics.lens, name) == pytest.approx(getattr(TRUE.optics.lens, name))


def test_what_was_not_measured_is_as_it_was_meant_to_be(tmp_path: Path) -> None:
    twin = twin_options(report(tmp_path, turn_scale=math.nan))["variation"]
    assert twin.gyro_scales[2] == 1.0


PLACES = {
    "level": ({}, ["battery", "sensors"]),
    "on a slope": ({"degrees": 2.0}, ["battery", "sensors", "slope"]),
    "on its charger, then on a slope": ({"degrees": 2.0}, ["battery", "sensors", "slope"]),
    "on its charger": ({}, ["battery", "sensors"]),
}


def test_wherever_a_robot_stood_its_twin_has_its_accelerometer(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    biases = {}
    for place, (slope, names) in PLACES.items():
        ground = layout_of(HALL | {"slope": {"degrees": 0.0, "uphill": 0.0, **slope}}, "hall.yaml")

        @in_virtual_time(emulated() | {"world": lambda ground=ground: World(ground, seed=1)})
        async def check(world, place=place, names=names) -> None:
            if "charger" in place:
                world.firmware.handling.put_on_charger(True)
                await world.until(lambda: world.robot.state.is_on_charger)
                await world.pass_time(2.0)
            checkup = Checkup(world.robot, Nobody(), chosen_steps(STEPS, names))
            await checkup.run()
            file.write_text(to_json(report_of(checkup, world.robot, b"salt")))

        check()
        biases[place] = twin_options(file)["hardware"].accel_bias
    for place, bias in biases.items():
        assert bias == pytest.approx(biases["level"], abs=50.0), place


@pytest.mark.parametrize("name", HARDWARE)
def test_a_measured_robot_is_a_report_like_any_other(name: str) -> None:
    options = twin_options(robot_file(name))
    assert options["hardware"] == HARDWARE[name]
    assert (
        EmulatorOptions(**options).own_hardware() == EmulatorOptions(hardware=name).own_hardware()
    )


def test_a_robot_that_cannot_be_is_refused(tmp_path: Path) -> None:
    done = cozmo("emulator", "--port", 0, "--like", report(tmp_path, distance_scale=3.0))
    assert done.returncode == 2
    assert "distance_scale is 3; a robot has 0.95 to 1.05" in done.stderr
    for name, value in (
        ("sensors.cliff", 1e9),
        ("head.step", 0.0),
        ("identity.head_revision", 70000),
        ("battery.charger_reading_2", 1e9),
    ):
        with pytest.raises(ValueError, match=rf"{name} is .*; a robot has \d"):
            hardware_like(FIGURES["1.0"] | {name: value})


def test_a_stored_lens_that_cannot_be_is_refused(tmp_path: Path) -> None:
    file = report(tmp_path)
    text = file.read_text().replace('"name": "shaking"', '"name": "camera_calibration"')
    file.write_text(text.replace('"accelerometer_x_0.03"', '"focal_length_x"'))
    with pytest.raises(ValueError, match=r"focal_length_x is 0.614; a robot has 200 to 500"):
        twin_options(file)
