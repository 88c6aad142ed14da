"""Where everything in a world really is, in SI units, for measuring what others make of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..body import Pose2D
from ..joints import lift_height
from ..postures import Posture

if TYPE_CHECKING:
    from ..firmware import Firmware

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
    """The camera's optical centre in m and where it looks: rad, elevation up is positive."""

    x: float
    y: float
    z: float
    yaw: float
    elevation: float


@dataclass(frozen=True, slots=True)
class TrueCube:
    """A light cube: the pose of its middle, and whether it has fallen over an edge."""

    x: float
    y: float
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
        """Return it as JSON knows it, rounded to millionths."""
        rounded: dict[str, Any] = _rounded(asdict(self))
        return rounded


def ground_truth(firmware: Firmware) -> GroundTruth:
    """Return what is the case at the robot's present time."""
    body, joints, world = firmware.body, firmware.joints, firmware.place.world
    posture = firmware.hands.posture
    return GroundTruth(
        stamp=firmware.clock.milliseconds(firmware.core.now),
        pose=_pose(body.world_pose),
        believed_pose=_pose(body.reported_pose),
        speed=body.speed / _MM,
        turn_rate=body.yaw_rate,
        posture=posture.name.lower(),
        is_off_treads=body.is_held or posture not in (Posture.FLAT, Posture.SLOPE),
        is_fallen=firmware.place.is_down,
        on_charger=firmware.battery.on_charger,
        head_angle=joints.head.angle,
        lift_height=lift_height(joints.lift.angle) / _MM,
        camera=_camera(firmware),
        cubes={
            str(number): TrueCube(
                cube.pose.x / _MM, cube.pose.y / _MM, cube.pose.angle, cube.is_down
            )
            for number, cube in world.cubes.items()
        },
        charger=None if world.charger is None else _pose(world.charger),
    )


def _pose(pose: Pose2D) -> TruePose:
    return TruePose(pose.x / _MM, pose.y / _MM, pose.angle)


def _camera(firmware: Firmware) -> TrueCamera:
    view = firmware.stance().view()
    ahead = view.axes[:, 2]
    x, y, z = (float(v) / _MM for v in view.place)
    yaw, elevation = math.atan2(ahead[1], ahead[0]), math.asin(max(-1.0, min(1.0, ahead[2])))
    return TrueCamera(x, y, z, yaw, elevation)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    # Adding 0 makes 0 of a negative 0.
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value
