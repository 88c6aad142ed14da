"""What parameters do to the robot and to what is published, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, CompressedImage, Imu
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from cozmo_driver.driver.sensors import OdometryPart
from cozmo_driver.emulator import Identity, running_emulator
from cozmo_driver.protocol import Message
from cozmo_interfaces.msg import ConnectionState, RobotEvent

from ..robot.states import state
from ..waiting import wait_until
from .conftest import Bench, World, running_world
from .graph import LATCHED, running_driver, running_graph, seconds, twist

AT_START = {
    "odom_frame": "origin",
    "base_frame": "body",
    "imu_frame": "gyroscope",
    "camera_frame": "eye",
    "frame_prefix": "robot1/",
    "cliff_threshold": 300,
    "stop_on_cliff": False,
    "wheel_separation": 0.02,
    "yaw_rate_trim": False,
}


@pytest.fixture(scope="module")
def tuned() -> Iterator[World]:
    """Return a driver whose parameters are others than by default."""
    with running_world(**AT_START) as world:
        yield world


@pytest.fixture(autouse=True)
def leave_a_robot_that_stands(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "tuned" in request.fixturenames:
        world: World = request.getfixturevalue("tuned")
        world.graph.call(Trigger, "emergency_stop")
        world.graph.call(Trigger, "release_stop")
        world.graph.clear()


def drive_until(
    world: World, linear: float, angular: float, holds: Callable[[Any], bool], what: str
) -> None:
    """Command a speed with every odom until the last ``DriveWheels`` is as wanted."""
    odometry = world.graph.listen(Odometry, "odom")
    publisher = world.graph.publisher(Twist, "cmd_vel")

    def is_applied() -> bool:
        publisher.publish(twist(linear, angular))
        odometry.collect(1)
        message: Message | None = world.emulator.state().last_received.get("DriveWheels")
        return message is not None and holds(message)

    wait_until(is_applied, what)


@pytest.mark.covers("odom_frame", "base_frame", "imu_frame", "camera_frame", "frame_prefix")
def test_every_frame_has_the_name_it_was_given(tuned: World) -> None:
    graph = tuned.graph
    transforms = graph.listen(TFMessage, "/tf")
    odometry = graph.listen(Odometry, "odom").collect(1)[0]
    assert odometry.header.frame_id == "robot1/origin"
    assert odometry.child_frame_id == "robot1/body"
    assert graph.listen(Imu, "imu/data_raw").collect(1)[0].header.frame_id == "robot1/gyroscope"
    for kind, topic in (
        (CameraInfo, "camera/camera_info"),
        (CompressedImage, "camera/image_raw/compressed"),
    ):
        assert graph.listen(kind, topic).collect(1)[0].header.frame_id == "robot1/eye"
    transforms.wait_for(
        lambda message: (
            message.transforms[0].header.frame_id == "robot1/origin"
            and message.transforms[0].child_frame_id == "robot1/body"
        )
    )


@pytest.mark.covers("publish_tf")
def test_the_transform_is_switched_off_and_on(tuned: World) -> None:
    transforms = tuned.graph.listen(TFMessage, "/tf")
    odometry = tuned.graph.listen(Odometry, "odom")
    transforms.wait_for(lambda _: True)
    assert not tuned.graph.set(publish_tf=False)
    off = tuned.graph.now() * 1e-9
    # One that was under way may still come; odom goes on without.
    odometry.wait_for(lambda odom: seconds(odom.header.stamp) > off + 0.6)
    stamps = [seconds(one.header.stamp) for m in transforms.messages for one in m.transforms]
    assert max(stamps) <= off
    assert not tuned.graph.set(publish_tf=True)
    transforms.collect(5)


@pytest.mark.covers(
    "angular_velocity_covariance_diagonal",
    "driving_angular_velocity_covariance_diagonal",
    "driving_linear_acceleration_covariance_diagonal",
    "linear_acceleration_covariance_diagonal",
)
def test_the_variances_of_the_imu_are_published(tuned: World) -> None:
    inbox = tuned.graph.listen(Imu, "imu/data_raw")
    assert not tuned.graph.set(angular_velocity_covariance_diagonal=[0.1, 0.2, 0.3])
    assert not tuned.graph.set(linear_acceleration_covariance_diagonal=[0.4, 0.5, 0.6])
    message = inbox.wait_for(lambda imu: imu.linear_acceleration_covariance[8] == 0.6)
    assert list(message.linear_acceleration_covariance) == [0.4, 0, 0, 0, 0.5, 0, 0, 0, 0.6]
    assert list(message.angular_velocity_covariance) == [0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3]
    assert not tuned.graph.set(driving_angular_velocity_covariance_diagonal=[0.7, 0.8, 0.9])
    assert not tuned.graph.set(driving_linear_acceleration_covariance_diagonal=[1.0, 1.1, 1.2])
    drive_until(
        tuned, 0.05, 0.0, lambda m: m.lwheel_speed_mmps == pytest.approx(50.0, rel=0.5), "it stands"
    )
    message = inbox.wait_for(lambda imu: imu.linear_acceleration_covariance[8] == 1.2)
    assert list(message.angular_velocity_covariance[::4]) == [0.7, 0.8, 0.9]
    inbox.wait_for_latest(lambda imu: imu.linear_acceleration_covariance[8] == 0.6)


@pytest.mark.covers("pose_covariance_diagonal", "twist_covariance_diagonal")
def test_the_variances_of_odom_are_published(tuned: World) -> None:
    inbox = tuned.graph.listen(Odometry, "odom")
    assert not tuned.graph.set(pose_covariance_diagonal=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert not tuned.graph.set(twist_covariance_diagonal=[0.7, 0.8, 0.9, 1.0, 1.1, 1.2])
    message = inbox.wait_for(lambda odom: odom.twist.covariance[35] == 1.2)
    assert list(message.twist.covariance[::7]) == [0.7, 0.8, 0.9, 1.0, 1.1, 1.2]
    assert list(message.pose.covariance[14:35:7]) == [0.3, 0.4, 0.5]
    # The rest has grown by what this robot drove before.
    grown = [message.pose.covariance[i] - d for i, d in ((0, 0.1), (7, 0.2), (35, 0.6))]
    assert grown[0] == pytest.approx(grown[1])
    assert all(0.0 <= growth < 0.1 for growth in grown)


@pytest.mark.covers("max_angular_velocity", "wheel_separation_effective")
def test_a_turn_is_as_fast_as_allowed_and_computed_with_the_effective_separation(
    tuned: World,
) -> None:
    def right_is(speed: float) -> Callable[[Any], bool]:
        return lambda message: message.rwheel_speed_mmps == pytest.approx(speed)

    drive_until(tuned, 0.0, 1.0, right_is(34.5), "1 rad/s at 69 mm is 34.5 mm/s")
    assert not tuned.graph.set(wheel_separation_effective=0.1)
    drive_until(tuned, 0.0, 1.0, right_is(50.0), "1 rad/s at 100 mm is 50 mm/s")
    assert not tuned.graph.set(max_angular_velocity=0.4)
    drive_until(tuned, 0.0, 1.0, right_is(20.0), "0.4 rad/s at 100 mm is 20 mm/s")
    assert not tuned.graph.set(max_angular_velocity=5.2)
    assert not tuned.graph.set(wheel_separation_effective=0.069)


@pytest.mark.covers("yaw_rate_trim")
def test_a_turn_that_is_too_fast_is_slowed_down_until_the_gyroscope_agrees(tuned: World) -> None:
    # The robot turns as with 69 or 92 mm, by its floor: at least 1.5 times as fast as commanded.
    assert not tuned.graph.set(wheel_separation_effective=0.14)
    assert not tuned.graph.set(yaw_rate_trim=True)
    drive_until(
        tuned, 0.0, 1.0, lambda message: message.rwheel_speed_mmps < 60.0, "nothing is corrected"
    )
    assert not tuned.graph.set(yaw_rate_trim=False)
    drive_until(
        tuned, 0.0, 1.0, lambda message: message.rwheel_speed_mmps == 70.0, "still corrected"
    )
    assert not tuned.graph.set(wheel_separation_effective=0.069)


@pytest.mark.covers("regulate_speed")
def test_treads_that_creep_up_to_their_speed_are_driven_faster_at_first(tuned: World) -> None:
    assert not tuned.graph.set(regulate_speed=True)
    drive_until(
        tuned, 0.05, 0.0, lambda message: message.rwheel_speed_mmps > 52.0, "nothing is corrected"
    )
    assert not tuned.graph.set(regulate_speed=False)
    drive_until(
        tuned, 0.05, 0.0, lambda message: message.rwheel_speed_mmps == 50.0, "still corrected"
    )
    assert not tuned.graph.set(regulate_speed=True)


@pytest.mark.covers("max_wheel_acceleration")
def test_the_treads_are_told_how_fast_to_speed_up(tuned: World) -> None:
    assert not tuned.graph.set(max_wheel_acceleration=0.25)
    drive_until(
        tuned,
        0.05,
        0.0,
        lambda m: (m.lwheel_accel_mmps2, m.rwheel_accel_mmps2) == (250.0, 250.0),
        "no acceleration of 250 mm/s^2",
    )
    assert not tuned.graph.set(max_wheel_acceleration=0.0)
    drive_until(tuned, 0.05, 0.0, lambda m: m.lwheel_accel_mmps2 == 0.0, "still limited")


@pytest.mark.covers("wheel_separation", "events")
def test_the_treads_are_judged_by_their_separation(tuned: World) -> None:
    events = tuned.graph.listen(RobotEvent, "events")
    tuned.emulator.call(lambda firmware: firmware.ground.hold(True))
    # Treads that differ by 10 mm/s turn a robot of 20 mm fast enough that a held one is noticed,
    # and one of 46 mm too slowly.

    def noticed(_: object) -> bool:
        return any(e.type == RobotEvent.UNEXPECTED_MOVEMENT for e in events.messages)

    drive_until(tuned, 0.02, 0.145, noticed, "nobody notices that the robot is held")
    tuned.emulator.call(lambda firmware: firmware.ground.hold(False))
    event = events.wait_for(lambda message: message.type == RobotEvent.UNEXPECTED_MOVEMENT)
    assert event.movement == RobotEvent.TURNED_BUT_STOPPED


@pytest.mark.covers("cliff_threshold", "parameter:stop_on_cliff")
def test_the_robot_is_told_what_an_edge_is_and_whether_to_stop_there(tuned: World) -> None:
    received = tuned.emulator.state().last_received
    assert tuple(received["SetCliffDetectThreshold"]) == (300,)
    assert tuple(received["EnableStopOnCliff"]) == (False,)


@pytest.mark.covers(
    "reconnect_initial_delay", "reconnect_factor", "reconnect_max_delay", "auto_connect", "connect"
)
def test_pauses_between_attempts_grow_as_told() -> None:
    # A robot that cannot be driven ends every attempt at once.
    pauses = {
        "reconnect_initial_delay": 0.05,
        "reconnect_factor": 3.0,
        "reconnect_max_delay": 0.2,
    }
    with (
        running_emulator(identity=Identity(build="FACTORY")) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, auto_connect=False, **pauses) as driver,
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        states.wait_for(lambda message: message.state == ConnectionState.DISCONNECTED)
        wanted = {1: 0.05, 2: 0.15, 3: 0.2, 4: 0.2}
        told: dict[int, float] = {}

        def are_told() -> bool:
            # A busy computer misses states that last no longer than such a pause, or an answer.
            assert graph.call(Trigger, "connect").success
            states.wait_for_new(lambda m: m.state == ConnectionState.WAITING and m.attempts > 3)
            assert graph.call(Trigger, "disconnect").success
            for message in states.messages:
                key = message.state, message.reason
                if key == (ConnectionState.WAITING, ConnectionState.REASON_FIRMWARE):
                    told[min(message.attempts, 4)] = message.next_attempt
            return told.keys() == wanted.keys()

        wait_until(are_told, "not all of its pauses are told")
        assert told == pytest.approx(wanted)
        # However many attempts one request to connect takes, the log says once why they fail.
        asked = driver.log.count("to connect")
        assert (
            asked == driver.log.count("the robot answered") == driver.log.count("factory firmware")
        ), driver.log


@pytest.mark.covers("network_interface")
def test_an_adapter_that_is_not_there_is_named() -> None:
    with (
        running_graph() as graph,
        running_driver(5551, graph.namespace, network_interface="nosuch0"),
    ):
        states = graph.listen(ConnectionState, "connection_state", LATCHED)
        waiting = states.wait_for(lambda message: message.state == ConnectionState.WAITING)
        assert waiting.reason == ConnectionState.REASON_NETWORK
        assert "nosuch0" in waiting.message


@pytest.mark.covers("covariance_inflation", "covariance_inflation_time")
def test_how_much_and_how_long_covariances_of_odom_grow_is_set_while_the_node_runs(
    bench: Bench,
) -> None:
    tracker = bench.robot.odometry_tracker
    OdometryPart(bench.context)
    inbox = bench.graph.listen(Odometry, "odom")
    bench.publisher("odom")
    values = {"covariance_inflation": 4.0, "covariance_inflation_time": 0.2}
    bench.graph.node.set_parameters([Parameter(name, value=one) for name, one in values.items()])
    wait_until(lambda: tracker.uncertainty.duration == 0.2, "the robot was not told")
    for number, (slips, factor) in enumerate(((True, 4.0), (False, 2.0), (False, 1.0))):
        odometry = tracker.update(state(time=100.0 + 0.1 * number), is_slipping=slips)
        bench.robot.on_odometry.emit(odometry)
        inbox.wait_for(lambda _, count=number + 1: len(inbox.messages) == count)
        assert inbox.messages[-1].twist.covariance[0] == pytest.approx(factor * 1e-4)
