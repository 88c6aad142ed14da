"""Whether a robot that was carried drives on (``after_pickup``)."""

from __future__ import annotations

import math

from geometry_msgs.msg import Transform
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from cozmo_interfaces.msg import LocalizationState

from ..robot import OffTreads, RobotState
from ..ros.context import Context
from ..ros.geometry import seconds
from ..ros.on_map import PlaceOnMap
from ..ros.rclpy_compat import LatestMessage
from .parameters import CONTINUE, HOLD_UNTIL_LOCALIZED

_TF = QoSProfile(depth=100)
_SAME = 1e-3
"""m and parts of a rotation: whoever publishes a transform again and again repeats its numbers."""


class PickupPart:
    """Holds a robot that was carried, as ``after_pickup`` says.

    It is localized when the vision node's localization knows the place since the robot stands
    again, or when what else places the odometry's frame in another one, such as a map, has moved
    that since.
    """

    def __init__(self, context: Context, place: PlaceOnMap) -> None:
        self._context, self._motion = context, context.robot.motion
        self._place, self._stands_since = place, math.inf
        place.on_state = self._on_localization
        self._odom = context.frame("odom_frame")
        self._transforms: LatestMessage[TFMessage] | None = None
        self._before: tuple[float, ...] | None = None
        self._choose(context.parameters["after_pickup"])
        context.on_parameter("after_pickup", self._choose)
        context.robot.on_state.connect(self._on_state)

    def _choose(self, choice: str) -> None:
        self._motion.holds_after_pickup = choice != CONTINUE
        self._waits_for_tf = choice == HOLD_UNTIL_LOCALIZED

    def _on_state(self, state: RobotState) -> None:
        is_standing = state.off_treads is OffTreads.ON_TREADS
        if not (self._motion.is_held and self._waits_for_tf):
            self._stands_since = math.inf
            if self._transforms is not None:
                self._transforms.close()
                self._transforms = self._before = None
            return
        stamp = seconds(self._context.stamp(state.time))
        self._stands_since = min(self._stands_since, stamp) if is_standing else math.inf
        if self._transforms is None:
            self._transforms = LatestMessage(self._context.node, TFMessage, "/tf", _TF)
        while (message := self._transforms.take()) is not None:
            for one in message.transforms:
                if one.child_frame_id == self._odom:
                    self._on_place(one.transform, is_standing)

    def _on_localization(self, known: LocalizationState) -> None:
        # What it says of the time before is of where the robot was lifted.
        is_known = math.isfinite(known.position_deviation)
        if is_known and seconds(known.header.stamp) > self._stands_since:
            self._motion.end_hold()

    def _on_place(self, place: Transform, is_standing: bool) -> None:
        moved, turned = place.translation, place.rotation
        now = moved.x, moved.y, turned.x, turned.y, turned.z, turned.w
        if self._before is None or not is_standing:
            self._before = now
        elif any(abs(new - old) > _SAME for new, old in zip(now, self._before, strict=True)):
            self._motion.end_hold()
