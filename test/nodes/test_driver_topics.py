"""What the driver publishes, over the real graph, from an emulator on UDP."""

from __future__ import annotations

import contextlib
import math
import time
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.publisher import Publisher
from sensor_msgs.msg import BatteryState, CameraInfo, CompressedImage, Image, Imu, JointState
from tf2_msgs.msg import TFMessage

from cozmo_driver.driver.sensors import OdometryPart, publish_imu, publish_joint_states
from cozmo_driver.emulator.options import Identity
from cozmo_driver.media.mini_jpeg import picture
from cozmo_driver.protocol import MessageReceived, messages
from cozmo_driver.robot import JOINTS, MIN_HEAD_ANGLE, MIN_LIFT_HEIGHT
from cozmo_driver.robot.geometry import lift_angle
from cozmo_driver.ros.media_messages import pixels_of
from cozmo_interfaces.msg import ConnectionState, RobotEvent, RobotInfo, RobotStatus

from ..protocol.network import STATE
from ..waiting import wait_until
from .conftest import Bench, World
from .graph import LATCHED, Inbox, seconds

STATE_PERIOD = 0.030


def span(messages: list[Any]) -> float:
    """Return the time from the first to the last stamp, s."""
    return seconds(messages[-1].header.stamp) - seconds(messages[0].header.stamp)


def wait_for_pace(inbox: Inbox[Any], count: int, period: float) -> Any:
    """Wait for ``count`` messages stamped ``period`` s apart; return the last of them.

    A busy computer publishes some of them late, or not at all.
    """

    def found() -> Any:
        last = inbox.messages[-count:]
        fits = len(last) == count and span(last) == pytest.approx((count - 1) * period, rel=0.04)
        return last[-1] if fits else None

    return wait_until(found, f"messages do not come every {period:.3f} s")


@pytest.mark.covers("odom", "imu/data_raw", "joint_states", "tf")
def test_messages_come_with_every_state_of_the_robot_and_are_stamped_alike(world: World) -> None:
    inboxes = [
        world.graph.listen(kind, topic)
        for kind, topic in (
            (Odometry, "odom"),
            (Imu, "imu/data_raw"),
            (JointState, "joint_states"),
        )
    ]
    transforms = world.graph.listen(TFMessage, "/tf")
    for inbox in inboxes:
        wait_until(lambda inbox=inbox: len(inbox.messages) >= 100, "too few messages")
        stamps = [seconds(message.header.stamp) for message in inbox.messages]
        # Stamps are the robot's clock, so a busy computer does not change them; the first ones
        # after connecting are moved when a less delayed state shows what the delay was.
        steps = [b - a for a, b in pairwise(stamps)]
        assert median(steps) == pytest.approx(STATE_PERIOD, rel=0.01)
        assert sum(step < 1.5 * STATE_PERIOD for step in steps) > 0.8 * len(steps)
    odom, imu, joints = (
        {seconds(message.header.stamp) for message in inbox.messages} for inbox in inboxes
    )
    tf = {
        seconds(transform.header.stamp)
        for message in transforms.messages
        for transform in message.transforms
        if transform.child_frame_id == "base_footprint"
    }
    # The streams were joined and left at different moments, hence not every stamp is in all.
    assert len(odom & imu & joints & tf) >= 15


def test_the_transform_comes_before_what_is_stamped_alike(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, graph, published = bench.robot, bench.graph, []
    OdometryPart(bench.context)
    publish_imu(bench.context)
    publish_joint_states(bench.context)
    for kind, topic in ((TFMessage, "/tf"), (Imu, "imu/data_raw"), (JointState, "joint_states")):
        graph.listen(kind, topic)
        bench.publisher(topic.strip("/"))

    def record(publisher: Publisher, _: object) -> None:
        published.append(publisher.topic)

    monkeypatch.setattr(Publisher, "publish", record)

    def arrive() -> None:
        for message in (messages.SyncTimeAck(), STATE):
            robot.session.handle_event(MessageReceived(message, True), time.monotonic())

    bench.context.in_loop(arrive)
    assert published == ["/tf", "imu/data_raw", "joint_states"]


@pytest.mark.covers("tf", "odom")
def test_the_transform_is_the_pose_of_odom(world: World) -> None:
    odometry = world.graph.listen(Odometry, "odom")
    odometry.collect(1)
    transforms = world.graph.listen(TFMessage, "/tf")
    message = transforms.wait_for(lambda m: m.transforms[0].child_frame_id == "base_footprint")
    [transform] = message.transforms
    pose = odometry.wait_for(lambda odom: odom.header.stamp == transform.header.stamp).pose.pose
    assert transform.header.frame_id == "odom"
    assert transform.transform.translation.x == pose.position.x
    assert transform.transform.translation.y == pose.position.y
    assert transform.transform.rotation == pose.orientation


@pytest.mark.covers("odom")
def test_odom_has_frames_and_the_covariances_of_the_parameters(world: World) -> None:
    message = world.graph.listen(Odometry, "odom").collect(1)[0]
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "base_footprint")
    pose = message.pose.covariance.reshape(6, 6)
    assert 1e-3 <= pose[5, 5] < 1e-2
    assert pose[2, 2] == pose[3, 3] == pose[4, 4] == 1e3
    assert 1e-4 <= pose[0, 0] == pose[1, 1] < 1e-2
    assert np.count_nonzero(pose - np.diag(np.diag(pose))) == 0
    assert list(np.diag(message.twist.covariance.reshape(6, 6))) == [
        1e-4, 1e-4, 1e3, 1e3, 1e3, 3e-4,
    ]  # fmt: skip


@pytest.mark.covers("imu/data_raw")
def test_the_imu_feels_gravity_in_the_head_and_gives_no_orientation(world: World) -> None:
    message = world.graph.listen(Imu, "imu/data_raw").collect(1)[0]
    acceleration = message.linear_acceleration
    norm = math.hypot(acceleration.x, acceleration.y, acceleration.z)
    assert norm == pytest.approx(9.81, abs=0.8)
    assert message.header.frame_id == "imu_link"
    assert message.orientation_covariance[0] == -1.0
    # As measured on real robots (spec 18).
    assert message.angular_velocity_covariance[0] == pytest.approx(0.9e-3**2)
    assert message.linear_acceleration_covariance[8] == pytest.approx(0.012**2)


@pytest.mark.covers("joint_states")
def test_joint_states_name_every_joint_and_start_at_the_lower_stops(world: World) -> None:
    message = world.graph.listen(JointState, "joint_states").collect(1)[0]
    position = dict(zip(message.name, message.position, strict=True))
    assert tuple(message.name) == JOINTS
    assert len(message.velocity) == len(JOINTS)
    assert position["head_joint"] == pytest.approx(MIN_HEAD_ANGLE, abs=0.02)
    assert position["lift_joint"] == pytest.approx(lift_angle(MIN_LIFT_HEIGHT), abs=0.02)
    assert position["lift_wrist_joint"] == -position["lift_joint"]


@pytest.mark.covers("battery_state")
def test_the_battery_comes_once_a_second_and_what_is_not_measured_is_nan(world: World) -> None:
    first = wait_for_pace(world.graph.listen(BatteryState, "battery_state"), 2, 1.0)
    assert first.voltage == pytest.approx(4.0, abs=0.06)
    assert 0.8 <= first.percentage <= 1.0
    assert first.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    assert first.power_supply_technology == BatteryState.POWER_SUPPLY_TECHNOLOGY_LIPO
    for value in (first.current, first.charge, first.capacity, first.design_capacity):
        assert math.isnan(value)


@pytest.mark.covers("status")
def test_status_comes_once_a_second_while_nothing_changes(world: World) -> None:
    first = wait_for_pace(world.graph.listen(RobotStatus, "status"), 2, 1.0)
    assert first.header.frame_id == "base_footprint"
    assert first.off_treads_state == RobotStatus.ON_TREADS
    assert first.is_head_calibrated
    assert first.is_lift_calibrated
    assert first.is_stop_on_cliff_enabled
    assert first.is_camera_enabled
    assert not first.is_emergency_stopped
    assert not first.are_wheels_moving
    assert first.wheels_owner == RobotStatus.OWNER_NONE
    assert first.path_segment == -1
    assert first.lift_height == pytest.approx(MIN_LIFT_HEIGHT, abs=0.001)
    assert first.cliff_raw[0] > 400


@pytest.mark.covers("robot_info")
def test_who_the_robot_is_waits_for_those_who_come_late(world: World) -> None:
    info = world.graph.listen(RobotInfo, "robot_info", LATCHED).wait_for(lambda _: True)
    robot = Identity()
    assert info.head_serial == robot.head_serial
    assert info.body_serial == robot.body_serial
    assert info.firmware_version == robot.firmware_version
    assert info.is_firmware_known
    assert not info.is_factory_firmware
    assert info.has_button
    assert info.hardware_revision == "1.5"
    assert (info.address, info.port) == ("127.0.0.1", world.emulator.port)
    # Nothing was measured of it.
    assert all(map(math.isnan, (info.turn_scale, info.distance_scale)))


@pytest.mark.covers("connection_state")
def test_the_connection_state_waits_for_those_who_come_late(world: World) -> None:
    state = world.graph.listen(ConnectionState, "connection_state", LATCHED).wait_for(
        lambda _: True
    )
    assert state.state == ConnectionState.CONNECTED
    assert state.previous_state == ConnectionState.INITIALIZING
    assert state.reason == ConnectionState.REASON_NONE
    assert state.connections == 1
    assert math.isnan(state.next_attempt)


@pytest.mark.covers("diagnostics")
def test_diagnostics_tell_that_everything_is_well(world: World) -> None:
    def link(array: DiagnosticArray, key: str) -> float:
        return float({pair.key: pair.value for pair in array.status[0].values}[key])

    def is_well(array: DiagnosticArray) -> bool:
        are_well = all(status.level == DiagnosticStatus.OK for status in array.status)
        return are_well and abs(link(array, "state rate [1/s]") - 33.3) < 2.0

    array = world.graph.listen(DiagnosticArray, "/diagnostics").wait_for(is_well)
    whose = f"{world.graph.namespace.lstrip('/')}/cozmo_driver: "
    assert all(status.name.startswith(whose) for status in array.status)
    names = [status.name.removeprefix(whose) for status in array.status]
    assert {"link", "battery", "motors", "calibration", "commands", "camera", "clock"} <= set(names)
    assert len(set(names)) == len(names)
    serial = Identity().head_serial
    assert {status.hardware_id for status in array.status} == {f"{serial:08x}"}
    assert link(array, "round trip [ms]") >= 0.0


@pytest.mark.covers("camera/camera_info", "camera/image_raw/compressed")
def test_pictures_come_with_their_calibration(world: World) -> None:
    infos = world.graph.listen(CameraInfo, "camera/camera_info")
    pictures = world.graph.listen(CompressedImage, "camera/image_raw/compressed")
    image = wait_for_pace(pictures, 30, 1 / 15)
    stamps = [seconds(message.header.stamp) for message in pictures.messages]
    assert all(a < b for a, b in pairwise(stamps))
    info = infos.wait_for(lambda message: message.header.stamp == image.header.stamp)
    assert image.header.frame_id == info.header.frame_id == "camera_optical_frame"
    assert image.format == "mono8; jpeg compressed mono8"
    assert (info.width, info.height) == (320, 240)


@pytest.mark.covers("camera/image_raw")
def test_the_raw_picture_is_the_compressed_one_decoded(world: World) -> None:
    compressed = world.graph.listen(CompressedImage, "camera/image_raw/compressed")
    raw = world.graph.listen(Image, "camera/image_raw").collect(2)[1]
    jpeg = compressed.wait_for(lambda message: message.header.stamp == raw.header.stamp)
    assert (raw.width, raw.height, raw.encoding, raw.step) == (320, 240, "mono8", 320)
    pixels = pixels_of(raw)
    assert np.array_equal(pixels, picture(bytes(jpeg.data)))
    assert pixels.std() > 5, "the picture shows nothing"


def events_of(world: World) -> Inbox[RobotEvent]:
    """Return the events from now on; the robot is poked until that is heard."""
    inbox = world.graph.listen(RobotEvent, "events")
    for _ in range(100):
        world.emulator.call(lambda firmware: firmware.handling.poke())
        with contextlib.suppress(AssertionError):
            inbox.wait_for(lambda event: event.type == RobotEvent.POKED, timeout=0.3)
            return inbox
    raise AssertionError("no poke was felt")


def wait_for(events: Inbox[RobotEvent], kind: int) -> RobotEvent:
    return events.wait_for(lambda event: event.type == kind)


@pytest.mark.covers("events")
def test_an_event_tells_when_it_happened_and_nothing_that_is_not_its_own(world: World) -> None:
    events = events_of(world)
    world.emulator.call(lambda firmware: firmware.handling.press_button())
    pressed = wait_for(events, RobotEvent.BUTTON_PRESSED)
    released = wait_for(events, RobotEvent.BUTTON_RELEASED)
    for event in (pressed, released):
        assert event.header.frame_id == "base_footprint"
        assert event.description.startswith("the button on the back was ")
        assert event.off_treads_state == RobotStatus.ON_TREADS
        assert event.motor == RobotEvent.NO_MOTOR
        assert math.isnan(event.duration)
        assert math.isnan(event.impact_raw)
        age = world.graph.now() * 1e-9 - seconds(event.header.stamp)
        assert 0.0 <= age < 60.0
    assert seconds(released.header.stamp) > seconds(pressed.header.stamp)
