"""A buffer that can wait for transforms."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from tf2_msgs.srv import FrameGraph
from tf2_ros.buffer_core import BufferCore

NO_WAIT = Duration()


class Buffer(BufferCore):
    """Transforms as received by a `TransformListener`.

    With `node` it serves `tf2_frames`. Waiting with a timeout blocks the caller: the listener must
    then be served by another thread (`TransformListener(..., spin_thread=True)`).
    """

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        super().__init__(cache_time)
        self._waiting: list[Callable[[], None]] = []
        if node is not None:
            self.srv = node.create_service(FrameGraph, "tf2_frames", self._serve_frames)

    def _serve_frames(
        self, _request: FrameGraph.Request, response: FrameGraph.Response
    ) -> FrameGraph.Response:
        response.frame_yaml = self.all_frames_as_yaml()
        return response

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform and finish the waits it ends."""
        super().set_transform(transform, authority)
        self._retry_waiting()

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform for all times and finish the waits it ends."""
        super().set_transform_static(transform, authority)
        self._retry_waiting()

    def _retry_waiting(self) -> None:
        with self._changed:
            retries = list(self._waiting)
        for retry in retries:
            retry()

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Any, timeout: Duration = NO_WAIT
    ) -> TransformStamped:
        """Pose of `source_frame` in `target_frame`; TransformException when the wait is over."""
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """Pose of a frame then in a frame now, by way of one that did not move between."""
        times = (target_frame, target_time, source_frame, source_time, fixed_frame)
        self.can_transform_full(*times, timeout)
        return self.lookup_transform_full_core(*times)

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Any,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether the lookup would succeed, within `timeout`; on demand (whether, why not)."""
        result = self._wait(
            lambda: self.can_transform_core(target_frame, source_frame, time), timeout
        )
        return result if return_debug_tuple else result[0]

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Any,
        source_frame: str,
        source_time: Any,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether the lookup between two times would succeed, within `timeout`."""
        times = (target_frame, target_time, source_frame, source_time, fixed_frame)
        result = self._wait(lambda: self.can_transform_full_core(*times), timeout)
        return result if return_debug_tuple else result[0]

    def _wait(self, attempt: Callable[[], tuple[bool, str]], timeout: Duration) -> tuple[bool, str]:
        deadline = clock.monotonic() + timeout.nanoseconds / 1e9
        with self._changed:
            while True:
                result = attempt()
                left = deadline - clock.monotonic()
                if result[0] or left <= 0.0:
                    return result
                self._changed.wait(left)

    def wait_for_transform_async(self, target_frame: str, source_frame: str, time: Any) -> Future:
        """A future whose result is the transform, set by the listener's thread."""
        return self._future(
            lambda: self.can_transform_core(target_frame, source_frame, time)[0],
            lambda: self.lookup_transform_core(target_frame, source_frame, time),
        )

    async def lookup_transform_async(
        self, target_frame: str, source_frame: str, time: Any
    ) -> TransformStamped:
        """Pose of `source_frame` in `target_frame` as soon as it is known."""
        return await self.wait_for_transform_async(target_frame, source_frame, time)

    def _future(
        self, possible: Callable[[], bool], lookup: Callable[[], TransformStamped]
    ) -> Future:
        future = Future()

        def attempt() -> None:
            with self._changed:
                if not future.done() and possible():
                    if attempt in self._waiting:
                        self._waiting.remove(attempt)
                    future.set_result(lookup())

        with self._changed:
            self._waiting.append(attempt)
            attempt()
        return future
