"""Places that a page points at, on the floor or in the robot's image; m and rad."""

from __future__ import annotations

import math

import numpy as np

from ..perception import AS_DRAWN, Camera, Mount, camera_pose, load_mount
from ..robot import Pose2D, data_directory
from .pursuit import Goal
from .robot_port import Answer
from .view import Values, View

_FARTHEST = 3.0
"""m from the camera: from there on a pixel is more than 0.2 m of floor."""


class NoFloor(ValueError):
    """A pixel shows no floor that could be driven to; the text says why."""


async def go_to(view: View, values: Values) -> Answer:
    """Drive to a place or look at it: ``kind``, and ``x`` and ``y`` in m or a pixel ``u``, ``v``.

    Raises ``KeyError``, ``TypeError``, ``ValueError``.
    """
    odom = view.hub.latest("odom")
    if odom is None:
        raise NoFloor("the robot has not told yet where it is: wait until it is connected")
    pose = Pose2D(odom["x"], odom["y"], odom["yaw"])
    place = _place_of_pixel(view, values, pose) if "u" in values else (values["x"], values["y"])
    return await view.pursue(Goal(values["kind"], *map(float, place)), pose)


def _place_of_pixel(view: View, values: Values, pose: Pose2D) -> tuple[float, float]:
    """Return the place that was tapped in the image, seen from ``pose``. Raises ``NoFloor``."""
    u, v = float(values["u"]), float(values["v"])
    info, joints = view.hub.latest("camera_info"), view.hub.latest("joints")
    if info is None or joints is None or not (math.isfinite(u) and math.isfinite(v)):
        raise NoFloor("the camera's calibration has not come yet: wait for a picture")
    ahead, left = floor_point(Camera(**info), joints["head"], u, v, _mount(view))
    place = pose.compose(Pose2D(ahead, left))
    return place.x, place.y


def floor_point(
    camera: Camera, head: float, u: float, v: float, mount: Mount = AS_DRAWN
) -> tuple[float, float]:
    """Return the place on the floor that a pixel shows, ahead and left of ``base_link``.

    ``head`` is the head's angle. Raises ``NoFloor``.
    """
    pose = camera_pose(np.eye(4), head, mount)
    [(ahead, left)] = camera.project_to_ground((u, v), pose).tolist()
    if math.isnan(ahead):
        raise NoFloor("that is above the horizon: choose a place on the floor")
    if math.dist((ahead, left), pose[:2, 3]) > _FARTHEST:
        raise NoFloor(f"that is more than {_FARTHEST:g} m away: choose a nearer place")
    return ahead, left


def _mount(view: View) -> Mount:
    """Return what perception has learnt of this robot's camera, if it runs on this computer."""
    serial = (view.hub.latest("info") or {}).get("serial")
    learnt = load_mount(data_directory(), int(serial, 16)) if serial else None
    return learnt.mount if learnt else AS_DRAWN
