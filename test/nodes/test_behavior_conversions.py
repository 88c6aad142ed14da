"""What the driver publishes comes back to the personality as it was; moods become expressions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu

from cozmo_driver.behavior.executor import Snapshot, State
from cozmo_driver.behavior.mood import Affect
from cozmo_driver.behavior.mood_config import Emotion
from cozmo_driver.behavior.needs_config import Bracket, Need
from cozmo_driver.behavior.ros_face import expression_of
from cozmo_driver.behavior.ros_messages import (
    SensorMessages,
    behavior_state_message,
    cube_event,
    cube_of,
    mood_message,
    needs_message,
    robot_event,
    senses_of,
)
from cozmo_driver.driver.robot_messages import event_message
from cozmo_driver.face.expressions import find
from cozmo_driver.protocol.enums import MotorID, UpAxis
from cozmo_driver.robot import (
    BackpackLights,
    Color,
    Cube,
    CubeEvent,
    CubeEventType,
    CubeKind,
    CubeLights,
    CubeLink,
    LightState,
    Movement,
    OffTreads,
    Pose2D,
    RobotEvent,
    RobotEventType,
    Side,
    Vector3,
)
from cozmo_driver.ros.cube_messages import (
    backpack_lights,
    backpack_message,
    cube_event_message,
    cube_lights,
    cube_lights_message,
    cube_message,
)
from cozmo_driver.ros.geometry import pose_message
from cozmo_interfaces.msg import BehaviorState, RobotStatus
from cozmo_interfaces.msg import CubeEvent as CubeEventMessage
from cozmo_interfaces.msg import RobotEvent as RobotEventMessage

STAMP = Time(sec=7)
CUBE = Cube(
    CubeKind.CUBE_2,
    0xC1000022,
    3,
    CubeLink.CONNECTED,
    is_available=True,
    is_moving=True,
    up_axis=UpAxis.X_NEGATIVE,
    rssi=50,
    battery_voltage=1.5,
    missed_packets=4,
)


def test_what_the_robot_feels_is_put_together_from_the_newest_messages() -> None:
    status = RobotStatus(
        off_treads_state=RobotStatus.ON_FACE,
        pitch=0.5,
        is_cliff_detected=True,
        is_head_calibrated=True,
        cliff_raw=[120, 0, 0, 0],
        battery_voltage=3.5,
        lift_angle=-0.25,
    )
    odometry = Odometry()
    odometry.pose.pose = pose_message(Pose2D(1.0, -2.0, 0.5))
    imu = Imu()
    imu.linear_acceleration.x, imu.linear_acceleration.z = 3.0, 4.0
    senses = senses_of(SensorMessages(status, odometry, imu, BatteryState(voltage=3.75)), 9.0, True)
    assert (senses.time, senses.is_connected, senses.off_treads) == (9.0, True, OffTreads.ON_FACE)
    assert (senses.is_cliff, senses.cliff_raw, senses.pitch) == (True, 120, 0.5)
    assert (senses.acceleration, senses.lift_angle, senses.battery_voltage) == (5.0, -0.25, 3.75)
    assert not senses.is_settled
    assert (senses.pose.x, senses.pose.y, senses.pose.yaw) == pytest.approx((1.0, -2.0, 0.5))
    without = senses_of(SensorMessages(status, odometry), 9.0, False)
    assert (without.battery_voltage, without.is_connected) == (3.5, False)
    assert without.acceleration == pytest.approx(9.81)


@pytest.mark.parametrize(
    "event",
    [
        RobotEvent(
            RobotEventType.MOTOR_STALLED,
            "stalled",
            motor=MotorID.HEAD,
            is_automatic=True,
            duration=0.5,
            acceleration=1.0,
            impact=2.0,
        ),
        RobotEvent(
            RobotEventType.UNEXPECTED_MOVEMENT,
            "held",
            off_treads=OffTreads.IN_AIR,
            movement=Movement.TURNED_OPPOSITE,
            side=Side.LEFT,
            has_stopped=True,
            duration=0.0,
            acceleration=0.0,
            impact=0.0,
            code=-3,
            name="clip",
        ),
    ],
    ids=lambda event: event.type.name,
)
def test_an_event_comes_back_as_it_was(event: RobotEvent) -> None:
    message = event_message(event, STAMP, "base_footprint")
    assert robot_event(message, 5.0) == replace(event, time=5.0)


def test_an_event_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="211"):
        robot_event(RobotEventMessage(type=211), 0.0)
    with pytest.raises(ValueError, match="no cube event 99"):
        cube_event(CubeEventMessage(type=99), {}, 0.0)


def test_a_cube_and_its_events_come_back_as_they_were() -> None:
    back = cube_of(cube_message(CUBE, lambda _: STAMP))
    assert math.isnan(back.last_heard)
    assert replace(back, last_heard=0.0) == replace(CUBE, last_heard=0.0)
    for kind in CubeEventType:
        felt = Vector3(1.0, 2.0, 3.0) if kind is CubeEventType.MOVED else None
        event = CubeEvent(2.0, kind, CUBE, 60, felt)
        message = cube_event_message(event, STAMP, "")
        assert cube_event(message, {CUBE.factory_id: CUBE}, 2.0) == event
    stranger = cube_event(message, {}, 2.0).cube
    assert (stranger.kind, stranger.factory_id) == (CUBE.kind, CUBE.factory_id)


def test_a_cube_that_was_turned_over_lies_as_its_event_says_also_before_the_cubes_come() -> None:
    before = replace(CUBE, up_axis=UpAxis.X_POSITIVE)
    event = CubeEvent(2.0, CubeEventType.UP_AXIS_CHANGED, CUBE)
    message = cube_event_message(event, STAMP, "")
    assert cube_event(message, {CUBE.factory_id: before}, 2.0) == event


def test_lights_come_to_the_driver_as_they_are() -> None:
    light = LightState(Color(1.0, 0.5, 0.25, 1.0), Color(0.0, 0.0, 1.0, 0.0), 0.5, 1, 2, 3, -0.5)
    dark = LightState()
    backpack = BackpackLights(front=light, right=light)
    assert backpack_lights(backpack_message(backpack)) == backpack
    cube = CubeLights((light, dark, dark, light), 0.5)
    message = cube_lights_message(cube, 0xC1000022)
    assert cube_lights(message) == cube
    assert message.factory_id == 0xC1000022


def test_states_have_the_same_numbers_on_the_graph() -> None:
    for state in State:
        assert getattr(BehaviorState, state.name) == state
    snapshot = Snapshot(
        State.REACTING, True, False, "Hiking", "ReactToPoke", "Poke", "RobotPoked", "Walk"
    )
    message = behavior_state_message(snapshot, STAMP)
    assert (message.state, message.activity, message.behavior_id) == (3, "Hiking", "ReactToPoke")
    assert (message.reaction, message.resuming_behavior_id) == ("RobotPoked", "Walk")
    assert (message.is_enabled, message.is_motion_allowed) == (True, False)


def test_moods_and_needs_become_messages() -> None:
    values = {emotion: index / 10 for index, emotion in enumerate(Emotion)}
    mood = mood_message(values, "Default", "Poked", STAMP)
    assert (mood.happy, mood.want_to_play, mood.winning) == pytest.approx((0.0, 0.6, 0.8))
    levels = {Need.REPAIR: 1.0, Need.ENERGY: 0.5, Need.PLAY: 0.25}
    brackets = dict(zip(Need, (Bracket.FULL, Bracket.NORMAL, Bracket.CRITICAL), strict=True))
    needs = needs_message(levels, brackets, STAMP)
    assert (needs.repair, needs.energy, needs.play) == (1.0, 0.5, 0.25)
    assert (needs.repair_bracket, needs.energy_bracket, needs.play_bracket) == (0, 1, 3)


def test_a_mood_has_an_expression_that_stays_until_the_mood_is_clearly_another() -> None:
    for valence, arousal, expected in (
        (0.0, 0.0, "Neutral"),
        (0.6, 0.0, "Happiness"),
        (-0.3, 0.5, "Annoyance"),
        (-0.6, -0.2, "Sadness"),
        (-0.2, -0.8, "Boredom"),
    ):
        assert expression_of(Affect(valence, arousal)) == expected
        assert find(expected)
    between = Affect(0.27, 0.05)
    assert expression_of(between, "Neutral") == "Neutral"
    assert expression_of(between, "Happiness") == "Happiness"
