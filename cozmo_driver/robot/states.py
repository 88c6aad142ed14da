"""Which states of the robot count, and when they were measured (spec 07 §12, 10 §1)."""

from __future__ import annotations

import logging
import math
from collections import deque
from dataclasses import replace
from statistics import median

from ..protocol import messages
from .data import OffTreads, Pose2D, RobotState, Vector3
from .handling import OffTreadsClassifier

_log = logging.getLogger(__name__)

_PERIOD_MS = 30
_GREATEST = 1e6
"""Of any number of a state, in the units of the wire."""
_HIGHEST_VOLTAGE = 10.0
_LONGEST_STEP_MS = 10_000
"""Between two stamps; after so long a silence the link has ended."""
_MAX_OUT_OF_ORDER = 30
"""States in a row, a second, after which it is the stamp before them that was wrong."""


class StateTracker:
    """Turns messages into states; those that cannot be, or come out of order, do not count.

    The air is open: one forged or damaged state must not freeze or poison all that follow.
    """

    def __init__(self, clock: DeviceClock) -> None:
        self.received = self.missed = 0
        """States that count, and those lost by the gaps between stamps."""
        self._clock = clock
        self._off_treads = OffTreadsClassifier()
        self.reset()

    def reset(self) -> None:
        """Forget stamps at the start of a session, in which the robot's clock restarts."""
        self._clock.reset()
        self._off_treads.reset()
        self._last_stamp: int | None = None
        self._out_of_order = 0
        self._is_warned = False

    def update(
        self, message: messages.RobotState, now: float, *, is_head_calibrated: bool
    ) -> RobotState | None:
        """Return the state that a message received at ``now``, s, holds; None if it is no good."""
        if not self._accepts(message):
            return None
        if self._last_stamp is None:
            self._clock.reset()
        else:
            self.missed += (message.timestamp - self._last_stamp) // _PERIOD_MS - 1
        self._last_stamp = message.timestamp
        self.received += 1
        time = self._clock.update(message.timestamp / 1000.0, now)
        state = state_from_message(message, time, now, self._off_treads.posture)
        posture = self._off_treads.update(state, is_head_calibrated=is_head_calibrated)
        return state if posture is state.off_treads else replace(state, off_treads=posture)

    def _accepts(self, message: messages.RobotState) -> bool:
        if not _is_possible(message):
            if not self._is_warned:
                self._is_warned = True
                _log.warning("the robot sent an invalid state; such states are ignored")
            return False
        last = self._last_stamp
        if last is None or 0 < message.timestamp - last <= _LONGEST_STEP_MS:
            self._out_of_order = 0
            return True
        self._out_of_order += 1
        if self._out_of_order < _MAX_OUT_OF_ORDER:
            return False
        _log.warning("the stamps of the robot's states jumped; they are counted from here")
        self._out_of_order = 0
        self._last_stamp = None
        return True


def _is_possible(message: messages.RobotState) -> bool:
    numbers = (
        *message.pose,
        *message.accel,
        *message.gyro,
        message.lwheel_speed_mmps,
        message.rwheel_speed_mmps,
        message.head_angle,
        message.lift_angle,
    )
    # NaN is not within any limits.
    return all(map(_GREATEST.__gt__, map(abs, numbers))) and (
        0.0 <= message.battery_voltage < _HIGHEST_VOLTAGE
    )


WINDOW = 5.0
"""Span over which the least delay counts, s (spec 07 §12)."""
SLEW_RATE = 0.001
"""How fast the offset may grow, s/s, beside the drift of the robot's clock."""
_STEP = 1e-6
_MARGIN = 1e-4
"""Stamps stay this much before the arrival, s: room for the states of one datagram."""
_WINDOWS = 24
"""Windows, two minutes, that the drift is measured over, and how many are needed at least."""
_FEWEST_WINDOWS = 4


_MOST_DRIFT = 0.01
"""Beyond it, it is not the clock that differs. An assumption: ten times what is said of the worst
crystals and resonators."""


class DeviceClock:
    """Running estimate of the host's time by the robot's clock, which may be slower or faster.

    Times it returns never decrease and never lie after the arrival they belong to.
    """

    def __init__(self) -> None:
        self._last = -math.inf
        self.reset()

    def reset(self) -> None:
        self.offset = math.nan
        """s of the host's clock over the robot's, which is corrected by its drift."""
        self.drift = math.nan
        """How much slower than the host's the robot's clock runs, s/s; NaN in the first 20 s."""
        self._robot_time = self._corrected = math.nan
        """Of the latest update, s: as stamped, and as it would be without drift."""
        self._window_start = -math.inf
        self._least = self._least_before = math.inf
        self._least_at = 0.0, 0.0
        """Robot time and arrival of the window's least delay."""
        self._updated_at = 0.0
        self._history: deque[tuple[float, float]] = deque(maxlen=_WINDOWS)
        """The same of each finished window."""

    @property
    def skew(self) -> float:
        """Offset still to be slewed in, s: positive when stamps are earlier than they should be."""
        return min(self._least, self._least_before) - self.offset

    def update(self, robot_time: float, received_at: float) -> float:
        """Return the host time of a robot's stamp that arrived at ``received_at``, s."""
        if math.isnan(self._robot_time):
            self._robot_time = self._corrected = robot_time
        self._corrected = self._without_drift(robot_time)
        self._robot_time = robot_time
        sample = received_at - self._corrected
        if received_at - self._window_start > WINDOW:
            self._end_window(received_at)
        if sample < self._least:
            self._least, self._least_at = sample, (robot_time, received_at)
        target = min(self._least, self._least_before)
        if math.isnan(self.offset) or target < self.offset:
            self.offset = target
        else:
            allowed = SLEW_RATE * (received_at - self._updated_at)
            self.offset = min(target, self.offset + allowed)
        self._updated_at = received_at
        time = min(self.to_host(robot_time), received_at - _MARGIN)
        self._last = max(time, self._last + _STEP)
        return self._last

    def _end_window(self, received_at: float) -> None:
        if self._least < math.inf:
            self._history.append(self._least_at)
        self._least_before, self._least = self._least, math.inf
        self._window_start = received_at
        if len(self._history) >= _FEWEST_WINDOWS:
            self.drift = max(-_MOST_DRIFT, min(_MOST_DRIFT, _slope(list(self._history))))

    def _without_drift(self, robot_time: float) -> float:
        drift = 0.0 if math.isnan(self.drift) else self.drift
        return self._corrected + (robot_time - self._robot_time) * (1.0 + drift)

    def to_host(self, robot_time: float) -> float:
        """Return the host time of a robot time, s; NaN before the first update."""
        return self.offset + self._without_drift(robot_time)

    def to_robot(self, time: float) -> float:
        """Return the robot time of a host time, s; NaN before the first update."""
        drift = 0.0 if math.isnan(self.drift) else self.drift
        return self._robot_time + (time - self.offset - self._corrected) / (1.0 + drift)


def _slope(points: list[tuple[float, float]]) -> float:
    """Return by how much arrivals grow more than robot times, s/s.

    It is the median over pairs that are near to each other (Theil and Sen): a network that became
    slower for good moves few of them.
    """
    return median(
        (arrival - before) / (time - time_before) - 1.0
        for apart in range(1, len(points) // 3 + 1)
        for (time_before, before), (time, arrival) in zip(points, points[apart:], strict=False)
    )


def state_from_message(
    message: messages.RobotState,
    time: float,
    now: float,
    off_treads: OffTreads = OffTreads.ON_TREADS,
) -> RobotState:
    """Return the state in SI units; ``time`` and ``now`` are host times in s (spec 10 §1)."""
    pose, accel, gyro = message.pose, message.accel, message.gyro
    return RobotState(
        time=time,
        received_at=now,
        robot_time=message.timestamp / 1000.0,
        pose=Pose2D(pose.x / 1000.0, pose.y / 1000.0, pose.angle),
        pitch=-pose.pitch,
        origin_id=message.pose_origin_id,
        frame_id=message.pose_frame_id,
        left_wheel_speed=message.lwheel_speed_mmps / 1000.0,
        right_wheel_speed=message.rwheel_speed_mmps / 1000.0,
        head_angle=message.head_angle,
        lift_angle=message.lift_angle,
        acceleration=Vector3(accel.x / 1000.0, accel.y / 1000.0, accel.z / 1000.0),
        angular_velocity=Vector3(gyro.x, gyro.y, gyro.z),
        battery_voltage=message.battery_voltage,
        flags=message.status,
        cliff_raw=message.cliff_data_raw,
        path_segment=message.curr_path_segment,
        off_treads=off_treads,
    )
