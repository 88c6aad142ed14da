"""A robot's eyes without images: markers of things at true places, measured with some noise."""

from __future__ import annotations

import math

import cv2
import numpy as np

from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.world.frames import AS_DRAWN, Matrix, inverse, pose, side_pose
from cozmo_driver.perception.world.objects import (
    Kind,
    LocatedObject,
    MarkerPlace,
    ObjectModel,
    PoseState,
    charger_model,
    cube_model,
)
from cozmo_driver.perception.world.placing import MarkerObservation
from cozmo_driver.perception.world.pose_history import Drop, StampedState
from cozmo_driver.perception.world.world_model import WorldModel

LENS = Camera()
CUBE, SECOND, CHARGER = cube_model(1), cube_model(2), charger_model()
PERIOD = 1 / 15
_MATRIX = np.array([[LENS.fx, 0.0, LENS.cx], [0.0, LENS.fy, LENS.cy], [0.0, 0.0, 1.0]])


def cube_at(x: float, y: float, yaw: float = 0.0, z: float = 0.022) -> Matrix:
    return pose(x, y, z, yaw)


def box_model(
    name: str, size: tuple[float, float, float], markers: dict[str, float]
) -> ObjectModel:
    """Return a box with a square marker in the middle of some sides, by its edge in m."""
    places = {s: MarkerPlace(side_pose(s, size), edge, edge) for s, edge in markers.items()}
    return ObjectModel(name, Kind.CUSTOM, size, places)


def look_at(
    model: ObjectModel, place: Matrix, moment: StampedState, noise: float = 0.0, seed: int = 0
) -> list[MarkerObservation]:
    """Return what a detector sees of an object: markers turned by 65 degrees at most."""
    random = np.random.default_rng(seed)
    in_camera = inverse(moment.camera) @ place
    seen = []
    for side, marker in model.markers.items():
        frame = in_camera @ marker.matrix
        away = frame[:3, 3] / np.linalg.norm(frame[:3, 3])
        corners = marker.corners @ in_camera[:3, :3].T + in_camera[:3, 3]
        if away @ frame[:3, 1] < math.cos(math.radians(65.0)) or corners[:, 2].min() < 0.03:
            continue
        pixels = (corners[:, :2] / corners[:, 2:]) * (LENS.fx, LENS.fy) + (LENS.cx, LENS.cy)
        pixels += random.normal(0.0, noise, pixels.shape)
        if (pixels > 1).all() and (pixels < (LENS.width - 1, LENS.height - 1)).all():
            seen.append(observed(model.name, side, marker, pixels))
    return seen


def observed(name: str, side: str, marker: MarkerPlace, pixels: Matrix) -> MarkerObservation:
    w, h = marker.width / 2, marker.height / 2
    plane = np.array([[-w, h, 0.0], [w, h, 0.0], [w, -h, 0.0], [-w, -h, 0.0]])
    count, turns, places, _ = cv2.solvePnPGeneric(
        plane, pixels, _MATRIX, None, flags=cv2.SOLVEPNP_IPPE
    )
    poses = []
    for turn, at in zip(turns[:count], places[:count], strict=True):
        axes, matrix = cv2.Rodrigues(turn)[0], np.eye(4)
        matrix[:3, :3] = np.column_stack((axes[:, 0], -axes[:, 2], axes[:, 1]))
        matrix[:3, 3] = at[:, 0]
        poses.append(matrix)
    directions = (pixels - (LENS.cx, LENS.cy)) / (LENS.fx, LENS.fy)
    return MarkerObservation(name, side, tuple(poses), directions)


def look(world: WorldModel, stamp: float, markers: list[MarkerObservation]) -> Drop | None:
    """Let a world model know what an image shows; return why it was dropped, if it was."""
    admitted = world.gate.admit(stamp)
    if isinstance(admitted, Drop):
        return admitted
    world.on_markers(admitted, markers)
    return None


class Scene:
    """A robot with a world model, and things where they truly are."""

    def __init__(self, localizes: bool = False, noise: float = 0.15) -> None:
        self.world = WorldModel(settling=0.0, localizes=localizes)
        self.things: dict[str, tuple[ObjectModel, Matrix]] = {}
        self.robot = StampedState(0.0, lift=-0.198)
        self.slip = np.eye(4)
        """True pose of odom: what the robot believes differs by it."""
        self.noise = noise
        self.mount = AS_DRAWN
        """True mount of the camera."""
        self.true_tilt = 0.0
        """Of the body; what the robot reports is ``robot.pitch``."""
        self.changes: list[tuple[str, PoseState, PoseState]] = []
        self.world.on_state = lambda *change: self.changes.append(change)

    def put(self, model: ObjectModel, place: Matrix) -> None:
        self.things[model.name] = model, place

    def remove(self, model: ObjectModel) -> None:
        del self.things[model.name]

    def go(self, pictures: int = 1, **changes: object) -> None:
        """Change the robot, then take images."""
        for _ in range(pictures):
            values = {name: getattr(self.robot, name) for name in self.robot.__slots__}
            values |= changes | {"stamp": self.robot.stamp + PERIOD}
            self.robot = StampedState(**values)
            self.world.on_robot(self.robot)
            look(self.world, self.robot.stamp, self.markers())

    def markers(self) -> list[MarkerObservation]:
        true = StampedState(0.0, head=self.robot.head, mount=self.mount, tilt=self.true_tilt)
        seen = []
        for number, (model, place) in enumerate(self.things.values()):
            beside = inverse(self.robot.base) @ inverse(self.slip) @ place
            seed = round(self.robot.stamp * 1000) + number
            seen += look_at(model, beside, true, self.noise, seed)
        return seen

    def object(self, model: ObjectModel) -> LocatedObject:
        return self.world.object(model.name, self.robot.stamp)

    def state(self, model: ObjectModel) -> PoseState:
        return self.object(model).state

    def place(self, model: ObjectModel) -> Matrix:
        place = self.object(model).pose
        assert place is not None
        return place


def apart(a: Matrix, b: Matrix) -> float:
    """Return the distance between two places, m."""
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3]))
