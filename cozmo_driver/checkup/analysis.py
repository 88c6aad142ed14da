"""Figures of what was recorded: pure functions of numbers and states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..robot import RobotState, Vector3

Floats = npt.NDArray[np.float64]

STATE_PERIOD = 0.030
"""s between two states of a robot (spec 18)."""
_LEAST_SPIN, _FAST = 0.2, 0.5
"""rad/s of a spin, and the share of its usual rate above which a state's counts. At 0.6 rad/s the
noise of a driving robot's heading is 5% of it (spec 18): a higher share picks states by it."""
_AXES: tuple[Callable[[Vector3], float], ...] = (
    lambda vector: vector.x,
    lambda vector: vector.y,
    lambda vector: vector.z,
)


def axes_of(vectors: Iterable[Vector3]) -> Floats:
    """Return vectors as columns x, y and z."""
    return np.array([[axis(vector) for axis in _AXES] for vector in vectors]).reshape(-1, 3)


def deviation(values: Floats | Sequence[float]) -> float:
    """Return the standard deviation; NaN of fewer than two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def mean(values: Floats | Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def spectrum(values: Sequence[float] | Floats) -> list[tuple[float, float]]:
    """Return (Hz, amplitude) of values that came with the states; the mean is left out."""
    if len(values) < 8:
        return []
    signal = np.asarray(values, float) - np.mean(values)
    amplitudes = np.abs(np.fft.rfft(signal * np.hanning(len(signal)))) * 4 / len(signal)
    frequencies = np.fft.rfftfreq(len(signal), STATE_PERIOD)
    return list(zip(map(float, frequencies[1:]), map(float, amplitudes[1:]), strict=True))


def tilt_of(yaws: Sequence[float], pitches: Sequence[float]) -> tuple[float, float, float]:
    """Return slope and direction of the ground, and the pitch that is reported on level ground.

    rad; the direction is uphill, in the frame of the headings. Three headings are needed; pitch is
    nose down positive.
    """
    ones = np.ones(len(yaws))
    (level, a, b), *_ = np.linalg.lstsq(
        np.column_stack([ones, np.cos(yaws), np.sin(yaws)]), np.asarray(pitches), rcond=None
    )
    return math.hypot(a, b), math.atan2(-b, -a), float(level)


def integrated(states: Sequence[RobotState], value: Callable[[RobotState], float]) -> float:
    """Return the integral of a value over the robot's time, by trapezoids."""
    return sum(
        (value(a) + value(b)) / 2 * (b.robot_time - a.robot_time) for a, b in pairwise(states)
    )


def turned(states: Sequence[RobotState]) -> float:
    """Return the angle that the reported heading went through, rad, more than a turn too."""
    return sum(math.remainder(b.pose.yaw - a.pose.yaw, 2 * math.pi) for a, b in pairwise(states))


def track_of(states: Sequence[RobotState]) -> float:
    """Return the track width with which the treads' travel makes the spin that was reported, m.

    Starts and ends do not count: treads that have stopped go on reporting their last speed (spec
    18). Raises ``ValueError`` where there was no spin.
    """
    steps = [(turned((a, b)), a, b) for a, b in pairwise(states)]
    rates = [abs(turn) / max(b.robot_time - a.robot_time, 1e-3) for turn, a, b in steps]
    fastest = max(rates, default=0.0)
    if fastest < _LEAST_SPIN:
        raise ValueError("the robot did not turn")
    usual = float(np.median([rate for rate in rates if rate > fastest / 2]))
    used = [step for step, rate in zip(steps, rates, strict=True) if rate > _FAST * usual]
    distance = sum(integrated((a, b), difference) for _, a, b in used)
    return distance / sum(turn for turn, _, _ in used)


def difference(state: RobotState) -> float:
    """Return the speed of the right tread less that of the left one, m/s."""
    return state.right_wheel_speed - state.left_wheel_speed


def curve(
    states: Sequence[RobotState], value: Callable[[RobotState], float], zero: float | None = None
) -> list[tuple[float, float]]:
    """Return (s since ``zero`` or the first state, value) for a plot."""
    start = (states[0].time if states else 0.0) if zero is None else zero
    return [(state.time - start, value(state)) for state in states]
