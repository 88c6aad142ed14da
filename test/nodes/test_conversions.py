"""Plain data to messages; field types are checked because the environment says so."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import BatteryState, Imu

from cozmo_driver.driver import health as healths
from cozmo_driver.driver import robot_messages
from cozmo_driver.driver.health import audio_health
from cozmo_driver.link import LinkStatistics
from cozmo_driver.media.audio_files import LibraryMissing
from cozmo_driver.protocol import Statistics
from cozmo_driver.protocol.enums import MotorID
from cozmo_driver.protocol.messages import MotorCalibration
from cozmo_driver.robot import (
    AudioStreamStatistics,
    Battery,
    CameraOptions,
    Cause,
    Charge,
    DeviceClock,
    Image,
    Measurement,
    Movement,
    Odometry,
    Phase,
    Pose2D,
    Reason,
    Robot,
    RobotCalibration,
    RobotError,
    RobotOptions,
    SessionState,
    Side,
    UnexpectedMovement,
    Vector3,
)
from cozmo_driver.ros import diagnostics, media_messages
from cozmo_driver.ros.diagnostics import ERROR, OK, STALE, WARN
from cozmo_driver.ros.errors import explain
from cozmo_driver.ros.media_messages import samples_of
from cozmo_driver.ros.topics import CommandCounters
from cozmo_interfaces.msg import Audio, ConnectionState

from ..each import for_each
from ..robot.states import state

STAMP = Time(sec=12, nanosec=34)
SIX = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


# Numpy's own numbers are what a careless cast lets through.
@pytest.mark.parametrize("number", [np.float32, int])
def test_odometry_is_the_pose_in_the_plane(number: Any) -> None:
    pose = Pose2D(number(2), number(-3), math.pi / 2)
    odometry = Odometry(
        1.0,
        pose,
        number(1),
        0.5,
        False,
        covariance_scale=10.0,
        position_variance=100.0,
        heading_variance=200.0,
    )
    message = robot_messages.fill_odometry(
        OdometryMessage(),
        odometry,
        pose,
        STAMP,
        "odom",
        "base",
        pose_diagonal=SIX,
        twist_diagonal=SIX,
    )
    pose, twist = message.pose.pose, message.twist.twist
    assert message.header.stamp == STAMP
    assert (pose.position.x, pose.position.y, pose.position.z) == (2.0, -3.0, 0.0)
    assert pose.orientation.z == pytest.approx(math.sqrt(0.5))
    assert pose.orientation.w == pytest.approx(math.sqrt(0.5))
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (1.0, 0.0, 0.5)
    assert list(np.diag(message.pose.covariance.reshape(6, 6))) == [101, 102, 3, 4, 5, 206]
    assert list(np.diag(message.twist.covariance.reshape(6, 6))) == [10, 20, 30, 40, 50, 60]


def test_the_imu_is_passed_on_unrotated() -> None:
    plain = state(
        acceleration=Vector3(-3.2, 1.0, 9.7),
        angular_velocity=Vector3(0.1, -3.03, 0.2),
        head_angle=0.4,
    )
    message = robot_messages.fill_imu(
        Imu(),
        plain,
        STAMP,
        "imu",
        angular_velocity_diagonal=(1.0, 2.0, 3.0),
        linear_acceleration_diagonal=(4.0, 5.0, 6.0),
    )
    assert message.linear_acceleration.x == -3.2
    assert message.angular_velocity.y == -3.03
    assert list(message.orientation_covariance) == [-1.0] + [0.0] * 8
    assert list(message.angular_velocity_covariance) == [1, 0, 0, 0, 2, 0, 0, 0, 3]
    assert list(message.linear_acceleration_covariance) == [4, 0, 0, 0, 5, 0, 0, 0, 6]


def test_the_battery_tells_what_the_charger_does() -> None:
    battery = Battery(3.9, math.nan, Charge.CHARGER_OUT_OF_SPEC, True)
    message = robot_messages.battery_message(battery, STAMP, "base")
    assert message.voltage == pytest.approx(3.9)
    assert math.isnan(message.percentage)
    assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING
    assert message.power_supply_health == BatteryState.POWER_SUPPLY_HEALTH_UNSPEC_FAILURE
    for charge in (Charge.DISCHARGING, Charge.CHARGING, Charge.FULL):
        message = robot_messages.battery_message(Battery(3.9, 1.0, charge, True), STAMP, "base")
        wanted = getattr(BatteryState, f"POWER_SUPPLY_STATUS_{charge.name}")
        assert (message.power_supply_status, message.power_supply_health) == (wanted, 0)


def test_a_jpeg_is_passed_on_byte_by_byte() -> None:
    image = Image(1.0, 7, b"\xff\xd8\x00\x01", False)
    message = media_messages.compressed_message(image, STAMP, "camera")
    assert message.data == array("B", b"\xff\xd8\x00\x01")
    assert message.format == "mono8; jpeg compressed mono8"
    color = media_messages.compressed_message(Image(1.0, 7, b"", True), STAMP, "camera")
    assert color.format == "rgb8; jpeg compressed bgr8"


def test_pictures_keep_their_rows() -> None:
    gray = np.arange(240 * 320, dtype=np.uint8).reshape(240, 320)
    message = media_messages.image_message(gray, STAMP, "camera")
    assert (message.encoding, message.step) == ("mono8", 320)
    assert np.array_equal(media_messages.pixels_of(message), gray)
    color = np.zeros((240, 320, 3), np.uint8)
    color[2, 3] = (10, 20, 30)
    message = media_messages.image_message(color, STAMP, "camera")
    assert (message.encoding, message.step) == ("rgb8", 960)
    assert list(message.data[2 * 960 + 9 : 2 * 960 + 12]) == [10, 20, 30]
    assert np.array_equal(media_messages.pixels_of(message), color)
    message.encoding = "16UC1"
    with pytest.raises(ValueError, match="its encoding is '16UC1'"):
        media_messages.pixels_of(message)


@for_each("phase", Phase)
@for_each("cause", Cause)
def test_every_phase_and_cause_has_a_number(phase: Phase, cause: Cause) -> None:
    session = SessionState(phase, Phase.CONNECTED, cause, "text", 3, 2, 1.5)
    message = robot_messages.connection_state_message(session, "172.31.1.1", 5551, STAMP)
    assert message.state == getattr(ConnectionState, phase.name)
    assert message.previous_state == ConnectionState.CONNECTED
    assert message.reason == getattr(ConnectionState, f"REASON_{cause.name}")
    assert (message.attempts, message.connections, message.next_attempt) == (3, 2, 1.5)


def session(phase: Phase, attempts: int = 1, connections: int = 0) -> SessionState:
    return SessionState(phase, Phase.CONNECTING, Cause.NONE, "text", attempts, connections)


@pytest.mark.parametrize(
    ("present", "state_rate", "loss", "level"),
    [
        (session(Phase.CONNECTED), 33.3, 0.0, OK),
        (session(Phase.CONNECTED), 20.0, 0.0, WARN),
        (session(Phase.CONNECTED), 33.3, 0.3, WARN),
        (session(Phase.WAITING), 0.0, 0.0, ERROR),
        (session(Phase.CONNECTING), 0.0, 0.0, WARN),
        (session(Phase.CONNECTING, attempts=2), 0.0, 0.0, ERROR),
        (session(Phase.CONNECTING, connections=1), 0.0, 0.0, ERROR),
        (session(Phase.DISCONNECTED), 0.0, 0.0, WARN),
    ],
)
def test_the_link_is_judged(
    present: SessionState, state_rate: float, loss: float, level: bytes
) -> None:
    health = healths.link_health(
        present,
        Statistics(),
        LinkStatistics(),
        state_rate=state_rate,
        missed_states=0,
        ping_loss=loss,
        silence=0.0,
        is_rate_known=True,
    )
    assert health.level == level


@pytest.mark.parametrize(("answered", "lost"), [(18, 12), (1, 1)], ids=["idle", "streaming"])
def test_the_loss_of_pings_is_that_of_the_moment(answered: int, lost: int) -> None:
    statistics, loss = Statistics(), healths.PingLoss()

    def share_after(begin: int, seconds: int, *, is_good: bool) -> float:
        for second in range(seconds):
            statistics.pings_answered += answered + lost * is_good
            statistics.pings_lost += lost * (not is_good)
            share = loss.update(statistics, begin + second)
        return share

    assert share_after(0, 3600, is_good=True) == 0.0
    assert share_after(3600, 20, is_good=False) == pytest.approx(lost / (answered + lost))
    assert share_after(3620, 20, is_good=True) == 0.0


def test_a_few_pings_say_nothing_of_the_link() -> None:
    loss = healths.PingLoss()
    assert loss.update(Statistics(), 0.0) == 0.0
    assert loss.update(Statistics(pings_answered=5, pings_lost=5), 5.0) == 0.0


@pytest.mark.parametrize(
    ("battery", "level"),
    [
        (Battery(3.49, 0.5, Charge.DISCHARGING, False, is_low=True), WARN),
        (Battery(3.39, 0.5, Charge.DISCHARGING, False, is_low=True, is_critical=True), ERROR),
        (Battery(3.3, 0.5, Charge.CHARGING, True), OK),
        (Battery(3.3, math.nan, Charge.CHARGER_OUT_OF_SPEC, True), WARN),
        (None, STALE),
    ],
)
def test_the_battery_is_judged(battery: Battery | None, level: bytes) -> None:
    assert healths.battery_health(battery).level == level


@pytest.mark.parametrize(
    ("known", "calibrated", "stopped", "level"),
    [
        (True, True, False, OK),
        (True, False, False, WARN),
        (True, True, True, WARN),
        (False, False, False, STALE),
    ],
)
def test_the_motors_are_judged(known: bool, calibrated: bool, stopped: bool, level: bytes) -> None:
    robot = calibrated_robot(is_head=calibrated)
    robot.session.safety.is_stop_latched = stopped
    assert healths.motors_health(robot, state() if known else None).level == level


def calibrated_robot(*, is_head: bool = True) -> Robot:
    robot = Robot(RobotOptions())
    for motor in (MotorID.HEAD, MotorID.LIFT)[not is_head :]:
        robot.session.calibration.handle(MotorCalibration(motor, False, False), 0.0)
    return robot


def test_motors_of_a_robot_that_pushes_something_are_no_good_for_some_seconds() -> None:
    robot = calibrated_robot()
    robot.obstacles.last = UnexpectedMovement(10.0, 9.8, Movement.BLOCKED, Side.BACK)

    def health(time: float) -> diagnostics.Health:
        return healths.motors_health(robot, state(time=time))

    assert health(10.0).level == WARN
    assert "something may be behind the robot" in health(10.0).message
    assert [health(time).level for time in (14.9, 15.1)] == [WARN, OK]


def test_what_was_measured_of_the_robot_is_told_with_its_source() -> None:
    scale = Measurement(1.0131, 0.002, "learnt from the charger, 2026-11-24")
    calibration = RobotCalibration().with_values({"turn_scale": scale})
    health = healths.calibration_health(calibration)
    assert (health.level, health.message) == (OK, f"turn scale 1.0131 ({scale.source})")
    assert health.values["turn scale"] == f"1.0131 ({scale.source})"
    assert health.values["distance scale"] == "not measured"
    assert healths.calibration_health(RobotCalibration()).message == "nothing was measured"


def test_commands_are_told_by_topic() -> None:
    counters = CommandCounters(accepted=7, rejected=3, refused=2, expired=1, last_reason="why")
    health = healths.commands_health({"cmd_vel": counters, "cmd_head": CommandCounters()})
    assert (health.level, health.message) == (OK, "5 not done")
    told = [value for key, value in health.values.items() if key.startswith("cmd_vel ")]
    assert told == [7, 3, 2, 1, "why"]
    assert health.values["cmd_head refused"] == 0
    assert healths.commands_health({}).message == "all were done"


def test_the_clock_is_judged_with_its_drift_and_the_round_trip() -> None:
    clock = DeviceClock()
    statistics = Statistics(round_trip_smoothed=0.012)

    def health(is_running: bool = True, is_acknowledged: bool = True) -> diagnostics.Health:
        return healths.clock_health(
            clock, statistics, is_acknowledged=is_acknowledged, is_running=is_running
        )

    assert health().level == STALE
    # The robot's clock runs 100 ppm slower than the host's.
    for second in range(60):
        clock.update(second, 10.0 + second * 1.0001)
    assert health().level == OK
    assert health(is_running=False).level == STALE
    assert health(is_acknowledged=False).level == WARN
    assert health().values["drift [ppm]"] == pytest.approx(100.0, rel=0.1)
    assert health().values["offset [s]"] == pytest.approx(10.0, abs=0.01)
    assert health().values["round trip [ms]"] == pytest.approx(12.0)
    assert math.isnan(health().values["least round trip [ms]"])
    for second in range(60, 72):
        clock.update(second, 10.5 + second * 1.0001)
    assert health().level == WARN
    assert health().message.startswith("stamps are ")


def test_the_camera_is_judged() -> None:
    options = CameraOptions(gain=1.5, exposure_ms=20, auto_exposure=True)
    camera = Robot(RobotOptions(camera=options)).camera
    camera.exposure_control.brightness = 110.0

    def camera_level(rate: float, is_wanted: bool) -> bytes:
        health = healths.camera_health(camera, rate=rate, is_wanted=is_wanted)
        assert (health.values["gain"], health.values["exposure [ms]"]) == (1.5, 20)
        assert health.values["automatic exposure"] is True
        assert health.values["mean gray"] == 110.0
        return health.level

    assert camera_level(15.0, True) == OK
    assert camera_level(0.0, True) == WARN
    assert camera_level(0.0, False) == OK


def test_values_of_a_status_are_texts() -> None:
    health = diagnostics.Health(WARN, "so", {"a": 1.23456789, "b": 2, "c": True, "d": "x"})
    message = diagnostics.status_message("n", "hw", health)
    assert [pair.value for pair in message.values] == ["1.23457", "2", "True", "x"]


# -- sound without a graph: messages to samples, names to files, counters to health


def test_the_samples_are_those_of_the_message_and_not_copied() -> None:
    message = Audio(sample_rate=16000, samples=array("h", [-32768, -1, 0, 1, 32767]))
    samples = samples_of(message, 10.0)
    assert samples.dtype == np.int16
    assert samples.tolist() == [-32768, -1, 0, 1, 32767]
    message.samples[2] = 77
    assert samples[2] == 77


def test_senseless_pieces_are_refused_but_an_empty_one_may_end_the_stream() -> None:
    for rate, count in ((7999, 10), (48000, 0), (8000, 16001)):
        message = Audio(sample_rate=rate, samples=array("h", bytes(2 * count)))
        with pytest.raises(ValueError, match=r"piece|sample rate"):
            samples_of(message, 2.0)
    assert len(samples_of(Audio(is_last=True), 2.0)) == 0


def test_why_a_sound_is_not_played_is_known() -> None:
    ended = RobotError(Reason.LINK_LOST, "the link to the robot ended")
    assert explain(ended) == (Reason.LINK_LOST, "the link to the robot ended")
    assert explain(LibraryMissing("install soxr")) == (Reason.UNSUPPORTED, "install soxr")


def test_gaps_and_dropped_sound_are_a_warning_while_they_grow() -> None:
    statistics = AudioStreamStatistics(
        underruns=3, silent_frames=30, dropped=1.5, missed=2.5, streams=2
    )
    pieces = CommandCounters(accepted=7, rejected=1, refused=2)

    def health(losses: float) -> diagnostics.Health:
        return audio_health(statistics, pieces, waiting=0.25, is_playing=True, losses=losses)

    assert (health(1.0).level, health(0.0).level) == (WARN, OK)
    assert health(1.0).values == {
        "waiting [s]": 0.25,
        "accepted pieces": 7,
        "rejected pieces": 1,
        "refused pieces": 2,
        "streams": 2,
        "gaps": 3,
        "silence in gaps [s]": pytest.approx(1.0),
        "dropped [s]": 1.5,
        "missed in stalls [s]": 2.5,
    }
