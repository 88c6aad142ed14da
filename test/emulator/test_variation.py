"""Each robot is another one, and stays itself; floors are neither level nor alike."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from itertools import pairwise
from statistics import fmean, pstdev

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions, Firmware, Identity, Pose2D
from cozmo_driver.emulator.ground_truth import ground_truth
from cozmo_driver.emulator.hardware import DEFAULT_HARDWARE, GYRO_STEPS, HARDWARE
from cozmo_driver.emulator.variation import Lens, Optics, Variation, variation_of
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.protocol.messages import DriveWheels, RobotState, SetHeadAngle, TurnInPlaceAtSpeed

from .bench import Bench, started
from .world.worlds import ROOM, layout, pixel

SERIALS = range(1, 301)
EXACT = EmulatorOptions(ideal=True, calibration_time=0.0)


def bench_of(variation: Variation, **world: object) -> Bench:
    """Return a robot with nothing but these errors, in a room with a level floor unless said."""
    floor = {"slope": {"degrees": 0.0, "uphill": 0.0}} | world
    options = replace(EXACT, variation=variation)
    bench = started(options, World(layout(ROOM, **floor), ideal=True))
    bench.send(SetHeadAngle(0.0))
    bench.run(3.0)
    return bench


def felt(bench: Bench) -> tuple[float, float]:
    """Return pitch and roll by the accelerometer, in the head's frame, less its bias."""
    state = bench.last_state()
    bias = HARDWARE[DEFAULT_HARDWARE].accel_bias
    x, y, z = (part - off for part, off in zip(state.accel, bias, strict=True))
    return math.atan2(x, z), math.atan2(y, z)


def test_a_serial_number_is_one_robot_and_another_one_another() -> None:
    assert variation_of(7) == variation_of(7)
    assert len({variation_of(serial) for serial in SERIALS}) == len(SERIALS)


@pytest.mark.parametrize(
    ("figure", "most"),
    [
        (lambda v: v.optics.down, math.radians(2.0)),
        (lambda v: v.optics.roll, math.radians(2.0)),
        (lambda v: v.optics.left, math.radians(2.0)),
        (lambda v: v.head_zero, math.radians(1.0)),
        (lambda v: v.gyro_scales[2] / (180.0 / 182.4) - 1.0, 0.003),
        (lambda v: v.tread_scales[0] - 1.0, 0.01),
        (lambda v: v.tread_scales[1] - 1.0, 0.01),
    ],
)
def test_robots_fill_the_range_that_is_meant_and_no_more(figure, most: float) -> None:
    values = [figure(variation_of(serial)) for serial in SERIALS]
    assert -most <= min(values) < -0.9 * most
    assert 0.9 * most < max(values) <= most
    assert abs(fmean(values)) < 0.15 * most


def test_lenses_spread_as_those_of_real_cameras_and_are_calibrated_as_well() -> None:
    robots = [variation_of(serial) for serial in SERIALS]
    # Five real ones have 292.8 +- 3.3, 158.7 +- 9.9 and 113.6 +- 2.6 (spec 14, 19).
    assert fmean(v.optics.lens.fx for v in robots) == pytest.approx(292.8, abs=0.6)
    assert pstdev(v.optics.lens.fx for v in robots) == pytest.approx(3.1, abs=0.5)
    assert pstdev(v.optics.lens.cx for v in robots) == pytest.approx(9.4, abs=1.2)
    off = [v.calibration.fx - v.optics.lens.fx for v in robots]
    assert 0.7 < pstdev(off) < 1.1
    assert max(map(abs, off)) < 3.0


def test_the_robot_holds_its_own_calibration() -> None:
    serial = 0x1234
    options = EmulatorOptions(identity=Identity(head_serial=serial))
    record = Firmware(options).storage.factory[NVEntryTag.CAMERA_CALIB]
    calibration = variation_of(serial).calibration
    stored = struct.unpack_from("<4f", record)
    assert stored == pytest.approx(
        (calibration.fx, calibration.fy, calibration.cx, calibration.cy), abs=1e-4
    )
    # Who keeps it by serial number is right about an ideal robot of that number, too.
    ideal = Firmware(replace(options, ideal=True))
    assert ideal.storage.factory[NVEntryTag.CAMERA_CALIB] == record
    assert ideal.stance().view().lens == calibration


def test_what_the_camera_is_like_shows_in_pictures() -> None:
    dot = {"x": 0.4, "y": 0.0, "size": [0.1, 0.1, 0.02], "gray": 5}
    floor = {"rectangle": [-1.0, -1.0, 1.0, 1.0], "pattern": "plain", "gray": 220}
    room = World(layout({"floor": [floor]}, boxes=[dot]), ideal=True)
    bare = World(layout({"floor": [floor]}), ideal=True)
    for optics in (
        Optics(),
        Optics(Lens(280.0, 280.0, 170.0, 110.0)),
        Optics(down=0.03),
        Optics(left=0.03),
        Optics(roll=0.2),
    ):
        stance = Stance(Pose2D(), -0.1, optics=optics)
        robot = Occupant(lambda: Pose2D(), lambda: True)
        seen, empty = (
            Eye(w, robot, lambda _, s=stance: s).gray(Shutter(noise=0.0)).astype(int)
            for w in (room, bare)
        )
        rows, columns = np.nonzero(np.abs(seen - empty) > 40)
        view = stance.view()
        corners = [(x, y, z) for x in (350.0, 450.0) for y in (50.0, -50.0) for z in (0.0, 20.0)]
        u, v = zip(*(pixel(view, *corner) for corner in corners), strict=True)
        assert (columns.min(), columns.max()) == pytest.approx((min(u), max(u)), abs=2.0)
        assert (rows.min(), rows.max()) == pytest.approx((min(v), max(v)), abs=2.0)


def test_a_head_with_a_wrong_zero_looks_and_feels_elsewhere_than_it_reports() -> None:
    right, wrong = bench_of(Variation()), bench_of(Variation(head_zero=0.015))
    assert wrong.last_state().head_angle == right.last_state().head_angle
    cameras = [ground_truth(bench.firmware).camera for bench in (right, wrong)]
    assert cameras[1].elevation - cameras[0].elevation == pytest.approx(0.015, abs=1e-6)
    assert felt(wrong)[0] - felt(right)[0] == pytest.approx(0.015, abs=1e-3)
    assert ground_truth(wrong.firmware).head_angle == pytest.approx(0.015, abs=2e-3)
    # The robot believes its head, so that it takes its body to be tilted.
    tilted = wrong.last_state().pose.pitch - right.last_state().pose.pitch
    assert tilted == pytest.approx(0.015, abs=2e-3)


@pytest.mark.parametrize(("uphill", "pitch", "roll"), [(0, 3, 0), (180, -3, 0), (90, 0, 3)])
def test_a_sloping_floor_is_felt_and_not_seen(uphill: float, pitch: float, roll: float) -> None:
    level = bench_of(Variation())
    slope = bench_of(Variation(), slope={"degrees": 3.0, "uphill": uphill})
    by = [b - a for a, b in zip(felt(level), felt(slope), strict=True)]
    assert by == pytest.approx((math.radians(pitch), math.radians(roll)), abs=1e-3)
    said = slope.last_state().pose.pitch - level.last_state().pose.pitch
    # The accelerometer's bias makes 8 % less of it.
    assert said == pytest.approx(math.radians(pitch), abs=5e-3)
    cameras = [ground_truth(bench.firmware).camera for bench in (level, slope)]
    assert cameras[0] == cameras[1]


def test_a_raised_lift_tilts_body_and_camera_alike() -> None:
    bench = bench_of(Variation(lift_pitch=0.002, load_pitch=-0.01))
    before, felt_before = ground_truth(bench.firmware).camera.elevation, felt(bench)[0]
    lift = bench.firmware.joints.lift
    lift.angle = lift.high
    bench.run(0.1)
    assert ground_truth(bench.firmware).camera.elevation - before == pytest.approx(0.002)
    assert felt(bench)[0] - felt_before == pytest.approx(0.002, abs=1e-4)


def test_turns_by_tread_speeds_depend_on_the_floor_and_those_by_the_gyro_do_not() -> None:
    turned = {}
    for command in (DriveWheels(-69, 69), TurnInPlaceAtSpeed(1.0, 10.0)):
        for track in (0.069, 0.092):
            bench = bench_of(Variation(), floor=[ROOM["floor"][0] | {"track": track}])
            bench.send(command)
            bench.run(1.0)
            turned[type(command), track] = bench.state.pose.angle
    by_treads, by_gyro = (
        turned[kind, 0.092] / turned[kind, 0.069] for kind in (DriveWheels, TurnInPlaceAtSpeed)
    )
    assert by_treads == pytest.approx(0.75, abs=0.01)
    assert by_gyro == pytest.approx(1.0, abs=0.01)


def test_worlds_that_do_not_say_have_one_of_the_two_tracks_and_a_slope() -> None:
    worlds = [World(layout(ROOM), seed=seed) for seed in range(60)]
    assert {world.track_at(0.0, 0.0) for world in worlds} == {69.0, 92.0}
    slopes = [math.degrees(world.slope) for world in worlds]
    assert 0.0 <= min(slopes) < 0.5
    assert 2.5 < max(slopes) <= 3.0


def test_heading_and_gyro_have_the_same_error_and_the_gyro_a_zero_that_moves() -> None:
    errs = Variation(
        gyro_scales=(1.0, 1.0, 0.98), gyro_zeros=(0.0, 0.0, 5e-4), gyro_periods=(50.0, 50.0, 50.0)
    )
    bench = bench_of(errs)
    start = bench.state.pose.angle, bench.state.reported_pose.angle
    bench.send(DriveWheels(-34.5, 34.5))
    bench.run(2.0)
    true, said = (
        now - then
        for now, then in zip(
            (bench.state.pose.angle, bench.state.reported_pose.angle), start, strict=True
        )
    )
    assert said / true == pytest.approx(0.98, abs=1e-3)
    assert bench.last_state().gyro.z / bench.firmware.body.yaw_rate == pytest.approx(0.98, abs=1e-3)
    bench.send(DriveWheels())
    bench.run(2.0)
    bench.forget()
    bench.run(50.0)
    zeros = [state.gyro.z for state in bench.got(RobotState)]
    step = GYRO_STEPS[2]
    assert (min(zeros), max(zeros)) == pytest.approx((-5e-4, 5e-4), abs=step / 2)
    assert max(abs(b - a) for a, b in pairwise(zeros)) < 1.01 * step


def test_treads_of_different_sizes_drive_an_arc_that_the_reckoning_does_not_see() -> None:
    bench = bench_of(Variation(tread_scales=(0.99, 1.01)))
    bench.send(DriveWheels(100, 100))
    bench.run(4.0)
    # 2 % of the way over the track, which only the gyro tells.
    assert bench.state.pose.angle == pytest.approx(0.02 * bench.state.driven / 69.0, rel=0.02)
    assert bench.state.reported_pose.angle == pytest.approx(bench.state.pose.angle, abs=1e-3)
