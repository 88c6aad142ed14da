"""Places that a page points at: on the floor, or in the robot's picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..perception import AS_DRAWN, Mount, load_mount
from ..robot import data_directory
from .pointing import Lens, NoFloor, Pose, floor_point
from .pursuit import Goal
from .robot_port import Answer
from .view import View

_NOT_YET = "the robot has not told yet where it is: wait until it is connected"


async def go_to(view: View, values: Mapping[str, Any]) -> Answer:
    """Drive to a place or look at it: ``kind``, and ``x`` and ``y`` in m or a pixel ``u``, ``v``.

    Raises ``KeyError``, ``TypeError``, ``ValueError``.
    """
    return await view.pursue(_goal(view, values), _pose(view))


def _pose(view: View) -> Pose:
    """Raises ``NoFloor``."""
    odom = view.hub.latest("odom")
    if odom is None:
        raise NoFloor(_NOT_YET)
    return Pose(odom["x"], odom["y"], odom["yaw"])


def _goal(view: View, values: Mapping[str, Any]) -> Goal:
    """Return what was tapped: a place, or a pixel of the picture. Raises ``NoFloor``."""
    if "u" not in values:
        return Goal(values["kind"], float(values["x"]), float(values["y"]))
    u, v = float(values["u"]), float(values["v"])
    info, joints = view.hub.latest("camera_info"), view.hub.latest("joints")
    if info is None or joints is None or not (math.isfinite(u) and math.isfinite(v)):
        raise NoFloor("the camera's calibration has not come yet: wait for a picture")
    point = floor_point(Lens(**info), joints["head"], u, v, _mount(view))
    return Goal(values["kind"], *_pose(view).place(*point))


def _mount(view: View) -> Mount:
    """Return what perception has learnt of this robot's camera, if it runs on this computer."""
    serial = (view.hub.latest("info") or {}).get("serial")
    learnt = load_mount(data_directory(), int(serial, 16)) if serial else None
    return learnt.mount if learnt else AS_DRAWN
