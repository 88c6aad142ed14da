"""From the emulator's images to the world model: is everything where it truly is?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.media import mini_jpeg
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.learning import up_side
from cozmo_driver.perception.detection.markers import MarkerDetector
from cozmo_driver.perception.detection.objects import TaggedObject, objects_of
from cozmo_driver.perception.perception import models_of, observations_of
from cozmo_driver.perception.world.frames import Matrix, angle_between, yaw_of
from cozmo_driver.perception.world.objects import PoseState
from cozmo_driver.perception.world.pose_history import StampedState
from cozmo_driver.perception.world.world_model import WorldModel

from .scene import look

CAMERA = Camera(294.716, 294.899, 143.163, 117.454)
ROOM = {"name": "room", "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}]}


class Robot:
    """An emulated robot in a world, with eyes and true odometry."""

    def __init__(self, objects: Sequence[TaggedObject] = (), **things: object) -> None:
        self.emulated = Firmware(
            EmulatorOptions(ideal=True, torn_images=0),
            0.0,
            World(layout_of(ROOM | things, ""), ideal=True),
        )
        self.world = WorldModel(settling=0.0)
        self.world.intrinsics = CAMERA
        self.now = 0.0
        self.knows_sides = True
        """Of cubes; drawings that were learnt without their sides name the cube alone."""
        for model in models_of(objects):
            self.world.define(model)
        self._detector = MarkerDetector(objects=objects)
        emulated = self.emulated
        emulated.joints.head.angle, emulated.joints.lift.angle = 0.0, -0.198

    def moment(self) -> StampedState:
        body, head = self.emulated.body, self.emulated.joints.head
        base = body.world_pose.then(Pose2D(-20.0))
        return StampedState(
            self.now,
            base.x / 1000,
            base.y / 1000,
            base.angle,
            head.angle,
            -0.198,
            yaw_rate=body.yaw_rate,
            is_moving=bool(body.speed or body.yaw_rate),
        )

    def go(self, seconds: float, left: float = 0.0, right: float = 0.0) -> None:
        """Drive in mm/s, with 15 images a second as noisy as the robot's."""
        self.emulated.wheels.drive(left, right, 1e4, 1e4)
        for _ in range(round(seconds * 15)):
            self.now += 1 / 15
            self.emulated.handle_timer(self.now)
            moment = self.moment()
            self.world.on_robot(moment)
            self.emulated.core.noise = 1.0
            jpeg = mini_jpeg.to_jpeg(self.emulated.camera.take_picture())
            markers = self._detector.detect(mini_jpeg.picture(jpeg))
            if not self.knows_sides:
                markers = [replace(one, side="") for one in markers]
            look(self.world, moment.stamp, observations_of(markers, CAMERA))

    def truth(self, number: int) -> Matrix:
        place = self.emulated.place.world.cube(number).place
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = place.rotation, place.center / 1000
        return matrix

    def state(self, number: int) -> PoseState:
        return self.world.object(f"cube_{number}", self.now).state

    def errors(self, number: int) -> tuple[float, float]:
        """Return by how many mm and degrees a cube is not where it is."""
        found = self.world.object(f"cube_{number}", self.now).pose
        assert found is not None, number
        truth = self.truth(number)
        away = float(np.linalg.norm(found[:3, 3] - truth[:3, 3])) * 1000
        return away, math.degrees(angle_between(found, truth))


def test_cubes_in_any_attitude_are_where_they_are() -> None:
    robot = Robot(
        cubes=[
            {"number": 1, "x": 0.17, "y": 0.04, "yaw": 35},
            {"number": 2, "x": 0.20, "y": -0.06, "roll": 90, "yaw": -20},
            {"number": 3, "on_cube": 2, "pitch": 180, "yaw": 40},
        ]
    )
    robot.go(0.3)
    for number in (1, 2, 3):
        away, turned = robot.errors(number)
        assert robot.state(number) is PoseState.KNOWN
        assert away < 1.0
        assert turned < 2.0
    assert robot.world.object("cube_3", robot.now).on_top_of == "cube_2"
    assert not robot.world.rejected


@pytest.mark.parametrize(
    "lying",
    [
        {"yaw": -20, "roll": 90},
        {"yaw": 35, "roll": -90},
        {"yaw": -20, "pitch": 90},
        {"yaw": 35, "pitch": 180},
        {"yaw": 35},
    ],
)
def test_of_a_cube_whose_sides_are_not_known_the_radio_says_which_is_up(lying) -> None:
    robot = Robot(cubes=[{"number": 1, "x": 0.17, "y": 0.02, **lying}])
    robot.knows_sides = False
    place = robot.emulated.place.world.cube(1).place
    robot.world.on_connection("cube_1", 0, up_side(place.up_axis))
    robot.go(0.3)
    found = robot.world.object("cube_1", robot.now).pose
    assert found is not None
    assert found[2, :3] @ robot.truth(1)[2, :3] > 0.99
    assert np.linalg.norm(found[:3, 3] - robot.truth(1)[:3, 3]) < 0.001


def test_a_cube_seen_while_driving_is_within_4_mm_and_3_degrees() -> None:
    robot = Robot(cubes=[{"number": 1, "x": 0.26, "y": 0.02, "yaw": 25}])
    robot.emulated.wheels.drive(30.0, 40.0, 1e4, 1e4)
    errors = []
    for _ in range(30):
        robot.go(1 / 15, 30.0, 40.0)
        if robot.state(1) is not PoseState.UNKNOWN:
            errors.append(robot.errors(1))
    assert robot.state(1) is PoseState.DIRTY
    assert len(errors) > 20
    away, turned = np.percentile(errors, 95, axis=0)
    assert away <= 4.0
    assert turned <= 3.0


def test_a_cube_moved_by_hand_is_followed_and_one_taken_away_is_missed() -> None:
    robot = Robot(cubes=[{"number": 1, "x": 0.16, "y": 0.0}])
    robot.go(0.3)
    world = robot.emulated.place.world
    world.move_cube(1, Pose2D(180.0, 50.0, 0.3))
    robot.go(0.3)
    assert robot.state(1) is PoseState.KNOWN
    assert robot.errors(1)[0] < 1.0
    world.move_cube(1, Pose2D(-300.0, 0.0))
    robot.go(0.3)
    assert robot.state(1) is PoseState.UNKNOWN


@pytest.mark.parametrize("where", ["before", "behind"])
def test_a_hand_before_a_cube_with_a_radio_or_behind_it_leaves_it_known(where) -> None:
    x = 0.12 if where == "before" else 0.24
    robot = Robot(
        cubes=[{"number": 1, "x": 0.17, "y": 0.0, "yaw": 20}],
        moving=[{"form": "hand", "path": [[x, -0.12, 0.03], [x, 0.12, 0.03]], "speed": 0.06}],
    )
    robot.world.on_connection("cube_1", 0)
    robot.go(0.3)
    is_hidden = False
    for _ in range(56):
        robot.go(1 / 15)
        assert robot.state(1) is PoseState.KNOWN
        is_hidden |= not robot.world.object("cube_1", robot.now).is_visible
    assert is_hidden == (where == "before")


def test_a_box_with_two_tags_on_a_side_is_where_it_is() -> None:
    tags = [
        {"tag": "36h11:5", "size": 0.02, "side": "front", "offset": [0.018, 0.0]},
        {"tag": "36h11:6", "size": 0.02, "side": "front", "offset": [-0.016, 0.004]},
    ]
    size = [0.05, 0.08, 0.04]
    printed = [
        {"tag": tag["tag"], "size": tag["size"], "right": tag["offset"][0], "up": tag["offset"][1]}
        for tag in tags
    ]
    robot = Robot(
        objects_of({"objects": {"parcel": {"size": size, "tags": tags}}}),
        boxes=[{"x": 0.2, "y": 0.02, "yaw": 20, "size": size, "tags": printed}],
    )
    robot.go(0.3)
    found = robot.world.object("parcel", robot.now)
    assert found.state is PoseState.KNOWN
    assert found.pose is not None
    assert np.linalg.norm(found.pose[:3, 3] - (0.2, 0.02, 0.02)) < 0.001
    assert abs(yaw_of(found.pose) - math.radians(20)) < math.radians(1)


@pytest.mark.parametrize(
    ("distance", "aside", "turned"),
    [(0.2, 0, 3), (0.2, 40, 3), (0.325, -20, 9), (0.45, 0, 4), (0.45, 40, 4)],
)
def test_the_charger_is_where_it_is(distance: float, aside: float, turned: float) -> None:
    """``turned``: degrees that it may seem turned by."""
    turn = math.radians(aside)
    # Its marker is 86 mm behind its entrance; the camera is 4.5 mm ahead of the robot's origin.
    x, y = 0.0045 + distance - 0.086 * math.cos(turn), 0.01 - 0.086 * math.sin(turn)
    robot = Robot(charger={"x": x, "y": y, "yaw": aside})
    robot.go(0.4)
    found = robot.world.object("charger", robot.now)
    assert found.state is not PoseState.UNKNOWN
    assert found.pose is not None
    ahead, left = found.pose[:2, 3] + 0.086 * found.pose[:2, 0]
    assert abs(ahead - 0.0045 - distance) <= 0.05 * distance
    assert abs(left - 0.01) <= 0.010
    assert abs(math.remainder(yaw_of(found.pose) - turn, 2 * math.pi)) < math.radians(turned)


@pytest.mark.parametrize(("distance", "aside"), [(0.15, 20), (0.14, 0), (0.12, 20), (0.09, 0)])
def test_a_charger_that_is_too_near_to_be_found_stays_known(distance: float, aside: float) -> None:
    turn = math.radians(aside)
    # Its marker is first 0.2 m before the camera.
    x, y = 0.2045 - 0.086 * math.cos(turn), -0.086 * math.sin(turn)
    robot = Robot(charger={"x": x, "y": y, "yaw": aside})
    robot.go(0.6)
    before = robot.world.object("charger", robot.now)
    assert before.state is PoseState.KNOWN
    robot.emulated.body.carry_to(Pose2D(200.0 - 1000.0 * distance, 0.0))
    robot.go(1.0)
    assert robot.world.object("charger", robot.now).state is PoseState.KNOWN
