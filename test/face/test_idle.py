"""Idle life: darts, blinks, glances, all by chance of a given seed (spec 04 §7)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.face.gaze import IdleMotion, IdleOptions
from cozmo_driver.face.parameters import Face

from ..protocol.strategies import REPEATABLE

TICK = 1.0 / 30.0
ALL = IdleOptions()
CALM = IdleOptions(blinks=False, saccades=False, glances=False)


def life(seed: int = 1, options: IdleOptions = ALL, now: float = 0.0) -> IdleMotion:
    return IdleMotion(Random(seed), options, now)


def watch(
    idle: IdleMotion, duration: float, tick: float = TICK, start: float = 0.0
) -> Iterator[tuple[float, Face]]:
    for count in itertools.count(1):
        if count * tick > duration:
            return
        now = start + count * tick
        idle.update(now)
        yield now, idle.apply(Face())


def closings(idle: IdleMotion, duration: float, start: float = 0.0) -> list[float]:
    """Return when the eyes close."""
    found, was_closed = [], False
    for now, face in watch(idle, duration, start=start):
        is_closed = face.left_eye.scale_y < 0.15
        if is_closed and not was_closed:
            found.append(now)
        was_closed = is_closed
    return found


def test_blinks_follow_one_another_after_three_to_four_seconds() -> None:
    times = closings(life(), 120.0)
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(pauses) > 25
    assert all(3.2 <= pause <= 4.5 for pause in pauses)
    assert len({round(pause, 1) for pause in pauses}) > 3


@pytest.mark.parametrize(
    "options",
    [
        IdleOptions(blinks=False),
        IdleOptions(rate=0.1),
        IdleOptions(rate=0.01),
    ],
)
def test_never_do_30_seconds_pass_without_a_blink(options: IdleOptions) -> None:
    times = [0.0, *closings(life(options=options), 200.0)]
    assert all(later - earlier < 30.0 for earlier, later in itertools.pairwise(times))
    assert times[-1] > 170.0


def test_the_eyes_dart_within_5_px_and_pause_between() -> None:
    options = IdleOptions(blinks=False)
    faces = [face for _, face in watch(life(options=options), 25.0)]
    places = [(face.center_x, face.center_y) for face in faces]
    assert max(math.hypot(*place) for place in places) <= 5.0 + 1e-9
    assert max(x for x, _ in places) > 3.0
    assert min(x for x, _ in places) < -3.0
    assert max(y for _, y in places) > 2.0
    still = sum(a == b for a, b in itertools.pairwise(places))
    assert still > 0.5 * len(places)


def test_a_dart_takes_several_pictures() -> None:
    xs = [face.center_x for _, face in watch(life(options=IdleOptions(blinks=False)), 25.0, 0.01)]
    steps = [abs(b - a) for a, b in itertools.pairwise(xs)]
    assert 0.0 < max(steps) < 2.5


def test_the_same_seed_is_the_same_life_and_another_seed_another_one() -> None:
    faces = [[face for _, face in watch(life(seed), 20.0)] for seed in (3, 3, 4)]
    assert faces[0] == faces[1] != faces[2]


@settings(REPEATABLE, max_examples=20)
@given(st.floats(0.03, 2.0), st.integers(0, 1000))
def test_it_does_not_matter_how_often_the_face_is_looked_at(tick: float, seed: int) -> None:
    often, seldom = life(seed), life(seed)
    for _ in watch(often, 20.0, 0.02):
        pass
    for _ in watch(seldom, 20.0, tick):
        pass
    for idle in (often, seldom):
        idle.update(20.5)
    assert often.apply(Face()) == seldom.apply(Face())


def test_a_higher_rate_means_more_blinks() -> None:
    fast, slow = (closings(life(options=IdleOptions(rate=r)), 60.0) for r in (2.0, 0.5))
    assert len(fast) > 2 * len(slow) > 4


def turned(yaw_rate: float, duration: float) -> float:
    """Return how far to the right the eyes look after a while of turning."""
    idle = life(options=IdleOptions(blinks=False, saccades=False))
    for count in range(1, round(duration / TICK) + 1):
        idle.update(count * TICK, yaw_rate)
    return idle.apply(Face()).center_x


def test_eyes_lead_to_the_robots_left_which_is_the_right_of_the_picture() -> None:
    assert turned(2.0, 1.0) == pytest.approx(10.0, abs=0.3)
    assert turned(-1.0, 1.0) == pytest.approx(-5.0, abs=0.3)
    assert turned(9.0, 1.0) == pytest.approx(10.0, abs=0.3)
    assert 3.0 < turned(2.0, 0.1) < 8.0


def test_the_eyes_come_back_when_the_turn_is_over() -> None:
    idle = life(options=IdleOptions(blinks=False, saccades=False))
    for count in range(60):
        idle.update(count * TICK, 2.0 if count < 30 else 0.0)
    assert idle.apply(Face()) == Face()


def test_slow_turns_and_unwished_glances_do_not_move_the_eyes() -> None:
    assert turned(0.1, 1.0) == 0.0
    idle = life(options=CALM)
    idle.update(1.0, 3.0)
    assert idle.apply(Face()) == Face()


@pytest.mark.parametrize("now", [1e6, -5.0])
def test_after_a_long_pause_life_begins_anew(now: float) -> None:
    idle = life()
    idle.update(3.0)
    idle.update(now)
    assert idle.apply(Face()).center_x == 0.0
    assert len(closings(idle, 4.5, now)) == 1
