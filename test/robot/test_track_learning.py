"""How far apart the treads of a robot seem to be on its floors is learnt while it turns."""

from __future__ import annotations

import math

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.variation import Variation, variation_of
from cozmo_driver.robot import (
    DriveLimits,
    Measurement,
    RobotCalibration,
    load_robot_calibration,
    save_robot_calibration,
)
from cozmo_driver.robot.track_learning import learnt

from .hands import act, truth, with_robot

LESSON = 4 * math.pi


async def turn(world, lessons):
    """Turn by turns of its own, which the robot regulates itself, and by commanded speeds."""
    for number in range(lessons):
        sign = (-1) ** number
        await world.robot.turns.turn(sign * LESSON / 2, speed=2.0)
        for _ in range(40):
            world.robot.motion.drive(0.0, 2.0 * sign)
            await world.pass_time(0.1)
        world.robot.motion.drive(0.0, 0.0)
        await world.pass_time(0.5)


@pytest.mark.parametrize(("serial", "track", "lessons"), [(501, 62.0, 4), (504, 82.0, 8)])
def test_the_track_of_a_floor_is_learnt_slowly_and_kept(serial, track, lessons, tmp_path):
    steps = []

    @with_robot({"identity": Identity(head_serial=serial)}, calibration_directory=tmp_path)
    async def learns(world):
        act(world, lambda f: setattr(f.place.world, "_track", track))
        for _ in range(lessons):
            await turn(world, 1)
            steps.append(world.robot.calibration.value("track_width", 0.069))

    learns()
    # Treads drive other ways than they count, and the gyroscope says another turn than there was.
    own = variation_of(serial)
    true = track / 1000 / (sum(own.tread_scales) / 2) / own.gyro_scales[2]
    assert steps[-1] == pytest.approx(true, abs=0.0025)
    assert max(abs(b - a) for a, b in zip([0.069, *steps], steps, strict=False)) < 0.007
    kept = load_robot_calibration(tmp_path, serial).measured["track_width"]
    assert kept.value == steps[-1]
    assert kept.source.startswith("learnt in turns, 20")


def test_without_the_correction_by_the_gyroscope_nothing_is_learnt(tmp_path):
    @with_robot(calibration_directory=tmp_path, limits=DriveLimits(is_yaw_trimmed=False))
    async def turns(world):
        await turn(world, 2)
        assert not world.robot.calibration.measured

    turns()


@with_robot()
async def test_a_robot_that_is_held_learns_nothing(world):
    act(world, lambda f: setattr(f.body, "is_held", True))
    for _ in range(200):
        world.robot.motion.drive(0.0, 1.0)
        await world.pass_time(0.1)
    assert "track_width" not in world.robot.calibration.measured


def test_impossible_tracks_teach_nothing_and_no_lesson_much():
    known = Measurement(0.080, 0.002, "cozmo calibrate")
    assert learnt(0.2, known) is None
    assert learnt(0.03, known) is None
    assert learnt(0.0803, known) is None, "it is no news"
    for track in (0.05, 0.14):
        assert abs(learnt(track, known).value - 0.080) <= 0.003 + 1e-9


def keep(tmp_path, serial, measured):
    """Store values of a robot."""
    values = {name: Measurement(value, 0.001, "test") for name, value in measured.items()}
    save_robot_calibration(tmp_path, serial, RobotCalibration().with_values(values))


def fast_begin(tmp_path, serial, track, measured):
    """Return the share of a commanded turn that the first half second makes."""
    keep(tmp_path, serial, measured)
    turned = []

    @with_robot({"identity": Identity(head_serial=serial)}, calibration_directory=tmp_path)
    async def turns(world):
        act(world, lambda f: setattr(f.place.world, "_track", track))
        await world.until(lambda: len(world.robot.calibration.measured) == len(measured))
        before = world.robot.odometry.pose.yaw
        for _ in range(6):
            world.robot.motion.drive(0.0, 1.0)
            await world.pass_time(0.1)
        turned.append(world.robot.odometry.pose.yaw - before)

    turns()
    return turned[0] / 0.6


def test_a_turn_begins_as_fast_as_commanded_once_the_track_is_known(tmp_path):
    unknown = fast_begin(tmp_path, 505, 92.0, {})
    known = fast_begin(tmp_path, 506, 92.0, {"track_width": 0.092})
    assert known > 1.15 * unknown


def swing(tmp_path, serial, measured):
    """Return by how much a robot whose right tread is 3 % longer swings as it begins to drive."""
    keep(tmp_path, serial, measured)
    swung = []

    @with_robot(
        {
            "identity": Identity(head_serial=serial),
            "variation": Variation(tread_scales=(0.985, 1.015)),
        },
        calibration_directory=tmp_path,
    )
    async def drives(world):
        await world.until(lambda: len(world.robot.calibration.measured) == len(measured))
        begun = truth(world).yaw
        for _ in range(12):
            world.robot.motion.drive(0.1, 0.0)
            await world.pass_time(0.1)
            swung.append(abs(truth(world).yaw - begun))

    drives()
    return max(swung)


def test_a_robot_with_unlike_treads_begins_straight_once_that_is_known(tmp_path):
    assert swing(tmp_path, 508, {"tread_difference": 0.03}) < 0.5 * swing(tmp_path, 507, {})
