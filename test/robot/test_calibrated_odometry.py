"""A robot whose treads and gyro err, and what was measured of it."""

from __future__ import annotations

import asyncio
import math

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.variation import Variation, variation_of
from cozmo_driver.protocol import DockAction, messages
from cozmo_driver.robot import DRIVE_CENTER, Arc, DockingError, Line, Pose2D, Turn
from cozmo_driver.robot.calibration import (
    Measurement,
    RobotCalibration,
    calibration_path,
    save_robot_calibration,
)
from cozmo_driver.robot.camera.calibration import CalibrationSource
from cozmo_driver.robot.odometry import OdometryTracker

from .hands import act, close, hall, outcome, truth, with_robot
from .states import state
from .virtual import record

SERIAL = 0x1A2B3C4D
_BACK = [
    Line((0.8, 0.0), (0.5, 0.0)),
    Turn((0.5, 0.0), math.pi / 2),
    Line((0.5, 0.0), (0.5, -0.2), speed=-0.08),
    *(Line((0.5, 0.1 * step - 0.2), (0.5, 0.1 * step - 0.1)) for step in range(8)),
]
_SQUARE = [
    Line((0.0, 0.0), (1.0, 0.0)),
    Line((1.0, 0.0), (1.0, 1.0)),
    Line((1.0, 1.0), (0.0, 1.0)),
    Line((0.0, 1.0), (0.0, 0.0)),
    Turn((0.0, 0.0), 0.0),
]
"""Of the drive center."""


# More than robots err: what is left out shows.
_FAR = Variation(gyro_scales=(1.0, 1.0, 1 / 1.05), tread_scales=(0.96, 0.96))
_SHORT = Variation(gyro_scales=(1.0, 1.0, 1 / 0.97), tread_scales=(1.04, 1.04))
_USUAL = variation_of(SERIAL)
either_way = pytest.mark.parametrize("errors", [_FAR, _SHORT], ids=["far", "short"])


def true_calibration(errors: Variation = _USUAL) -> RobotCalibration:
    """Return what an exact measurement of an emulated robot would have."""
    left, right = errors.tread_scales
    return RobotCalibration().with_values(
        {
            "distance_scale": Measurement((left + right) / 2, 0.001, "measured by a test"),
            "turn_scale": Measurement(1.0 / errors.gyro_scales[2], 0.001, "measured by a test"),
        }
    )


def given(directory, errors: Variation = _USUAL, serial: int = SERIAL) -> None:
    save_robot_calibration(directory, serial, true_calibration(errors))


def scenarios(directory, errors: Variation = _USUAL, **options):
    """Make a scenario's robot one that errs, and whose calibration is in a folder."""
    identity = Identity(head_serial=SERIAL)
    robot = hall(
        **{"ideal": errors is not _USUAL, "seed": 3, "identity": identity, "variation": errors}
        | options
    )
    return with_robot(robot, calibration_directory=directory)


async def ended(world) -> Pose2D:
    """Wait until the robot stands and has said so; return its true pose."""
    await world.until(lambda: not act(world, lambda f: f.body.active))
    await world.pass_time(0.2)
    return truth(world)


def apart(a: Pose2D, b: Pose2D) -> float:
    return math.hypot(a.x - b.x, a.y - b.y)


def test_a_calibrated_robot_drives_a_square_and_knows_where_it_is(tmp_path):
    given(tmp_path)

    @scenarios(tmp_path)
    async def drives(world):
        robot = world.robot
        await robot.paths.follow(_SQUARE)
        true = await ended(world)
        assert robot.calibration == true_calibration()
        assert apart(true, robot.odometry.pose) < 0.004
        assert apart(true.compose(DRIVE_CENTER), Pose2D()) < 0.006
        assert abs(true.yaw - robot.odometry.pose.yaw) < 0.005

    drives()


def test_a_path_of_lines_and_turns_ends_where_it_should(tmp_path):
    given(tmp_path, _FAR)
    segments = [Line((0.0, 0.0), (0.8, 0.0)), Turn((0.8, 0.0), math.pi), *_BACK]

    @scenarios(tmp_path, _FAR)
    async def drives(world):
        end = await world.robot.paths.follow(segments)
        true = (await ended(world)).compose(DRIVE_CENTER)
        assert end.segments_completed == len(segments)
        assert close(end.pose, true, 0.004, 0.01)
        assert close(true, Pose2D(0.5, 0.6, math.pi / 2), 0.004, 0.04)

    drives()


def test_a_path_of_arcs_in_both_directions_ends_where_it_should(tmp_path):
    given(tmp_path, _SHORT)
    segments = [
        Arc((0.0, 0.2), 0.2, -math.pi / 2, math.pi),
        Line((0.0, 0.4), (-0.3, 0.4)),
        Line((-0.3, 0.4), (0.0, 0.4), speed=-0.08),
        Arc((0.0, 0.25), 0.15, math.pi / 2, -math.pi / 2, speed=-0.08),
        # A whole circle, and one turn of half of it.
        Arc((0.30, 0.25), 0.15, math.pi, 2 * math.pi),
        Turn((0.15, 0.25), math.pi / 2),
    ]

    @scenarios(tmp_path, _SHORT)
    async def drives(world):
        places = []
        end = await world.robot.paths.follow(segments, on_progress=lambda p: places.append(p.pose))
        true = (await ended(world)).compose(DRIVE_CENTER)
        assert end.segments_completed == len(segments)
        assert close(end.pose, true, 0.004, 0.01)
        assert close(true, Pose2D(0.15, 0.25, math.pi / 2), 0.004, 0.04)
        # The middle of each arc is where it should be, too.
        for middle in ((0.2, 0.2), (0.15 / math.sqrt(2), 0.25 + 0.15 / math.sqrt(2)), (0.45, 0.25)):
            assert min(math.dist((p.x, p.y), middle) for p in places) < 0.005

    drives()


@either_way
@pytest.mark.parametrize("degrees", [90.0, 180.0, 360.0, -450.0])
def test_turns_are_as_far_as_they_are_asked_for_and_told(tmp_path, degrees, errors):
    given(tmp_path, errors)
    angle = math.radians(degrees)

    @scenarios(tmp_path, errors)
    async def turns(world):
        true, before, progress = [0.0], [0.0], []

        def on_progress(value):
            now = truth(world).yaw
            true[0] += math.remainder(now - before[0], 2 * math.pi)
            before[0] = now
            progress.append(value)

        turned = await world.robot.turns.turn(angle, on_progress=on_progress)
        await ended(world)
        on_progress(progress[-1])
        assert turned == pytest.approx(angle, abs=0.035)
        assert true[0] == pytest.approx(turned, abs=0.01)
        assert progress[-1].angle_turned + progress[-1].angle_remaining == pytest.approx(angle)

    turns()


def test_set_odometry_on_the_way_leaves_what_is_driven_and_is_a_change_of_status(tmp_path):
    given(tmp_path)

    @scenarios(tmp_path)
    async def drives(world):
        robot = world.robot
        await robot.maneuvers.drive_distance(0.2)
        await robot.turns.turn(1.0)
        true, there = await ended(world), Pose2D(5.0, -3.0, 2.0)
        changes = record(robot.on_status)
        robot.localization.set_odometry(there)
        await world.until(lambda: changes)
        task = asyncio.ensure_future(robot.maneuvers.drive_distance(0.3))
        await world.until(lambda: robot.odometry.linear_velocity > 0.05)
        changes.clear()
        await world.pass_time(1.0)
        assert not changes
        await task
        moved = true.inverse().compose(await ended(world))
        assert close(there.compose(moved), robot.odometry.pose, 0.002, 0.01)
        assert moved.x == pytest.approx(0.3, abs=0.003)
        # The robot's own coordinate system is where its own pose says.
        assert close(robot.status.origin.compose(robot.state.pose), robot.odometry.pose, 1e-9, 1e-9)

    drives()


def test_the_robot_is_told_of_docking_errors_as_it_will_count_them(tmp_path):
    given(tmp_path, _FAR)

    @scenarios(tmp_path, _FAR, cubes=[{"number": 1, "x": 0.25, "y": 0.0}])
    async def docks(world):
        docking = asyncio.ensure_future(world.robot.docking.dock(DockAction.ALIGN))
        await world.until(lambda: world.robot.state.is_docking)
        error = DockingError(world.loop.time() - 0.1, 0.12, -0.024, 0.022, 0.21)
        world.robot.docking.on_error(error)
        await world.until(lambda: world.wire.received(messages.DockingErrorSignal))
        (told,) = world.wire.received(messages.DockingErrorSignal)
        docking.cancel()
        await outcome(docking)
        assert tuple(told)[1:3] == pytest.approx((125.0, -25.0), abs=0.01)
        assert tuple(told)[3:5] == pytest.approx((22.0, 0.2), abs=0.01)

    docks()


def test_velocities_are_the_true_ones(tmp_path):
    save_robot_calibration(
        tmp_path,
        SERIAL,
        RobotCalibration().with_values(
            {
                "distance_scale": Measurement(1.04, 0.001, "a test"),
                "turn_scale": Measurement(0.97, 0.001, "a test"),
            }
        ),
    )

    @scenarios(tmp_path, ideal=True)
    async def drives(world):
        world.robot.motion.drive(0.1, 0.5)
        await world.pass_time(0.4)
        odometry, state = world.robot.odometry, world.robot.state
        wheels = (state.left_wheel_speed + state.right_wheel_speed) / 2
        assert odometry.linear_velocity == pytest.approx(1.04 * wheels)
        assert odometry.angular_velocity == pytest.approx(0.97 * 0.5, abs=0.03)

    drives()


def test_an_arc_that_is_counted_is_one_of_another_radius():
    """Also where states were lost: in one step."""

    def arc(radius: float, angle: float) -> Pose2D:
        center = Pose2D(radius * math.sin(angle), radius * (1.0 - math.cos(angle)), angle)
        return DRIVE_CENTER.compose(center).compose(DRIVE_CENTER.inverse())

    tracker = OdometryTracker()
    tracker.calibration = true_calibration(_FAR)
    tracker.update(state())
    here = tracker.update(state(pose=arc(0.2, 0.5))).pose
    assert close(here, arc(0.2 * 0.96 / 1.05, 0.5 * 1.05), 2e-4, 1e-6)
    assert close(tracker.origin.compose(arc(0.2, 0.5)), here, 1e-9, 1e-9)


def test_the_heading_of_a_measured_robot_is_trusted_more():
    def variance(deviation: float | None) -> float:
        tracker = OdometryTracker()
        if deviation is not None:
            scale = Measurement(1.01, deviation, "a test")
            tracker.calibration = RobotCalibration().with_values({"turn_scale": scale})
        for step in range(20):
            odometry = tracker.update(state(pose=Pose2D(yaw=0.3 * step)))
        return odometry.heading_variance

    assert variance(0.002) < 0.1 * variance(None)
    assert variance(0.02) == pytest.approx(variance(None), rel=0.02)


# -- its file


@pytest.mark.parametrize("content", ["", "[]", "{", '{"format": 1}', "foreign", "impossible"])
def test_a_damaged_or_foreign_file_is_as_none(tmp_path, caplog, content):
    if content == "foreign":
        given(tmp_path, serial=SERIAL + 1)
        content = calibration_path(tmp_path, SERIAL + 1).read_text()
    elif content == "impossible":
        given(tmp_path)
        scale = true_calibration().turn_scale
        content = calibration_path(tmp_path, SERIAL).read_text().replace(str(scale), "1.5")
    calibration_path(tmp_path, SERIAL).write_text(content)

    @scenarios(tmp_path)
    async def is_not_calibrated(world):
        assert world.robot.calibration == RobotCalibration()
        assert await world.robot.maneuvers.drive_distance(0.1) == pytest.approx(0.1, abs=0.003)

    is_not_calibrated()
    assert "is not used" in caplog.text


def test_what_was_measured_meanwhile_is_used_in_the_next_session(tmp_path):
    @scenarios(tmp_path)
    async def reconnects(world):
        assert world.robot.calibration == RobotCalibration()
        async with world.without_link():
            given(tmp_path)
        assert world.robot.calibration == true_calibration()

    reconnects()


def test_another_robot_at_the_same_address_has_its_own(tmp_path):
    given(tmp_path)

    @scenarios(tmp_path)
    async def meets_another(world):
        assert world.robot.calibration == true_calibration()
        world.wire.options["identity"] = Identity(head_serial=SERIAL + 1)
        await world.reconnect(restart=True)
        assert world.robot.calibration == RobotCalibration()
        assert await world.robot.maneuvers.drive_distance(0.1) == pytest.approx(0.1, abs=0.003)

    meets_another()


def test_the_lens_that_was_measured_is_used_instead_of_the_robots_own(tmp_path):
    lens = {"fx": 291.0, "fy": 291.5, "cx": 150.0, "cy": 110.0}

    @scenarios(tmp_path)
    async def sees(world):
        await world.until(lambda: world.robot.camera.calibration.source is CalibrationSource.ROBOT)
        async with world.without_link():
            measured = {name: Measurement(one, 0.5, "a test") for name, one in lens.items()}
            save_robot_calibration(tmp_path, SERIAL, RobotCalibration().with_values(measured))
        camera = world.robot.camera
        await world.until(lambda: camera.calibration.source is CalibrationSource.MEASURED)
        assert {name: getattr(camera.calibration, name) for name in lens} == lens
        # Of another robot it says nothing.
        world.wire.options["identity"] = Identity(head_serial=SERIAL + 1)
        await world.reconnect(restart=True)
        await world.until(lambda: camera.calibration.source is CalibrationSource.ROBOT)

    sees()
