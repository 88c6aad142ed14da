"""A robot in the emulator's room with tags, and the vision node that localizes on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped

from cozmo_driver.emulator import Pose2D, running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.world import World, find_world, load_layout
from cozmo_driver.robot import DRIVE_CENTER
from cozmo_driver.robot import Pose2D as Place
from cozmo_driver.ros.geometry import stamped_pose_message, yaw_of
from cozmo_interfaces.action import DriveDistance, Localize, MoveHead, TurnInPlace
from cozmo_interfaces.msg import LocalizationState, RobotStatus

from ..waiting import wait_until
from .goals import Action
from .graph import (
    LATCHED,
    DriverProcess,
    Graph,
    Inbox,
    running_driver,
    running_graph,
    running_node,
)

MAP = Path(__file__).parents[2] / "config" / "maps" / "landmarks_tags.yaml"
NEAR, NEAR_ANGLE = 0.04, math.radians(5.0)
"""m and rad from the truth: a few degrees are what the first tags leave open."""
BETWEEN_TAGS = 100.0, 150.0, 1.0
"""mm and rad, where tags 8 and 10 are 0.3 and 0.6 m away and face the robot."""


@dataclass(frozen=True)
class Scene:
    """A robot in the middle of the room with tags, and the vision node that localizes."""

    emulator: RunningEmulator
    node: DriverProcess
    graph: Graph

    def states(self) -> Inbox[LocalizationState]:
        return self.graph.listen(LocalizationState, "localization_state", LATCHED)

    def poses(self) -> Inbox[PoseWithCovarianceStamped]:
        return self.graph.listen(PoseWithCovarianceStamped, "pose", LATCHED)

    def truth(self) -> Place:
        """Return where ``base_footprint`` really is."""
        origin = self.emulator.truth().pose
        return Place(origin.x, origin.y, origin.yaw).compose(DRIVE_CENTER)

    def turn(self, angle: float) -> None:
        done, _ = Action(self.graph, TurnInPlace, "turn_in_place").do(angle=angle)
        assert done == "succeeded"

    def drive(self, distance: float) -> None:
        done, _ = Action(self.graph, DriveDistance, "drive_distance").do(distance=distance)
        assert done == "succeeded"

    def carry(self, x: float, y: float, yaw: float) -> None:
        """Put the robot elsewhere, mm and rad, and wait until it feels the floor again."""
        statuses = self.graph.listen(RobotStatus, "status")
        statuses.clear()
        self.emulator.call(lambda f: f.handling.put_down(Pose2D(x, y, yaw)))
        statuses.wait_for(lambda m: m.off_treads_state != RobotStatus.ON_TREADS)
        statuses.wait_for_latest(lambda m: m.off_treads_state == RobotStatus.ON_TREADS)

    def light(self, level: float) -> None:
        """Make it dark, 0, or as bright as usual, 1."""
        self.emulator.call(lambda f: setattr(f.camera, "light", level))

    def tell(self) -> None:
        """Say where the robot is, which takes a second; looking around takes up to twenty."""
        message = pose_message(self.truth(), "house", 0.01)
        states = self.states()
        self.graph.publisher(PoseWithCovarianceStamped, "initialpose").publish(message)
        states.wait_for_latest(lambda m: m.position_deviation < 0.05)

    def localize(self, **goal: float) -> Any:
        return Action(self.graph, Localize, "localize").do(**goal)


@contextmanager
def running_scene(seed: int = 3) -> Iterator[Scene]:
    """Run robot, driver and vision node, whose map is ``house``, with a prefix before frames."""
    world = World(load_layout(find_world("landmarks")), seed=seed)
    with (
        running_emulator(calibration_time=0.0, world=world, seed=seed) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, frame_prefix="one/"),
        running_node(
            "vision_node",
            graph.namespace,
            frame_prefix="one/",
            settling_time=0.5,
            localization=True,
            map_frame="house",
            tag_map=MAP,
        ) as node,
    ):
        graph.connected()
        head = Action(graph, MoveHead, "move_head")
        # It is refused while the motors are calibrated.
        wait_until(lambda: head.do(angle=0.0)[0] == "succeeded", "the head does not move")
        scene = Scene(emulator, node, graph)
        # Before the first state an initialpose is refused.
        scene.states().wait_for(lambda m: True)
        yield scene


def pose_message(place: Place, frame: str, deviation: float) -> PoseWithCovarianceStamped:
    message = PoseWithCovarianceStamped()
    message.header.frame_id = frame
    message.pose.pose = stamped_pose_message(place, Time(), frame).pose
    message.pose.covariance[:] = (deviation**2 * np.eye(6)).ravel()
    return message


def off(message: PoseWithCovarianceStamped, truth: Place) -> tuple[float, float]:
    """How far a pose is from the truth, m and rad."""
    pose = message.pose.pose
    turn = math.remainder(yaw_of(pose.orientation) - truth.yaw, 2 * math.pi)
    return math.hypot(pose.position.x - truth.x, pose.position.y - truth.y), abs(turn)


def is_near(message: PoseWithCovarianceStamped, truth: Place) -> bool:
    distance, turn = off(message, truth)
    return distance < NEAR and turn < NEAR_ANGLE
