"""The ground truth: what is really the case in the emulator's world, in metres and radians."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .body import Pose2D, Posture
from .firmware import Firmware
from .joints import lift_height
from .world.world import WorldCube

_MM = 1000.0
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class TruePose:
    """A pose in the world: m, and rad counter-clockwise from +x."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True, slots=True)
class TrueCamera:
    """The camera's optical centre in m and where it looks, rad.

    Elevation is up, roll is with the right side down; both against the floor.
    """

    x: float
    y: float
    z: float
    yaw: float
    elevation: float
    roll: float


@dataclass(frozen=True, slots=True)
class TrueCube:
    """A light cube: the pose of its middle, and whether it has fallen over an edge."""

    x: float
    y: float
    z: float
    roll: float
    pitch: float
    yaw: float
    is_fallen: bool


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """One moment, without noise; m, m/s, rad, rad/s.

    Poses are of the robot's origin, the middle of its front axle, and of the charger's entrance.
    """

    stamp: int
    """Time by the robot's clock in ms, as in its states."""
    pose: TruePose
    believed_pose: TruePose
    """What the robot reports, in the coordinate system that it was given."""
    speed: float
    """Of the point that the robot turns about, along its heading."""
    turn_rate: float
    posture: str
    """flat, held, left, right, back, face or slope."""
    is_off_treads: bool
    """It does not stand or lies on its treads, or somebody holds it."""
    is_fallen: bool
    """It lies beside the world's floors."""
    on_charger: bool
    head_angle: float
    lift_height: float
    camera: TrueCamera
    cubes: Mapping[str, TrueCube]
    """By number."""
    charger: TruePose | None

    def as_json(self) -> dict[str, Any]:
        return dict(rounded(asdict(self)))


def ground_truth(firmware: Firmware) -> GroundTruth:
    body, joints, world = firmware.body, firmware.joints, firmware.place.world
    posture = firmware.handling.posture
    return GroundTruth(
        stamp=firmware.core.timestamp,
        pose=_true_pose(body.world_pose),
        believed_pose=_true_pose(body.reported_pose),
        speed=body.speed / _MM,
        turn_rate=body.yaw_rate,
        posture=posture.name.lower(),
        is_off_treads=body.is_held or posture not in (Posture.FLAT, Posture.SLOPE),
        is_fallen=firmware.place.is_down,
        on_charger=firmware.battery.on_charger,
        head_angle=joints.head.true_angle,
        lift_height=lift_height(joints.lift.angle) / _MM,
        camera=_camera(firmware),
        cubes={str(number): _true_cube(cube) for number, cube in world.cubes.items()},
        charger=None if world.charger is None else _true_pose(world.charger),
    )


def _true_pose(pose: Pose2D) -> TruePose:
    return TruePose(pose.x / _MM, pose.y / _MM, pose.angle)


def _true_cube(cube: WorldCube) -> TrueCube:
    x, y, z = (float(v) / _MM for v in cube.place.center)
    place = cube.place
    return TrueCube(x, y, z, place.roll, place.pitch, cube.pose.angle, cube.is_down)


def _camera(firmware: Firmware) -> TrueCamera:
    view = firmware.stance().view()
    ahead = view.axes[:, 2]
    x, y, z = (float(v) / _MM for v in view.place)
    yaw, elevation = math.atan2(ahead[1], ahead[0]), math.asin(max(-1.0, min(1.0, ahead[2])))
    roll = math.atan2(-view.axes[2, 0], -view.axes[2, 1])
    return TrueCamera(x, y, z, yaw, elevation, roll)


def rounded(value: Any) -> Any:
    """Return what is printed of dictionaries, tuples and figures."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [rounded(part) for part in value]
    # Adding 0 makes 0 of a negative 0.
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value
