"""What is fitted is found, from what a robot with known errors would have counted and seen."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from cozmo_driver.checkup.estimating import (
    GLOBALS,
    Feeling,
    Fit,
    Problem,
    Station,
    View,
    head_zero_of,
)
from cozmo_driver.perception import Print

TRUE = {
    "distance": 0.992,
    "turn": 1.015,
    "focal": 290.0,
    "cx": 158.0,
    "cy": 115.0,
    "pitch": math.radians(-2.0),
    "roll": math.radians(1.5),
    "yaw": math.radians(-1.0),
    "x": 0.26,
    "y": 0.005,
    "facing": math.pi - 0.2,
}
START = {"x": 0.27, "y": 0.0, "facing": math.pi - 0.17}
KNOWN = 292.8, 158.7, 115.8
HEADS = (-0.15, 0.05)
MARKERS = {
    0: Print(1.008, 3e-4, -2e-4, 0.01),
    1: Print(0.993, -2e-4, 0.0, -0.015),
    2: Print(1.004, 0.0, 3e-4, 0.005),
    3: Print(0.997, 1e-4, 1e-4, 0.0),
}
NOISE = 0.1
"""Pixels of a mean corner."""


def course() -> list[tuple[float, float]]:
    """Return the ways and turns, m and rad, of turns, a sweep, a straight and a way round."""
    sweep = [(0.0, -0.3), *[(0.0, 0.15)] * 4, (0.0, -0.3)]
    moves = [(0.0, math.tau), (0.0, -math.tau), *sweep, *[(0.04, 0.0)] * 3]
    # Eight chords of a circle round the cube, as far as the robot knows.
    leg = math.pi / 4
    for _ in range(8):
        moves += [(0.0, leg / 2 - math.pi / 2), (0.11, 0.0), (0.0, math.pi / 2 + leg / 2)]
    return [(way / TRUE["distance"], turn / TRUE["turn"]) for way, turn in [(0.0, 0.0), *moves]]


def problem(noise: float, seed: int, moved_after: int | None = None) -> Problem:
    """Return what a robot with the ``TRUE`` errors collects, with ``noise`` pixels.

    The cube is somewhere else after station ``moved_after``.
    """
    random = np.random.default_rng(seed)
    stations = [Station(distance, turn) for distance, turn in course()]
    everything = [
        View(station, head, 2 * station + number, side, np.zeros((4, 2)))
        for station in range(len(stations))
        for number, head in enumerate(HEADS)
        for side in range(4)
    ]
    ideal = Problem(stations, everything, *KNOWN, start=TRUE)
    state = ideal.guess()
    for side, one in MARKERS.items():
        first = len(GLOBALS) + 4 * side
        state[first : first + 4] = one.scale - 1.0, one.right, one.up, one.turn
    pixels = ideal.project(state)
    state[GLOBALS.index("x")] += 0.01
    elsewhere = ideal.project(state)
    views = []
    for view, here, there in zip(everything, pixels, elsewhere, strict=True):
        corners = there if moved_after is not None and view.station > moved_after else here
        across, down = corners[1] - corners[0], corners[3] - corners[0]
        is_facing = across[0] * down[1] - across[1] * down[0] > 150.0
        is_inside = (corners > 5.0).all() and (corners < (315.0, 235.0)).all()
        if is_facing and is_inside and np.ptp(corners[:, 0]) < 150.0:
            corners = corners + random.normal(0.0, noise, (4, 2))
            views.append(View(view.station, view.head, view.rest, view.side, corners))
    return Problem(stations, views, *KNOWN, start=START)


@cache
def fitted(times: float) -> Fit:
    """Return what is found with so many times the usual noise."""
    return problem(times * NOISE, 0).solve()


@pytest.mark.parametrize("times", [1.0, 3.0])
def test_the_errors_of_a_robot_are_found_and_as_sure_as_is_said(times: float) -> None:
    fit = fitted(times)
    for name in ("distance", "turn", "focal", "pitch", "roll", "yaw"):
        assert abs(fit.values[name] - TRUE[name]) < 3.5 * fit.deviations[name], name
    assert abs(fit.values["distance"] - TRUE["distance"]) < 0.003 * times
    assert abs(fit.values["turn"] - TRUE["turn"]) < 0.001 * times
    assert abs(fit.values["focal"] / TRUE["focal"] - 1.0) < 0.004 * times
    assert abs(fit.values["pitch"] - TRUE["pitch"]) < math.radians(0.2) * times
    assert abs(fit.values["roll"] - TRUE["roll"]) < math.radians(0.1) * times
    assert fit.residual == pytest.approx(times * NOISE, rel=0.25)


def test_a_worse_camera_makes_less_sure() -> None:
    good, bad = fitted(1.0), problem(6.0 * NOISE, 0).solve()
    assert bad.deviations["distance"] > 2.0 * good.deviations["distance"]


def test_the_cubes_own_edge_tells_how_large_its_markers_are() -> None:
    fit = problem(0.3 * NOISE, 5).solve()
    for side, drawn in MARKERS.items():
        found = fit.markers[side]
        assert found.scale == pytest.approx(drawn.scale, abs=0.003)
        assert (found.right, found.up) == pytest.approx((drawn.right, drawn.up), abs=1e-4)
        assert found.turn == pytest.approx(drawn.turn, abs=0.003)


def test_a_cube_that_was_moved_looks_like_a_robot_that_slipped() -> None:
    assert fitted(1.0).slip < 4.0
    assert problem(NOISE, 0, moved_after=18).solve().slip > 10.0


# -- the head's zero


def feelings(zero: float, slope: float, noise: float, seed: int = 0) -> list[Feeling]:
    random = np.random.default_rng(seed)
    felt = []
    for is_turned in (False, True):
        for head in (-0.4, -0.15, 0.15, 0.45, 0.75):
            angle = head + zero + (-slope if is_turned else slope)
            ahead = 9.81 * math.sin(angle) + 0.82 + random.normal(0.0, noise)
            up = 9.81 * math.cos(angle) - 0.4 + random.normal(0.0, noise)
            felt.append(Feeling(head, is_turned, ahead, up))
    return felt


def test_the_heads_zero_is_found_beside_the_sensors_zeros_and_the_floors_slope() -> None:
    zero, deviation = head_zero_of(feelings(math.radians(0.8), math.radians(2.5), 0.0))
    assert zero == pytest.approx(math.radians(0.8), abs=1e-6)
    assert deviation < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_the_heads_zero_is_as_sure_as_is_said(seed: int) -> None:
    zero, deviation = head_zero_of(feelings(-0.01, 0.03, 0.012, seed))
    assert abs(zero + 0.01) < 3.5 * deviation
    assert deviation < math.radians(0.3)


def test_a_head_that_was_felt_at_two_angles_tells_nothing() -> None:
    few = [one for one in feelings(0.0, 0.0, 0.0) if one.head in (-0.4, 0.75)]
    with pytest.raises(ValueError, match="too few"):
        head_zero_of(few)
