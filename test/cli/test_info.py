"""``cozmo info``: what it tells of an emulated robot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.options import Identity
from cozmo_driver.emulator.storage import calibration_record
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import (
    Measurement,
    RobotCalibration,
    data_directory,
    save_robot_calibration,
)
from cozmo_driver.robot.calibration import calibration_path

from .command import run

HOST = "127.0.0.1"


def info(*words, listen=0, change=lambda firmware: None, **emulator):
    """Run the command on an emulated robot; return exit code, output and errors."""
    with running_emulator(calibration_time=0.0, **emulator) as running:
        running.call(change)
        where = ("--robot", HOST, "--port", str(running.port))
        ending = run("info", *words, "--listen", listen, *where)
        state = running.wait_for(lambda now: not now.connected)
    assert state.sessions == 1
    return ending


def content(**details) -> dict[str, Any]:
    code, output, errors = info("--json", **details)
    assert (code, errors) == (0, "")
    return json.loads(output)


def test_a_person_reads_who_it_is_and_how_it_is():
    for listen in (2, 8, 20):
        code, output, errors = info(listen=listen, on_charger=True)
        # A busy computer hears cubes later.
        if "cube 1" in output:
            break
    lines = [line.split(maxsplit=1) for line in output.splitlines()]
    assert (code, errors) == (0, "")
    assert [line[0] for line in lines[:8]] == [
        *("robot", "body", "firmware", "battery", "camera", "odometry", "link", "cubes")
    ]
    said = dict(lines[:8])
    assert said["robot"].startswith(f"45a1b2c3 at {HOST}:")
    assert said["body"] == "serial 08c4d5e6, hardware 5 of 2017, with a button, white"
    assert said["firmware"].startswith("2457 (DEVELOPMENT")
    assert said["firmware"].endswith("this driver is made for it")
    assert said["battery"].endswith(" V, on the charger: charging")
    assert said["camera"].startswith("the robot's own: focal lengths 294.7 and 294.9 pixels")
    assert said["odometry"] == "turn scale not measured, distance scale not measured"
    assert said["link"].startswith("round trip ")
    assert said["cubes"].startswith("cube 1 (c1000011), signal ")


def test_it_says_what_the_odometry_is_corrected_by_and_where_that_is_from():
    scale = Measurement(1.0131, 0.0034, "learnt from the charger, 2026-11-24")
    serial = Identity().head_serial
    save_robot_calibration(
        data_directory(), serial, RobotCalibration().with_values({"turn_scale": scale})
    )
    try:
        _, output, _ = info()
        answer = content()
    finally:
        calibration_path(data_directory(), serial).unlink()
    assert (
        "odometry  turn scale 1.0131 ± 0.0034 (learnt from the charger, 2026-11-24), "
        "distance scale not measured\n"
    ) in output
    assert answer["calibration"]["turn_scale"]["value"] == 1.0131


def test_a_program_reads_the_same_as_json():
    answer = content()
    assert answer["head"] == {"serial": "45a1b2c3", "revision": "1.5"}
    assert answer["body"]["color"] == "white"
    assert answer["firmware"]["version"] == 2457
    assert answer["battery"]["is_on_charger"] is False
    assert answer["battery"]["level"] > 0.8
    assert answer["camera"]["focal_lengths"] == [294.716, 294.899]
    assert answer["link"]["pings_answered"] >= 5
    assert 0 < answer["link"]["round_trip_best"] <= answer["link"]["round_trip"]


@pytest.mark.parametrize(
    ("version", "meaning"),
    [
        (2380, "older than what this driver is made for"),
        (2381, "the last one of the maker; this driver is made for it"),
        (2400, "between the versions this driver is made for, 2381 and 2457; it should work"),
        (2500, "newer than what this driver is made for, up to 2457"),
    ],
)
def test_it_says_what_the_version_means(version, meaning, caplog):
    answer = content(identity=Identity(firmware_version=version))
    assert answer["firmware"]["meaning"].startswith(meaning)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_an_old_body_of_a_colour_that_nobody_knows_is_described():
    _, output, _ = info(identity=Identity(body_hw_version=4, body_color=77))
    assert "hardware 4 of 2016, without a button, colour unknown" in output


def test_a_new_body_has_a_distorted_picture():
    def measured(firmware):
        record = calibration_record(distortion=(0.1, -0.2, 0.003, 0.0, 0.05, 0.0, 0.0, 0.0))
        firmware.storage.factory[NVEntryTag.CAMERA_CALIB] = record

    _, output, _ = info(change=measured, identity=Identity(body_hw_version=7))
    assert "          distortion 0.1, -0.2, 0.003, 0, 0.05\n" in output


def test_a_robot_without_cubes_around_it_says_how_they_are_woken():
    _, output, _ = info(identity=Identity(cubes=()))
    assert output.endswith("cubes     none in range; a tap wakes a sleeping cube\n")
