"""Which cube, and which of its sides (spec 16 §3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from ..perception import SIDES, Kind, LocatedObject, PoseState, learning_advice, side_pose
from ..robot import Pose2D, Reason, Refused
from .manipulator import CubeFace, Manipulator, check_ready
from .object_approach import located
from .obstacle_avoidance import distance_between, height_of, pose_of

HIGH_FROM = 0.034
"""Height of a cube's middle from which it stands on another one, m."""
_UPRIGHT, _LEVEL = 0.9, 0.2
"""Cosines: of an axis that points up, and of one that lies."""


def faces_of(cube: LocatedObject, is_any: bool = False) -> list[CubeFace]:
    """Return the upright sides that the lift fits, or all of them; it must have a pose."""
    assert cube.pose is not None
    faces = []
    for side in SIDES:
        marker = cube.pose @ side_pose(side, cube.size)
        x, y, up = (float(value) for value in marker[:3, 1])
        # Of a cube on its side the lift fits only the bottom (spec 16 §3.1).
        is_fitting = side == "bottom" or (side != "top" and abs(cube.pose[2, 2]) > _UPRIGHT)
        if abs(up) < _LEVEL and (is_any or is_fitting):
            place = Pose2D(float(marker[0, 3]), float(marker[1, 3]), math.atan2(y, x))
            faces.append(CubeFace(place, float(marker[2, 3])))
    return faces


def face_now(robot: Manipulator, name: str, face: CubeFace) -> CubeFace | None:
    """Return where a face of a cube is believed to be now; None where that is not known."""
    cube = robot.objects.get(name)
    if cube is None or cube.pose is None or cube.state is PoseState.UNKNOWN or cube.is_carried:
        return None
    faces = faces_of(cube, is_any=True)
    return min(faces, key=lambda one: turn_between(one, face), default=None)


def turn_between(a: CubeFace, b: CubeFace) -> float:
    return abs(math.remainder(a.pose.yaw - b.pose.yaw, 2 * math.pi))


def object_on(robot: Manipulator, name: str) -> str | None:
    """Return what stands on an object."""
    return next((one.name for one in robot.objects.values() if one.on_top_of == name), None)


def check_lift_is_empty(robot: Manipulator) -> None:
    """Raises ``Refused`` for a robot that cannot drive, or carries a cube."""
    if check_ready(robot).is_carrying:
        raise Refused(Reason.NOT_ALLOWED, "the robot carries a cube; let it put that down first")


def check_cube(robot: Manipulator, name: str, highest: float) -> LocatedObject:
    """Return a cube that the lift may touch. Raises ``Refused``, ``ValueError``."""
    cube = located(robot, name)
    if cube.kind is not Kind.CUBE:
        raise ValueError(f"{name} is no cube")
    if (height := height_of(cube)) > highest:
        raise Refused(
            Reason.OUT_OF_REACH,
            f"the middle of {name} is {1000 * height:.0f} mm high; at most {1000 * highest:.0f} mm",
        )
    if (upper := object_on(robot, name)) is not None:
        raise Refused(Reason.OBSTRUCTED, f"{upper} stands on {name}; take it off first")
    if not faces_of(cube, is_any=True):
        raise Refused(Reason.OUT_OF_REACH, f"{name} does not lie flat")
    return cube


def nearest_cube(
    robot: Manipulator, check: Callable[[str], object], but: Collection[str] = ()
) -> str:
    """Return the nearest cube that passes ``check``.

    Raises ``Refused``: NOT_SEEN where the place of none is known, else as ``check`` does.
    """
    if not robot.has_vision:
        raise Refused(Reason.NOT_SEEN, "nobody looks for cubes: start the vision node")
    here, refusal = robot.state.pose, None

    cubes = [one for one in robot.objects.values() if one.kind is Kind.CUBE and one.name not in but]
    known = [one for one in cubes if one.pose is not None and not one.is_carried]
    for cube in sorted(known, key=lambda one: distance_between(pose_of(one), here)):
        try:
            check(cube.name)
        except Refused as error:
            refusal = refusal or error
        else:
            return cube.name
    raise refusal or Refused(
        Reason.NOT_SEEN,
        f"the place of no such cube is known: bring one before the camera{learning_advice()}",
    )
