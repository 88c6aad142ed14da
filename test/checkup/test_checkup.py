"""The whole checkup of emulated robots, in virtual time."""

from __future__ import annotations

import math
import zipfile

import numpy as np
import pytest

from benchmarks.calibration import FIGURES, errors_of
from benchmarks.calibration import emulated as table
from cozmo_driver.checkup import (
    EXPECTATIONS,
    STEPS,
    Checkup,
    Files,
    Nobody,
    Verdict,
    chosen_steps,
    keep_measured,
    load_report,
    picture_file,
    report_of,
    save_report,
    steps_calibration,
)
from cozmo_driver.checkup.report import to_json
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.emulator.world.stickers import PrintErrors
from cozmo_driver.media import code_of
from cozmo_driver.perception import LearntMount, Mount, load_mount, load_prints, save_mount
from cozmo_driver.robot import (
    LIGHT_CUBES,
    CameraOptions,
    data_directory,
    load_robot_calibration,
)

from ..robot.virtual import in_virtual_time
from .desk import Helper, emulated

MOST_ROBOT_TIME = 600.0
ONLY_ON_CHARGER = {"battery.charger_voltage"}
FIRST, SECOND, CALIBRATED = 0x11223344, 0x45A1B2C3, 3001


async def done(world, person, steps=STEPS):
    checkup = Checkup(world.robot, person, steps)
    await checkup.run()
    assert not checkup.ended
    assert checkup.robot_time < MOST_ROBOT_TIME
    return checkup


def verdicts(checkup):
    return {name: outcome.result.verdict for name, outcome in checkup.outcomes.items()}


def value(checkup, step, name):
    return checkup.outcomes[step].result.values[name].value


def kept_of(checkup, folder, serial):
    """Store what was found; return what a driver then uses."""
    findings = {name: outcome.result for name, outcome in checkup.outcomes.items()}
    names = keep_measured(folder, serial, findings)
    kept = load_robot_calibration(folder, serial).measured
    assert set(names) == set(kept)
    assert all(one.source.startswith("cozmo checkup 20") for one in kept.values())
    return {name: one.value for name, one in kept.items()}


def saved(checkup, world, folder):
    pictures = {
        picture_file(name, one): one.jpeg
        for name, outcome in checkup.outcomes.items()
        for one in outcome.result.pictures
    }
    report = report_of(checkup, world.robot, b"salt")
    return report, save_report(report, folder, Files(pictures))


def names_of(world):
    """What of a robot nobody else may learn, as bytes that a file could have."""
    one = world.wire.options["identity"]
    numbers = [one.head_serial, one.body_serial, one.wifi_flash_id, *dict(one.cubes)]
    words = [f"{number:{form}}" for number in numbers for form in ("08x", "08X", "x", "d")]
    return [word.encode() for word in (*words, world.robot.options.address)]


@in_virtual_time(emulated(FIRST, "1.0"))
async def test_with_a_helper_every_step_of_a_robot_like_b_passes(world, tmp_path):
    # They have tests of their own, and take longer than all the rest.
    steps = chosen_steps(STEPS, skip=["docking", "calibrate"])
    checkup = await done(world, Helper(world), steps)

    others = {name: it for name, it in verdicts(checkup).items() if it is not Verdict.PASSED}
    assert others == {}
    assert len(checkup.outcomes) == len(steps)
    measured = {
        f"{name}.{one}" for name, it in checkup.outcomes.items() for one in it.result.values
    }
    assert set(EXPECTATIONS) - measured == ONLY_ON_CHARGER
    # Against what the emulator is.
    calibration = variation_of(FIRST).calibration
    assert value(checkup, "camera_calibration", "centre_x") == pytest.approx(calibration.cx)
    ground = world.firmware.place.world
    assert value(checkup, "slope", "slope") == pytest.approx(ground.slope, abs=math.radians(0.15))
    assert value(checkup, "edge", "stopping_way") < 0.02
    assert value(checkup, "cube", "seen_per_driven") == pytest.approx(1.0, abs=0.05)
    assert abs(value(checkup, "latency", "content_after_stamp")) < 0.04
    assert value(checkup, "radio", "taps") == 1
    assert abs(value(checkup, "clock", "drift")) < 1e-4
    found = kept_of(checkup, tmp_path, FIRST)
    left, right = variation_of(FIRST).tread_scales
    assert found["tread_difference"] == pytest.approx(right - left, abs=0.006)
    track = world.firmware.body.wheels.track / 1000.0 / ((left + right) / 2)
    assert found["track_width"] == pytest.approx(track, rel=0.02)
    assert abs(found["track_per_rate"]) < 0.001
    noises = world.firmware.imu._accel_noise
    assert found["accelerometer_noise"] == pytest.approx(max(noises) / 1000.0, rel=0.4)
    assert abs(found["gyro_zero"]) < 0.002
    assert found["edge_reading"] < 200.0

    report, archive = saved(checkup, world, tmp_path / "report")
    assert to_json(load_report(tmp_path / "report")) == to_json(report)
    with zipfile.ZipFile(archive) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    assert {"report/report.json", "report/report.html", "report/images/camera_best.jpg"} <= set(
        contents
    )
    told = [(name, word) for name in contents for word in names_of(world) if word in contents[name]]
    assert told == []


def test_on_a_table_as_it_asks_for_the_robot_is_calibrated_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(steps_calibration, "data_directory", lambda: tmp_path)
    checkups = []
    small = table(CALIBRATED, is_small=True)

    @in_virtual_time(small, camera=CameraOptions(enabled=True), cubes=LIGHT_CUBES)
    async def calibrates(world):
        # It stands before its cube already; what is asked for is agreed to.
        checkups.append(await done(world, Nobody(), chosen_steps(STEPS, ["calibrate"])))
        checkups.append(world.firmware.body.wheels.track / 1000.0)
        checkups.append(world.firmware.cubes.of_kind(1))

    calibrates()
    checkup, track, _ = checkups
    found = checkup.outcomes["calibrate"].result
    assert found.verdict is Verdict.PASSED, found.sentence
    kept, mount = load_robot_calibration(tmp_path, CALIBRATED), load_mount(tmp_path, CALIBRATED)
    assert {name: one.value for name, one in kept.measured.items()} == {
        name: found.values[name].value for name in kept.measured
    }
    assert checkup.outcomes["calibrate"].duration < 200.0
    for one in kept.measured.values():
        assert one.source.startswith("cozmo calibrate 20")
        assert one.deviation > 0.0
    assert all(0.0 < deviation < 0.01 for deviation in mount.deviations)
    errors = errors_of(kept.measured, mount.mount, CALIBRATED, track)
    far = {name: error for name, error in errors.items() if abs(error) > FIGURES[name].wanted}
    assert far == {}
    printed = load_prints(tmp_path, CALIBRATED)["cube_1"]
    assert printed.factory_id == checkups[2]
    assert set(printed.sides) == {"front", "left", "back", "right"}
    for side, print_ in printed.sides.items():
        true = PrintErrors.drawn(np.random.default_rng([CALIBRATED, code_of(1, side)]))
        assert print_.scale == pytest.approx(true.scale, abs=0.003), side
        assert print_.right == pytest.approx(true.right / 1000.0, abs=2e-4), side
        assert print_.turn == pytest.approx(-true.turn, abs=0.005), side


@in_virtual_time(emulated(FIRST))
async def test_a_mount_that_was_learnt_stays_as_it_is(world, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    learnt = LearntMount(Mount(pitch=0.02), (0.004, 0.004, 0.004), 40)
    save_mount(data_directory(), FIRST, learnt)
    [kept] = data_directory().iterdir()
    before = kept.read_bytes()

    checkup = await done(world, Helper(world), chosen_steps(STEPS, ["cube", "charger"]))

    assert set(verdicts(checkup).values()) == {Verdict.PASSED}
    assert list(data_directory().iterdir()) == [kept]
    assert kept.read_bytes() == before


@in_virtual_time(emulated(SECOND, "1.5", seed=2))
async def test_with_nobody_no_step_of_a_robot_like_a_fails(world):
    # What takes long does so for the other robot, too.
    long = ["network", "shaking", "turns", "slope", "latency", "cube", "radio"]
    checkup = await done(world, Nobody(), chosen_steps(STEPS, skip=long))

    assert Verdict.FAILED not in verdicts(checkup).values()
    unasked = {name for name, it in verdicts(checkup).items() if it is Verdict.SKIPPED}
    assert {"display", "sound", "lights", "edge", "docking"} <= unasked
    moved = world.firmware.body.world_pose
    assert math.hypot(moved.x, moved.y) < 100.0, "it left its place"
