"""Lets the robot follow a path: sent in parts, monitored to its end (spec 07 §7)."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...protocol import NotConnected, PathEventType, RobotStatusFlag, SendQueueFull, messages
from ..calibration import RobotCalibration
from ..data import Pose2D, RobotState
from ..errors import Reason, Refused, RobotError
from ..geometry import EFFECTIVE_TRACK_WIDTH, wrap_angle
from ..localization import Localization
from ..motion.claims import Claim
from ..motion.motion import Motion
from ..session import Session
from .segments import (
    PATH_TURN_SPEED,
    Segment,
    Turn,
    append_message,
    expected_duration,
    in_halves,
    own_tracks,
    with_turns,
)
from .smooth_path import PathStyle, Waypoint, check_waypoints, smooth_path

QUEUE = 8
"""Segments in the robot's hands at a time (spec 07 §7)."""
_START_TIME = 3.0
_SETTLE_TIME = 2.0
_GAP = 0.05
"""Larger gaps between segments, or between the robot and the first one, are refused, m."""
_BEND = math.radians(10.0)
"""At larger changes of heading between segments the robot turns in place."""
_BLOCKED_AFTER = 3.0
_STEP = 0.003
_STEP_ANGLE = 0.03
"""A robot that moved less than this in the time above is stuck, s, m and rad."""
_SAME_PLACE = 0.003
"""Of ends of segments within this distance of the nearest one the last one counts, m: paths end
within 2 mm of where they should, and a turn of 5 degrees counts as 3 mm."""
_CAUSE_TIME = 0.3
"""After an interruption the robot reports its cause within this time, s."""
_INDEX_MODULUS = 256


@dataclass(frozen=True, slots=True)
class PathProgress:
    """How far the robot is: segment -1 before the start; distances along the track, m."""

    segment: int
    segment_count: int
    segments_completed: int
    distance_traveled: float
    distance_remaining: float
    pose: Pose2D
    """Of the drive center in the odometry frame."""


OnProgress = Callable[[PathProgress], object]


class PathFollower:
    """Follows paths of the drive center given in the odometry frame, one at a time."""

    def __init__(self, session: Session, motion: Motion, localization: Localization) -> None:
        self._session, self._motion, self._localization = session, motion, localization
        self._path_id = 0
        self._events: list[int] = []
        session.on(messages.PathFollowingEvent, self._on_path_event)

    async def follow(
        self,
        segments: Sequence[Segment],
        *,
        on_progress: OnProgress = lambda _: None,
        claim: Claim | None = None,
    ) -> PathProgress:
        """Drive the segments, m and rad in the odometry frame, in order; return where it ended.

        Where the heading jumps between segments the robot turns in place first. Cancelling clears
        the path and stops. Raises ``RobotError`` (``Refused`` for gaps, too).
        """
        if claim is not None:
            return await self._follow(segments, on_progress, claim)
        # Nothing stops for a path that is none.
        self._motion.check_wheels()
        check_continuity(segments, self._localization.drive_center)
        with self._motion.claim_wheels("follow_path") as own:
            return await self._follow(segments, on_progress, own)

    async def follow_poses(
        self,
        waypoints: Sequence[Waypoint],
        style: PathStyle | None = None,
        *,
        on_progress: OnProgress = lambda _: None,
    ) -> PathProgress:
        """Drive past poses in the odometry frame, planned from where the robot stands.

        Raises ``ValueError`` for poses that make no path, and as ``follow``.
        """
        style = style or PathStyle()
        # Nothing stops for a path that is none; it is planned once the robot stands.
        check_waypoints(waypoints)
        with self._motion.claim_wheels("follow_path") as claim:
            await self.settle(claim)
            segments = smooth_path(self._localization.drive_center, waypoints, style)
            if segments:
                return await self._follow(segments, on_progress, claim)
            progress = PathProgress(-1, 0, 0, 0.0, 0.0, self._localization.drive_center)
            on_progress(progress)
            return progress

    async def settle(self, claim: Claim) -> RobotState:
        """Wait until the treads stand and the robot uses the origin it was sent; return the state.

        Raises ``RobotError``.
        """
        state = await self._motion.stand_still(claim)
        deadline = claim.time + _SETTLE_TIME
        while not self._localization.is_settled(state):
            if claim.time > deadline:
                raise RobotError(
                    Reason.ROBOT_ERROR,
                    f"{claim.what}: the robot did not take over its coordinate system",
                )
            state = await claim.next_state()
        return state

    async def _follow(
        self, segments: Sequence[Segment], on_progress: OnProgress, claim: Claim
    ) -> PathProgress:
        await self.settle(claim)
        center = self._localization.drive_center_from_now()
        pose = center()
        check_continuity(segments, pose)
        own = self._localization.robot_frame.compose(pose)
        run = _Run(segments, center, own, self._localization.calibration)
        if _starts_forward(run.driven):
            self._motion.check_forward()
        on_progress(run.progress(pose))
        limits = self._motion.limits
        expected = expected_duration(run.driven, pose.yaw, limits.wheel_speed, limits.yaw_rate)
        deadline = claim.time + 2 * expected + 10.0
        while not run.is_complete:
            self._send_path(run)
            await self._monitor(run, claim, deadline, on_progress)
        await self._motion.stand_still(claim)
        progress = run.progress(self._localization.drive_center)
        on_progress(progress)
        return progress

    def _send_path(self, run: _Run) -> None:
        self._path_id = self._path_id % 0xFFFF + 1
        self._events.clear()
        run.start()
        self._session.send(messages.ClearPath())
        self._append(run)
        self._session.send(messages.ExecutePath(self._path_id))

    def _append(self, run: _Run) -> None:
        """Keep the robot's queue full; delete what it has finished where there is more to come."""
        finished = run.finished_in_queue
        if finished and run.is_more_to_append:
            self._session.send(messages.TrimPath(finished, 0))
            run.trim(finished)
        limits = self._motion.limits
        while run.is_more_to_append and run.queued < QUEUE:
            track = append_message(run.next_track, limits.wheel_speed, limits.yaw_rate)
            self._session.send(track)
            run.appended()

    async def _monitor(
        self, run: _Run, claim: Claim, deadline: float, on_progress: OnProgress
    ) -> None:
        """Wait for the end of what the robot was sent. Raises ``RobotError``."""
        started_at = moved_at = claim.time
        reference = run.center()
        while True:
            state = await claim.next_state()
            now, pose = claim.time, run.center()
            if self._events and self._events[-1] == PathEventType.COMPLETED:
                run.end()
                return
            if self._events and self._events[-1] == PathEventType.INTERRUPTED:
                await self._explain(claim)
            if not self._events and now - started_at > _START_TIME:
                raise RobotError(
                    Reason.TIMEOUT, f"{claim.what}: the robot did not begin within 3 s"
                )
            # Before the event of this path states may still be of the one before.
            if self._events and state.has(RobotStatusFlag.IS_PATHING):
                run.update(state.path_segment)
                # Without a link the claim is about to end; a full queue empties in time.
                with contextlib.suppress(NotConnected, SendQueueFull):
                    self._append(run)
            on_progress(run.progress(self._localization.drive_center))
            if _has_moved(reference, pose):
                reference, moved_at = pose, now
            if self._events and now - moved_at > _BLOCKED_AFTER:
                raise RobotError(
                    Reason.BLOCKED, f"{claim.what}: the robot is stuck; free it and try again"
                )
            if now > deadline:
                raise RobotError(
                    Reason.TIMEOUT, f"{claim.what}: the robot did not reach the end in time"
                )

    async def _explain(self, claim: Claim) -> None:
        """Wait for the cause of an interruption, which ends the claim; raise in any case."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _CAUSE_TIME
        while loop.time() < end:
            await claim.next_state()
        raise RobotError(Reason.ROBOT_ERROR, f"{claim.what}: the robot interrupted the path")

    def _on_path_event(self, message: messages.PathFollowingEvent, _: float) -> None:
        if message.path_id == self._path_id:
            self._events.append(message.event_type)


class SegmentCounter:
    """Counts segments from the start of a path, whatever the robot's own index counts from.

    The reported index has 8 bits and wraps; and where finished segments were deleted with
    ``TrimPath``, firmware may count from what is left (spec 07 §7 leaves it open). An index that
    falls by what was deleted shows which.
    """

    def __init__(self) -> None:
        self.index = 0
        """Segments behind the robot."""
        self._last = 0
        self._trimmed = 0

    def trimmed(self, count: int) -> None:
        self._trimmed += count

    def update(self, reported: int, appended: int) -> int:
        """Take an index, -1 for none; return the segments behind, less than ``appended``."""
        if reported == -1:
            return self.index
        raw = reported % _INDEX_MODULUS
        step = (raw - self._last) % _INDEX_MODULUS
        if step >= _INDEX_MODULUS // 2:
            # Backwards: it counts from what is left after the last deletion.
            step = (raw - self._last + self._trimmed) % _INDEX_MODULUS
            self._trimmed = 0
            if step >= _INDEX_MODULUS // 2:
                step = 0
        self._last = raw
        self.index = min(self.index + step, max(0, appended - 1))
        return self.index


class _Run:
    """Bookkeeping of one path: what the robot was sent, what is behind it."""

    def __init__(
        self,
        segments: Sequence[Segment],
        center: Callable[[], Pose2D],
        own: Pose2D,
        calibration: RobotCalibration,
    ) -> None:
        """``center`` tells where the drive center is; the robot counts it to be at ``own``."""
        self.center, here = center, center()
        turned = with_turns(segments, here.yaw, _BEND, PATH_TURN_SPEED)
        if calibration.turn_scale != 1.0:
            turned = in_halves(turned, here.yaw)
        self.driven = [segment for _, segment in turned]
        self._numbers = [number for number, _ in turned]
        self._count = len(segments)
        self._tracks = own_tracks(self.driven, here, own, calibration)
        """What the robot is sent."""
        self._behind = [0.0, *accumulate(segment.length for segment in self.driven)]
        self._first = self._appended = 0
        """Where the current path starts and how far it is sent."""
        self._trimmed = 0
        self._counter = SegmentCounter()
        self._is_started = False

    # -- what the robot has

    def start(self) -> None:
        """Start a path with the next segment that is not behind the robot."""
        self._first = self._appended = self._first + self._counter.index
        self._trimmed = 0
        self._counter = SegmentCounter()

    def end(self) -> None:
        """The robot finished what it had and stands.

        What was appended after the start may have come too late; where the robot stands tells.
        """
        self._is_started = True
        count = self._appended - self._first
        surely = max(self._counter.index + 1, min(QUEUE, count))
        pose = self.center()
        ends = {n: self.driven[self._first + n - 1] for n in range(surely, count + 1)}
        off = {n: _off_end(segment, pose) for n, segment in ends.items()}
        nearest = min(off.values())
        self._counter.index = max(n for n, far in off.items() if far < nearest + _SAME_PLACE)

    @property
    def is_complete(self) -> bool:
        return self._index >= len(self.driven)

    @property
    def is_more_to_append(self) -> bool:
        return self._appended < len(self.driven)

    @property
    def queued(self) -> int:
        """Segments in the robot's hands, finished ones it still keeps included."""
        return self._appended - self._first - self._trimmed

    @property
    def finished_in_queue(self) -> int:
        """Finished segments the robot still keeps."""
        return self._counter.index - self._trimmed

    def trim(self, count: int) -> None:
        self._trimmed += count
        self._counter.trimmed(count)

    @property
    def next_track(self) -> Segment:
        return self._tracks[self._appended]

    def appended(self) -> None:
        self._appended += 1

    # -- where the robot is

    @property
    def _index(self) -> int:
        return self._first + self._counter.index

    def update(self, reported: int) -> None:
        self._is_started = True
        self._counter.update(reported, self._appended - self._first)

    def progress(self, pose: Pose2D) -> PathProgress:
        """Return how far the robot is in the segments as they were given, and its ``pose``."""
        index, count, total = self._index, self._count, self._behind[-1]
        if index >= len(self.driven):
            return PathProgress(max(0, count - 1), count, count, total, 0.0, pose)
        traveled = self._behind[index]
        if self._is_started:
            traveled += self.driven[index].traveled(self.center())
        number = self._numbers[index]
        segment = number if self._is_started else -1
        return PathProgress(segment, count, number, traveled, total - traveled, pose)


def check_continuity(segments: Sequence[Segment], pose: Pose2D) -> None:
    """Raise ``Refused`` for no segments, or gaps between them or to the robot."""
    if not segments:
        raise Refused(Reason.INVALID, "the path holds no segment")
    end = (pose.x, pose.y)
    for number, segment in enumerate(segments):
        gap = math.dist(end, segment.start)
        if gap > _GAP:
            where = f"segment {number - 1} ends" if number else "the robot stands"
            raise Refused(
                Reason.INVALID,
                f"{where} {gap:.2f} m away from the start of segment {number}; at most "
                f"{_GAP:.2f} m can be bridged",
            )
        end = segment.end


def _starts_forward(segments: Sequence[Segment]) -> bool:
    return bool(segments) and not isinstance(segments[0], Turn) and segments[0].speed > 0


def _off_end(segment: Segment, pose: Pose2D) -> float:
    """Return how far a pose is from a segment's end, m; a heading counts as by a tread's travel."""
    turned = abs(wrap_angle(segment.end_heading - pose.yaw))
    return math.dist(segment.end, (pose.x, pose.y)) + turned * EFFECTIVE_TRACK_WIDTH / 2


def _has_moved(a: Pose2D, b: Pose2D) -> bool:
    return math.hypot(a.x - b.x, a.y - b.y) > _STEP or abs(wrap_angle(a.yaw - b.yaw)) > _STEP_ANGLE
