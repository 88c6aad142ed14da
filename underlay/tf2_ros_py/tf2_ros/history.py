"""What is known of one frame over time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.rigid import Rigid, between


class Sample(NamedTuple):
    """A frame's pose in its parent at a time (ns)."""

    stamp: int
    parent: str
    pose: Rigid


class StaticHistory:
    """A pose that holds at every time."""

    is_static = True

    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    @property
    def latest(self) -> Sample:
        """The sample last given."""
        return self._sample

    def at(self, stamp: int) -> Sample:
        """The same pose, whatever the time."""
        return self._sample._replace(stamp=stamp)


class MovingHistory:
    """Samples of the last `span` ns, oldest first."""

    is_static = False

    def __init__(self, frame: str, span: int) -> None:
        self._frame = frame
        self._span = span
        self._stamps: list[int] = []
        self._samples: list[Sample] = []

    @property
    def latest(self) -> Sample:
        """The sample with the latest stamp."""
        return self._samples[-1]

    def add(self, sample: Sample) -> None:
        """Keep a sample, unless it is older than the span or of a time that is known."""
        if self._stamps and sample.stamp < self._stamps[-1] - self._span:
            return
        at = bisect_left(self._stamps, sample.stamp)
        if at < len(self._stamps) and self._stamps[at] == sample.stamp:
            return
        self._stamps.insert(at, sample.stamp)
        self._samples.insert(at, sample)
        old = bisect_left(self._stamps, self._stamps[-1] - self._span)
        del self._stamps[:old], self._samples[:old]

    def at(self, stamp: int) -> Sample:
        """Pose at a time between the first and the last sample; 0 is the last."""
        if stamp == 0:
            return self._samples[-1]
        after = bisect_right(self._stamps, stamp)
        if after == 0 or (after == len(self._stamps) and self._stamps[-1] != stamp):
            way = "past" if after == 0 else "future"
            raise ExtrapolationException(
                f"Lookup would require extrapolation into the {way}: "
                f"requested time {stamp / 1e9:.6f}, but {self._frame!r} is known "
                f"from {self._stamps[0] / 1e9:.6f} to {self._stamps[-1] / 1e9:.6f}"
            )
        before = self._samples[after - 1]
        # Between two parents nothing can be interpolated: the earlier one still holds.
        if before.stamp == stamp or self._samples[after].parent != before.parent:
            return before._replace(stamp=stamp)
        following = self._samples[after]
        share = (stamp - before.stamp) / (following.stamp - before.stamp)
        return Sample(stamp, before.parent, between(before.pose, following.pose, share))
