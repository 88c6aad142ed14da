"""A buffer that can wait for transforms."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.task import Future
from tf2_ros.buffer_core import BufferCore

NO_WAIT = Duration()


class Buffer(BufferCore):
    """Transforms as received by a `TransformListener`.

    Waiting with a timeout blocks the caller: another thread must then serve the listener's node.
    """

    def __init__(self, cache_time: Duration | None = None) -> None:
        super().__init__(cache_time)
        self._waiting: list[Callable[[], None]] = []

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

    def can_transform(
        self,
        target_frame: str,
        source_frame: str,
        time: Any,
        timeout: Duration = NO_WAIT,
        return_debug_tuple: bool = False,
    ) -> bool | tuple[bool, str]:
        """Whether the lookup would succeed, within `timeout`; on demand (whether, why not)."""
        deadline = clock.monotonic() + timeout.nanoseconds / 1e9
        with self._changed:
            while True:
                result = self.can_transform_core(target_frame, source_frame, time)
                left = deadline - clock.monotonic()
                if result[0] or left <= 0.0:
                    break
                self._changed.wait(left)
        return result if return_debug_tuple else result[0]

    def wait_for_transform_async(self, target_frame: str, source_frame: str, time: Any) -> Future:
        """A future whose result is the transform, set by the listener's thread."""
        future, asked = Future(), (target_frame, source_frame, time)

        def attempt() -> None:
            with self._changed:
                if not future.done() and self.can_transform_core(*asked)[0]:
                    self._waiting.remove(attempt)
                    future.set_result(self.lookup_transform_core(*asked))

        with self._changed:
            self._waiting.append(attempt)
            attempt()
        return future
