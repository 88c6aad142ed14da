"""A program and the vision node see the same: one drive, through both ways into perception."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import PoseWithCovariance
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import CompressedImage, JointState
from std_msgs.msg import Header

from cozmo_driver.driver.robot_messages import fill_joint_state, fill_odometry, status_message
from cozmo_driver.perception import CameraFrame, Detections, Perception, RobotPerception
from cozmo_driver.perception.ros_cubes import connected_of, take_event
from cozmo_driver.perception.ros_messages import camera_of_info
from cozmo_driver.perception.ros_pipeline import gray_of
from cozmo_driver.perception.ros_robot_states import RobotStates
from cozmo_driver.perception.world.objects import LocatedObject, PoseState
from cozmo_driver.perception.world.pose_history import Drop
from cozmo_driver.robot import (
    DRIVE_CENTER,
    JOINTS,
    CameraOptions,
    CubeKind,
    Odometry,
    Pose2D,
    Robot,
    RobotState,
    scaled_step,
)
from cozmo_driver.robot.motion.motors import JointTracker
from cozmo_driver.robot_bounds import MEASURED_BOUNDS
from cozmo_driver.ros.context import to_time
from cozmo_driver.ros.cube_messages import cube_array_message, cube_event_message
from cozmo_driver.ros.geometry import pose_message, seconds, transform
from cozmo_driver.ros.media_messages import camera_info, compressed_message
from cozmo_interfaces.msg import CubeArray, CubeEvent, RobotStatus

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time

SCENE = emulated(
    {"number": 1, "x": 0.19, "y": 0.03, "yaw": 20},
    {"number": 2, "x": 0.24, "y": -0.05, "yaw": -15},
    seed=5,
)
LATER = 0.01
"""s after an image; what is visible for 0.4 s is so for six images, but for the ns of a stamp."""
BESIDE = 1e-6
"""m and parts of a rotation that stamps in ns and quaternions are rounded to."""


class Topics:
    """What the driver publishes of a robot, by its own conversions, with when it did.

    But for ``status``, which comes with each state: the pitch in it is else up to 1 s old.
    """

    def __init__(self, robot: Robot) -> None:
        self.messages: list[tuple[float, Any]] = []
        self._joints = JointTracker()
        self._robot = robot
        self._on_cubes(robot.cubes.all)
        for signal, take in (
            (robot.on_state, self._on_state),
            (robot.on_odometry, self._on_odometry),
            (robot.on_image, self._on_image),
            (robot.cubes.on_change, self._on_cubes),
            (robot.cubes.on_event, self._on_cube_event),
        ):
            signal.connect(take)

    def _publish(self, message: Any) -> None:
        self.messages.append((asyncio.get_running_loop().time(), message))

    def _publish_status(self) -> None:
        status = self._robot.status
        assert status is not None
        self._publish(status_message(status, stamp(status.state.time), "odom"))

    def _on_state(self, state: RobotState) -> None:
        joints = self._joints.update(state)
        message = JointState(name=list(JOINTS))
        fill_joint_state(message, stamp(state.time), joints.positions, joints.velocities)
        self._publish(message)

    def _on_odometry(self, odometry: Odometry) -> None:
        message, zeros = OdometryMessage(), (0.0,) * 6
        fill_odometry(
            message,
            odometry,
            odometry.pose.compose(DRIVE_CENTER),
            stamp(odometry.time),
            "odom",
            "base_footprint",
            pose_diagonal=zeros,
            twist_diagonal=zeros,
        )
        self._publish(message)
        asyncio.get_running_loop().call_soon(self._publish_status)

    def _on_image(self, image: Any) -> None:
        self._publish(compressed_message(image, stamp(image.time), "camera"))

    def _on_cubes(self, cubes: Any) -> None:
        self._publish(cube_array_message(cubes, stamp(0.0), stamp))

    def _on_cube_event(self, event: Any) -> None:
        self._publish(cube_event_message(event, stamp(event.time), ""))


def stamp(time: float) -> Any:
    return to_time(0 if math.isnan(time) else round(time * 1e9))


def node_frames(perception: Perception, messages: list[tuple[float, Any]]) -> Iterator[CameraFrame]:
    """Take messages as the node does: an image waits for the state after it."""
    states, waiting = RobotStates(), list[CompressedImage]()
    for _, together in groupby(messages, key=itemgetter(0)):
        for _, message in together:
            if isinstance(message, CompressedImage):
                waiting.append(message)
            elif isinstance(message, CubeArray):
                perception.on_cubes(connected_of(message.cubes))
            elif isinstance(message, CubeEvent):
                take_event(perception, message)
            else:
                states.add(message)
        for state in states.poll():
            perception.on_robot(state)
        while waiting and perception.now >= seconds(waiting[0].header.stamp):
            image = waiting.pop(0)
            frame = perception.admit(seconds(image.header.stamp), gray_of(image))
            assert frame is not None
            perception.search(frame, is_wanted=True)
            perception.place(frame)
            yield frame


def seen_by(perception: Perception, frame: CameraFrame) -> tuple[Any, list[LocatedObject]]:
    """Return what became of an image, and what is known after it."""
    names = [(marker.name, marker.side) for marker in frame.markers]
    return (frame.drop, frame.is_searched, names), perception.objects(frame.stamp + LATER)


async def drive(world: Any) -> None:
    """Move, turn too fast, be told by a cube, carried and set elsewhere."""
    robot = world.robot
    await robot.joints.move_head(-0.1)
    await world.pass_time(2.5)
    cube = await robot.cubes.connect(CubeKind.CUBE_1)
    await robot.maneuvers.drive_distance(0.03)
    await world.pass_time(0.5)
    world.wire.cubes.move(cube.factory_id)
    await world.pass_time(1.0)
    await robot.turns.turn(0.4)
    await robot.turns.turn(-0.4)
    await robot.joints.move_head(0.2)
    await robot.joints.move_head(-0.1)
    await world.pass_time(1.0)
    robot.localization.set_odometry(Pose2D(1.0, 0.5, 0.3))
    await world.pass_time(1.0)


def test_a_program_and_the_node_know_the_same(tmp_path: Any) -> None:
    by_program: list[tuple[Any, list[LocatedObject]]] = []
    topics: list[Topics] = []
    calibrations: list[Any] = []

    @in_virtual_time(emulator=SCENE, camera=CameraOptions(enabled=True))
    async def scenario(world: Any) -> None:
        topics.append(Topics(world.robot))
        async with RobotPerception(world.robot, directory=tmp_path) as perception:

            def on_detections(seen: Detections) -> None:
                by_program.append(seen_by(perception.core, seen.frame))

            perception.on_detections.connect(on_detections)
            await drive(world)
            calibrations.append(world.robot.camera.calibration)

    scenario()
    node = Perception()
    node.on_calibration(camera_of_info(camera_info(calibrations[0])))
    by_node = [seen_by(node, frame) for frame in node_frames(node, topics[0].messages)]

    assert len(by_program) > 80
    for (image, objects), (node_image, node_objects) in zip(by_program, by_node, strict=False):
        assert node_image == image
        for one, other in zip(objects, node_objects, strict=True):
            assert (one.name, one.state, one.slot) == (other.name, other.state, other.slot)
            assert (one.is_visible, one.is_moving) == (other.is_visible, other.is_moving)
            if one.pose is None or other.pose is None:
                assert one.pose is other.pose
            else:
                assert np.abs(one.pose - other.pose).max() < BESIDE
    # Nothing of this would be worth much if nothing had happened.
    drops = {image[0] for image, _ in by_program}
    assert {None, Drop.SETTLING, Drop.TURNING, Drop.HEAD_MOVING} <= drops
    assert {image[1] for image, _ in by_program} == {True, False}
    states = {one.state for _, objects in by_program for one in objects if one.name == "cube_1"}
    assert states == set(PoseState)


def test_odometry_that_is_set_is_of_another_origin() -> None:
    """However little by; a calibration that corrects turns moves the origin, too, and is none."""
    turned, told = Pose2D(10.0, 2.0, 0.02), Pose2D(10.02, 2.0, 0.02)
    states, counted = RobotStates(), Pose2D(9.0, 2.0, 0.0)
    for second, here in enumerate((Pose2D(10.0, 2.0, 0.0), turned, turned, told, told)):
        header = Header(stamp=stamp(float(second)), frame_id="odom")
        origin = transform(here.compose(counted.inverse()))
        states.add(RobotStatus(header=header, origin_id=7, origin_transform=origin))
        states.add(JointState(header=header, name=list(JOINTS), position=[0.0] * len(JOINTS)))
        states.add(OdometryMessage(header=header, pose=PoseWithCovariance(pose=pose_message(here))))
    assert [one.origin_id for one in states.poll()] == [7, 7, 7, 8, 8]


@pytest.mark.parametrize("scale", MEASURED_BOUNDS["turn_scale"])
def test_turns_and_bends_that_are_corrected_are_of_the_same_origin(scale: float) -> None:
    """With a ``status`` once a second, as the driver has; a set of 2 cm at rest is found."""
    states, here, counted, found = RobotStates(), Pose2D(5.0, 2.0, 1.0), Pose2D(), list[int]()
    for number in range(160):
        is_driving, is_set = number < 100, number == 150
        step = Pose2D(0.2 / 30, 0.0, 3.0 / 30) if is_driving else Pose2D()
        counted = counted.compose(step)
        here = here.compose(scaled_step(step, scale, scale))
        here = Pose2D(here.x + 0.02 * is_set, here.y, here.yaw)
        header = Header(stamp=stamp(number / 30), frame_id="odom")
        if number % 30 == 0:
            origin = transform(here.compose(counted.inverse()))
            states.add(RobotStatus(header=header, origin_id=7, origin_transform=origin))
        states.add(JointState(header=header, name=list(JOINTS), position=[0.0] * len(JOINTS)))
        states.add(OdometryMessage(header=header, pose=PoseWithCovariance(pose=pose_message(here))))
        found += [one.origin_id for one in states.poll()]
    assert found == [7] * 150 + [8] * 10


def test_a_pose_waits_for_the_status_that_says_of_which_origin_it_is() -> None:
    states = RobotStates()
    for second in range(4):
        header = Header(stamp=stamp(float(second)), frame_id="odom")
        if second == 2:
            states.add(RobotStatus(header=header, origin_id=7))
        states.add(JointState(header=header, name=list(JOINTS), position=[0.0] * len(JOINTS)))
        states.add(OdometryMessage(header=header))
    assert [(one.stamp, one.origin_id) for one in states.poll()] == [(2.0, 7), (3.0, 7)]
    assert states.rejected == 2
