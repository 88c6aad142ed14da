"""Poses that goals give in other frames than that of the odometry."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from geometry_msgs.msg import Transform
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from std_msgs.msg import Header
from tf2_ros import Buffer, TransformException, TransformListener

from ..link import set_at
from ..robot import Pose2D, Reason, Refused
from .context import Context
from .geometry import transform

_TIMEOUT = 2.0
"""How long to wait for a transform, s."""
_DISCOVERY = 0.5
"""What is published before its publisher has found a new subscription never comes there. On one
computer that takes 0.03 s, on a busy one or over a Wi-Fi longer, s."""
_KEPT = 10.0
"""For so long tf keeps transforms, s: what is older is refused by any listener."""


class FrameLookup:
    """Looks frames up in tf; subscribes to tf when a goal needs it first."""

    def __init__(self, node: Node, odom: str, base: str, here: Callable[[], Pose2D]) -> None:
        """``odom`` and ``base`` are the robot's frames, ``here`` returns where it is."""
        self._node, self._odom, self._base, self._here = node, odom, base, here
        self._buffer: Buffer | None = None
        self._complete_from = 0.0
        """Time of ROS from which on the buffer holds what is published, s."""

    async def pose_of(
        self, header: Header, *, is_newest: bool = False, timeout: float = _TIMEOUT
    ) -> Transform | None:
        """Return the frame of ``header`` in the odometry's, None when it is that or unnamed.

        The robot's own frame is where the robot is now. ``is_newest``: as it is now, not at the
        stamp, which is waited for. A stamp of just before this listened to tf is taken for now.
        Call in the robot's thread. Raises ``Refused`` (``NO_TRANSFORM``) after ``timeout`` s.
        """
        frame = header.frame_id.removeprefix("/")
        if frame in ("", self._odom):
            return None
        if frame == self._base:
            return transform(self._here())
        if self._buffer is None:
            self._buffer = Buffer()
            self._listener = TransformListener(self._buffer, self._node)
            self._complete_from = self._node.get_clock().now().nanoseconds / 1e9 + _DISCOVERY
        when = Time.from_msg(header.stamp)
        if 0.0 < self._complete_from - when.nanoseconds / 1e9 < _KEPT:
            when = Time()
        # The timeout of the buffer itself would block this thread.
        loop = asyncio.get_running_loop()
        is_known = asyncio.Event()

        def notice(_: Future) -> None:
            loop.call_soon_threadsafe(is_known.set)

        known = self._buffer.wait_for_transform_async(self._odom, frame, when)
        known.add_done_callback(notice)
        try:
            with set_at(is_known, loop.time() + timeout):
                await is_known.wait()
            at = Time() if is_newest else when
            return self._buffer.lookup_transform(self._odom, frame, at).transform
        except TransformException as error:
            raise Refused(
                Reason.NO_TRANSFORM,
                f"no transform from {frame} to {self._odom} came within {timeout:g} s: {error}; "
                f"start what publishes it, or give the goal in {self._odom} or {self._base}",
            ) from error
        finally:
            known.cancel()


def driver_frames(context: Context) -> FrameLookup:
    odom, base = context.frame("odom_frame"), context.frame("base_frame")
    return FrameLookup(context.node, odom, base, lambda: context.robot.localization.drive_center)
