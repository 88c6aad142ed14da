"""Live sound: pieces of any size and rate, played in turn with a steady delay (spec 05 §3, §4)."""

from __future__ import annotations

import asyncio
import logging
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...media import (
    FRAME_SAMPLES,
    FRAME_TIME,
    MAX_TUNING,
    SAMPLE_RATE,
    Resampler,
    SampleQueue,
    Samples,
    check_rate,
    to_wave,
)
from ..errors import check_range
from .frame_stream import URGENT, FrameStream, Playback
from .frames import Frame

_log = logging.getLogger(__name__)

_LATENCY_LIMITS = (URGENT * FRAME_TIME, 5.0)
WINDOW = 3.0
"""s over which the least delay counts; pieces that come in bursts make it go up and down."""
DRIFT_GAIN = 0.12
"""Share of the speed for each second of delay too much."""
STALL = 0.3
"""s for which the robot had nothing to play, in one stall or in several, after which what came
meanwhile is dropped; the speed makes up for less."""
_LIVE = 1.5
"""What comes so many times as fast as time passes is not live: it has an end, and is played
whole."""


@dataclass(frozen=True, slots=True)
class AudioStreamOptions:
    """How a live sound is buffered; times in s."""

    latency: float = 0.3
    """Sound that is buffered before playing starts, and again after a gap; it compensates pieces
    that come late by up to 0.17 s less. The robot needs 7 frames, 0.23 s, to start."""
    capacity: float = 10.0
    """Most sound that waits; of more the oldest is dropped."""
    end_after: float = 0.5
    """Without a new piece for so long the stream has ended."""

    def __post_init__(self) -> None:
        check_range("latency", self.latency, *_LATENCY_LIMITS, "s")
        if not self.latency < self.capacity <= 60.0:
            raise ValueError(f"capacity is {self.capacity} s; it is above the latency, up to 60 s")
        check_range("end_after", self.end_after, 0.1, 60.0, "s")


@dataclass(slots=True)
class AudioStreamStatistics:
    """Counters since the start."""

    underruns: int = 0
    """Gaps because pieces came too late."""
    silent_frames: int = 0
    """Frames, 1/30 s each, of those gaps."""
    dropped: float = 0.0
    """Sound dropped because it came faster than it plays, s."""
    missed: float = 0.0
    """Sound dropped because the robot could not be reached when it came, s."""
    streams: int = 0


class DriftCompensation:
    """Controls the speed so that the least delay stays at a target: source and robot have clocks
    of their own.
    """

    def __init__(self, target: float) -> None:
        """Aim at a least delay of ``target`` s."""
        self.target = target
        self.reset()

    def reset(self) -> None:
        self.speed = 1.0
        self._start = -math.inf
        self._least = self._least_before = math.inf

    def update(self, delay: float, now: float) -> float:
        """Take the delay in s at the time ``now``; return the speed, 1.0 for unchanged."""
        if now - self._start > WINDOW:
            self._least_before, self._least = self._least, math.inf
            self._start = now
        self._least = min(self._least, delay)
        if self._least_before < math.inf:
            error = min(self._least, self._least_before) - self.target
            change = min(max(DRIFT_GAIN * error, -MAX_TUNING), MAX_TUNING)
            self.speed = 1.0 + change
        return self.speed


class AudioStream:
    """A source of the frame stream that is fed with pieces; starts and ends with them."""

    def __init__(self, stream: FrameStream, options: AudioStreamOptions) -> None:
        self.statistics = AudioStreamStatistics()
        self._stream = stream
        self._queue = SampleQueue()
        self._tail = SampleQueue()
        """The end of what came before a gap."""
        self._gap = 0
        """Silent frames of the gap under way; none is one when nothing follows it."""
        self._resampler: Resampler | None = None
        self._playback: Playback | None = None
        self._is_ending = self._is_buffering = False
        self._last_piece = -math.inf
        self._arrived = 0
        """Samples since a frame was asked for."""
        self._asked_at = 0.0
        self._dry_at = math.inf
        """When the robot has played all that it was sent; never before the second frame."""
        self._late = 0
        """Samples that came in stalls, and keep all that follows waiting."""
        self.options = options

    @property
    def options(self) -> AudioStreamOptions:
        """How it buffers; may be changed at any time, the latency holds for the next stream."""
        return self._options

    @options.setter
    def options(self, options: AudioStreamOptions) -> None:
        self._options = options
        # What is left when the pieces come as late as they may.
        self._drift = DriftCompensation(max(options.latency - FRAME_TIME, _LATENCY_LIMITS[0]))

    @property
    def is_active(self) -> bool:
        """A stream has started and is not played to its end."""
        return self._playback is not None and not self._playback.is_over

    @property
    def delay(self) -> float:
        """Sound that waits here and in the robot, s."""
        waiting = len(self._tail) + len(self._queue)
        return waiting / SAMPLE_RATE + self._stream.ahead * FRAME_TIME

    def push(self, samples: npt.ArrayLike, rate: int, *, is_last: bool = False) -> None:
        """Take a piece of 16-bit mono samples at ``rate`` Hz, played after those before it.

        ``is_last`` ends the stream as ``finish`` does; an empty piece starts none. Raises
        ``ValueError`` for a rate or samples that make no sense, ``RobotError`` (NOT_CONNECTED)
        when no robot is ready, ``LibraryMissing``.
        """
        check_rate(rate)
        piece = _checked(samples)
        now = asyncio.get_running_loop().time()
        if not self._is_open and not len(piece):
            return
        # Before the stream starts, or it would be over at once.
        self._last_piece = now
        if not self._is_open:
            self._start()
        self._is_ending = is_last
        self._put(piece, rate, is_last)
        self._stream.pump(now)

    def finish(self) -> None:
        """End the stream: what is left is played without waiting for more."""
        if self._is_open:
            self._is_ending = True
            self._flush()
            self._stream.pump(asyncio.get_running_loop().time())

    def stop(self) -> None:
        """Fall silent and forget what waits; the next piece starts a new stream."""
        if self._playback is not None:
            self._playback.stop()
        self._clear()

    # -- for the frame stream

    def is_ready(self, now: float) -> bool:
        """A stream that has not started delays no other source."""
        return not self._is_started or bool(len(self._tail)) or self._can_play(now)

    def next_frame(self, now: float) -> Frame | None:
        self._catch_up(now)
        if self._is_over(now):
            self._flush()
        if len(self._tail):
            return Frame(self._tail.get(FRAME_SAMPLES))
        if self._can_play(now):
            self._is_buffering = False
            self._end_gap()
            is_last = self._is_over(now) and len(self._queue) <= FRAME_SAMPLES
            sound = self._queue.get(FRAME_SAMPLES)
            self._drift.update(self.delay, now)
            return Frame(sound, is_last=is_last)
        if not self._is_started:
            return None
        if not self._is_buffering:
            self._is_buffering, self._late = True, 0
            self._flush()
            self._tail, self._queue = self._queue, self._tail
            return Frame(self._tail.get(FRAME_SAMPLES))
        self._gap += 1
        self._drift.update(self.delay, now)
        return Frame()

    @property
    def _is_open(self) -> bool:
        """Pieces are added to a stream rather than start one."""
        return self._playback is not None and self._playback in self._stream.playing

    @property
    def _is_started(self) -> bool:
        return self._playback is not None and self._playback.frames_sent > 0

    def _start(self) -> None:
        self._clear()
        self._is_ending, self._is_buffering = False, True
        self._arrived, self._dry_at = 0, math.inf
        self._drift.reset()
        self._playback = None
        self._playback = self._stream.play(self)
        self.statistics.streams += 1

    def _clear(self) -> None:
        self._queue.clear()
        self._tail.clear()
        self._resampler, self._gap, self._late = None, 0, 0

    def _catch_up(self, now: float) -> None:
        """After stalls of the link drop what came in them, or all that follows would be late."""
        if now > self._dry_at and not self._is_over(now):
            if self._arrived < _LIVE * (now - self._asked_at) * SAMPLE_RATE:
                self._late += min(self._arrived, round((now - self._dry_at) * SAMPLE_RATE))
            # The speed has made up for some of it. The robot ran dry, whatever old reports, that
            # were held back, say of what it still has.
            waiting = len(self._tail) + len(self._queue)
            late = min(self._late, waiting - round(self._options.latency * SAMPLE_RATE))
            if late > STALL * SAMPLE_RATE:
                missed = len(self._queue.get(late)) / SAMPLE_RATE
                self.statistics.missed += missed
                self._late = 0
                _log.info("the link stalled: %.1f s of live sound are left out", missed)
        self._arrived, self._asked_at = 0, now
        if self._is_started:
            self._dry_at = now + (self._stream.ahead + 1) * FRAME_TIME

    def _end_gap(self) -> None:
        if self._gap and len(self._queue):
            self.statistics.underruns += 1
            self.statistics.silent_frames += self._gap
        self._gap = 0

    def _is_over(self, now: float) -> bool:
        return self._is_ending or now - self._last_piece > self._options.end_after

    def _can_play(self, now: float) -> bool:
        """Return whether there is a frame to play, or all of it that is still to come."""
        if self._is_over(now):
            return True
        if self._is_buffering:
            ahead = self._stream.ahead if self._is_started else 0
            missing = self._options.latency - ahead * FRAME_TIME
            return len(self._queue) >= max(FRAME_SAMPLES, missing * SAMPLE_RATE)
        return len(self._queue) >= FRAME_SAMPLES

    def _put(self, piece: Samples, rate: int, is_last: bool) -> None:
        if self._resampler is not None and self._resampler.rate != rate:
            self._flush()
        if self._resampler is None:
            self._resampler = Resampler(rate, tunable=True)
        self._resampler.tune(self._drift.speed)
        converted = self._resampler.convert(to_wave(piece))
        self._arrived += len(converted)
        self._queue.put(converted)
        if is_last:
            self._flush()
        excess = len(self._queue) - round(self._options.capacity * SAMPLE_RATE)
        if excess > 0:
            self.statistics.dropped += len(self._queue.get(excess)) / SAMPLE_RATE

    def _flush(self) -> None:
        """Get the end of the signal out of the resampler."""
        if self._resampler is not None:
            self._queue.put(self._resampler.convert(np.zeros(0, np.float32), last=True))
            self._resampler = None


def _checked(samples: npt.ArrayLike) -> Samples:
    array = np.asarray(samples)
    # An empty list has no type of its own.
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"samples are one row of integers, not {array.ndim} of {array.dtype}")
    if array.dtype != np.int16:
        if array.size and not -0x8000 <= array.min() <= array.max() <= 0x7FFF:
            raise ValueError("samples are from -32768 to 32767")
        array = array.astype(np.int16)
    # Copied: the caller may use the memory again.
    checked: Samples = np.array(array, dtype=np.int16)
    return checked
