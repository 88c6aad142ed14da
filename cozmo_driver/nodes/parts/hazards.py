"""``hazards``: where the robot met an edge or something in its way, for costmaps."""

from __future__ import annotations

import math
from array import array

from sensor_msgs.msg import PointCloud2, PointField

from ...robot import Odometry
from ...robot.obstacles import Hazard
from ..context import Context
from ..conversions.geometry import header
from ..qos import SENSOR

_PERIOD = 0.25
_HEIGHT, _GONE = 0.05, -0.05
"""z of what is there and of what is there no more, m: costmaps mark what is above the ground."""
_FIELDS = ("x", "y", "z", "intensity")


class HazardsPart:
    """Publishes all places four times a second while there are some, and their end once."""

    def __init__(self, context: Context) -> None:
        """Follow the robot's odometry, whose transforms have the same stamps."""
        self._context, self._hazards = context, context.robot.hazards
        self._publisher = context.node.create_publisher(PointCloud2, "hazards", SENSOR)
        self._frame = context.frame("odom_frame")
        self._published_at, self._is_empty = -math.inf, True
        self._set_lifetime(context.parameters["hazard_lifetime"])
        context.parameters.on_change(
            "hazard_lifetime", lambda value: context.thread.post(self._set_lifetime, value)
        )
        context.robot.on_odometry.connect(self._publish)

    def _set_lifetime(self, seconds: float) -> None:
        self._hazards.lifetime = seconds

    def _publish(self, odometry: Odometry) -> None:
        present, past = self._hazards.present, self._hazards.past
        is_empty = not (present or past)
        is_due = odometry.time - self._published_at >= _PERIOD
        if not is_due or (is_empty and self._is_empty):
            return
        self._published_at, self._is_empty = odometry.time, is_empty
        points = array("f")
        for hazards, height in ((present, _HEIGHT), (past, _GONE)):
            for hazard in hazards:
                _append(points, hazard, height)
        step = 4 * len(_FIELDS)
        width = len(points) // len(_FIELDS)
        self._publisher.publish(
            PointCloud2(
                header=header(self._context.stamp(odometry.time), self._frame),
                height=1,
                width=width,
                fields=[
                    PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
                    for i, name in enumerate(_FIELDS)
                ],
                point_step=step,
                row_step=step * width,
                is_dense=True,
                data=points.tobytes(),
            )
        )


def _append(points: array[float], hazard: Hazard, height: float) -> None:
    for x, y in hazard.points:
        points.extend((x, y, height, float(hazard.kind)))
