"""The tree of frames over time, without ROS communication."""

from __future__ import annotations

import math
import threading
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.logging import get_logger
from rclpy.time import Time
from tf2_ros.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from tf2_ros.history import MovingHistory, Sample, StaticHistory
from tf2_ros.rigid import IDENTITY, Rigid, composed, inverted, normalised

# A tree this deep is a loop.
MAX_DEPTH = 1000


def nanoseconds(time: Any) -> int:
    """Time in ns of a `rclpy.time.Time` or of a `builtin_interfaces/Time`."""
    if hasattr(time, "nanoseconds"):
        return int(time.nanoseconds)
    return int(time.sec) * 1_000_000_000 + int(time.nanosec)


class BufferCore:
    """Keeps transforms for `cache_time` (10 s) and answers where one frame was in another."""

    def __init__(self, cache_time: Duration | None = None) -> None:
        self._span = 10_000_000_000 if cache_time is None else int(cache_time.nanoseconds)
        self._frames: dict[str, MovingHistory | StaticHistory] = {}
        self._roots: set[str] = set()
        self._changed = threading.Condition(threading.RLock())

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform; one that is none is logged and dropped."""
        self._set(transform, authority, static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Keep a transform for all times, in place of what was known of the frame."""
        self._set(transform, authority, static=True)

    def _set(self, transform: TransformStamped, authority: str, *, static: bool) -> None:
        parent = transform.header.frame_id.removeprefix("/")
        child = transform.child_frame_id.removeprefix("/")
        at, turn = transform.transform.translation, transform.transform.rotation
        try:
            if not parent or not child or parent == child:
                raise ValueError("it needs two different frames")
            if not all(math.isfinite(part) for part in (at.x, at.y, at.z)):
                raise ValueError("its translation is not finite")
            rotation = normalised((turn.x, turn.y, turn.z, turn.w))
        except ValueError as error:
            get_logger("tf2").error(f"ignored {child!r} in {parent!r} from {authority}: {error}")
            return
        stamp = nanoseconds(transform.header.stamp)
        sample = Sample(stamp, parent, Rigid((at.x, at.y, at.z), rotation))
        with self._changed:
            if static:
                self._frames[child] = StaticHistory(sample)
            else:
                history = self._frames.get(child)
                if not isinstance(history, MovingHistory):
                    history = self._frames[child] = MovingHistory(child, self._span)
                history.add(sample)
            self._roots.add(parent)
            self._changed.notify_all()

    def clear(self) -> None:
        """Forget everything that moves."""
        with self._changed:
            moving = [name for name, known in self._frames.items() if not known.is_static]
            for name in moving:
                del self._frames[name]

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> TransformStamped:
        """Pose of `source_frame` in `target_frame` at `time`; 0 is the latest all frames share."""
        with self._changed:
            target, source = (
                self._known(target_frame, "target"),
                self._known(source_frame, "source"),
            )
            stamp = nanoseconds(time) or self._latest_common(target, source)
            pose = self._pose(target, source, stamp)
        return _message(target, source, stamp, pose)

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> tuple[bool, str]:
        """(Whether the lookup would succeed, why not)."""
        try:
            self.lookup_transform_core(target_frame, source_frame, time)
        except TransformException as error:
            return False, str(error)
        return True, ""

    def _known(self, frame: str, role: str) -> str:
        if not frame or frame.startswith("/"):
            raise InvalidArgumentException(
                f"{frame!r} as {role} frame: a frame's name is not empty and has no leading slash"
            )
        if frame not in self._frames and frame not in self._roots:
            raise LookupException(f"{role} frame {frame!r} does not exist")
        return frame

    def _chain(self, frame: str, stamp: int) -> tuple[list[tuple[str, Rigid]], Exception | None]:
        """(Every frame from `frame` upwards with the pose of `frame` in it, why it ends early)."""
        pose = IDENTITY
        chain = [(frame, pose)]
        while frame in self._frames:
            try:
                sample = self._frames[frame].at(stamp)
            except ExtrapolationException as error:
                return chain, error
            pose = composed(sample.pose, pose)
            frame = sample.parent
            chain.append((frame, pose))
            if len(chain) > MAX_DEPTH:
                return chain, LookupException(f"the frames above {chain[0][0]!r} are a loop")
        return chain, None

    def _pose(self, target: str, source: str, stamp: int) -> Rigid:
        """Pose of `source` in `target`. Only frames up to the first common one need be known."""
        up, source_error = self._chain(source, stamp)
        down, target_error = self._chain(target, stamp)
        of_source = dict(up)
        for frame, pose in down:
            if frame in of_source:
                return composed(inverted(pose), of_source[frame])
        raise source_error or target_error or _unconnected(target, source)

    def _latest_common(self, target: str, source: str) -> int:
        """Latest time at which every moving frame between the two is known, 0 where none moves."""
        up, down = self._latest_chain(source), self._latest_chain(target)
        for frame in down:
            if frame in up:
                stamps = [*up[: up.index(frame)], *down[: down.index(frame)]]
                times = [
                    self._frames[name].latest.stamp
                    for name in stamps
                    if not self._frames[name].is_static
                ]
                return min(times, default=0)
        raise _unconnected(target, source)

    def _latest_chain(self, frame: str) -> list[str]:
        chain = [frame]
        while frame in self._frames and len(chain) <= MAX_DEPTH:
            frame = self._frames[frame].latest.parent
            chain.append(frame)
        return chain


def _unconnected(target: str, source: str) -> ConnectivityException:
    return ConnectivityException(
        f"Could not find a connection between {target!r} and {source!r}: they are in two trees"
    )


def _message(target: str, source: str, stamp: int, pose: Rigid) -> TransformStamped:
    message = TransformStamped()
    message.header.stamp = Time(nanoseconds=stamp).to_msg()
    message.header.frame_id = target
    message.child_frame_id = source
    at, turn = message.transform.translation, message.transform.rotation
    at.x, at.y, at.z = pose.translation
    turn.x, turn.y, turn.z, turn.w = pose.rotation
    return message
