from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.robot import OffTreads, RobotState, Vector3
from cozmo_driver.robot.handling import OffTreadsClassifier

from .states import state

PERIOD = 30
LIFTED = int(Flag.IS_PICKED_UP)
FALLING = int(Flag.IS_FALLING)


def posed(
    pitch: float = 0.0, sideways: float = 0.0, flags: int = LIFTED, **more: Any
) -> RobotState:
    """Return a state with the nose up by ``pitch`` rad and an acceleration to the left in m/s^2."""
    return state(pitch=-pitch, acceleration=Vector3(0.0, sideways, 9.0), flags=flags, **more)


FLAT = posed(flags=0)
HELD = posed()
# As measured on real robots (spec 10 §1, §1.1).
RIGHT = posed(sideways=8.302)
LEFT = posed(sideways=-8.838)
BACK = posed(math.radians(76.0))
FACE = posed(math.radians(-86.0))
STEEP = posed(math.radians(50.0))


class Watch:
    """A classifier that is shown states every 30 ms; remembers when the posture changed."""

    def __init__(self) -> None:
        self.classifier = OffTreadsClassifier()
        self.now = 0
        self.changes: list[tuple[int, OffTreads]] = []

    def see(self, shown: RobotState, seconds: float, *, is_calibrated: bool = True) -> Watch:
        """Show the state for a time; ``changes`` has the changes and ms since its first showing."""
        begin, self.changes = self.now, []
        for _ in range(round(seconds * 1000 / PERIOD)):
            before = self.classifier.posture
            after = self.update(shown, is_calibrated)
            if after is not before:
                self.changes.append((self.now - begin, after))
            self.now += PERIOD
        return self

    def update(self, shown: RobotState, is_calibrated: bool = True) -> OffTreads:
        at = dataclasses.replace(shown, robot_time=self.now / 1000.0)
        return self.classifier.update(at, is_head_calibrated=is_calibrated)

    @property
    def posture(self) -> OffTreads:
        return self.classifier.posture


def first_not_before(milliseconds: int) -> int:
    """The first state at or after a time since the first one."""
    return math.ceil(milliseconds / PERIOD) * PERIOD


@pytest.mark.parametrize(
    ("shown", "posture", "after"),
    [
        (HELD, OffTreads.IN_AIR, 0),
        (RIGHT, OffTreads.ON_RIGHT_SIDE, 250),
        (LEFT, OffTreads.ON_LEFT_SIDE, 250),
        (FACE, OffTreads.ON_FACE, 250),
        (posed(math.radians(115.0)), OffTreads.ON_FACE, 250),
        (BACK, OffTreads.ON_BACK, 1000),
        (posed(math.radians(89.0)), OffTreads.ON_BACK, 1000),
        (posed(flags=LIFTED | FALLING), OffTreads.FALLING, 0),
    ],
)
def test_each_posture_counts_after_its_time(
    shown: RobotState, posture: OffTreads, after: int
) -> None:
    watch = Watch().see(shown, 3.0)
    assert watch.changes == [(first_not_before(after), posture)]


@pytest.mark.parametrize(
    "shown",
    [
        FLAT,
        posed(math.radians(-79.0), flags=0),
        posed(math.radians(59.0), flags=0),
        posed(math.radians(100.0), flags=0),
        posed(sideways=6.7, flags=0),
        posed(sideways=-12.9, flags=0),
    ],
)
def test_everything_else_is_standing_on_the_treads(shown: RobotState) -> None:
    assert Watch().see(shown, 3.0).changes == []


def test_what_shakes_a_robot_that_drives_does_not_lay_it_on_its_side() -> None:
    driving = int(Flag.ARE_WHEELS_MOVING)
    watch = Watch().see(posed(sideways=8.3, flags=driving), 1.0)
    assert not watch.changes
    [(_, side)] = watch.see(posed(sideways=8.3, flags=driving | LIFTED), 2.0).changes[-1:]
    assert side is OffTreads.ON_RIGHT_SIDE
    [(_, other)] = Watch().see(posed(sideways=-8.8, flags=0), 1.0).changes
    assert other is OffTreads.ON_LEFT_SIDE


def test_a_robot_that_falls_without_feeling_lifted_stays_where_it_is() -> None:
    # Rule 6 of spec 10 §6 takes back what rule 1 has proposed.
    assert Watch().see(posed(flags=FALLING), 3.0).changes == []


@pytest.mark.parametrize(
    ("lying", "posture"),
    [
        (RIGHT, OffTreads.ON_RIGHT_SIDE),
        (LEFT, OffTreads.ON_LEFT_SIDE),
        (BACK, OffTreads.ON_BACK),
        (FACE, OffTreads.ON_FACE),
        (HELD, OffTreads.IN_AIR),
    ],
)
def test_putting_down_counts_at_once(lying: RobotState, posture: OffTreads) -> None:
    watch = Watch().see(lying, 3.0)
    assert watch.posture is posture
    # The filter of the sideways acceleration needs its time to forget a side.
    forgets = {OffTreads.ON_RIGHT_SIDE: 90, OffTreads.ON_LEFT_SIDE: 90}.get(posture, 0)
    [(after, now)] = watch.see(FLAT, 3.0).changes
    assert now is OffTreads.ON_TREADS
    assert after <= forgets + PERIOD


@pytest.mark.parametrize("lying", [RIGHT, BACK, FACE])
def test_turned_upright_in_the_hand_it_is_in_the_air_a_moment_later(lying: RobotState) -> None:
    watch = Watch().see(lying, 3.0).see(HELD, 3.0)
    [(after, now)] = watch.changes
    assert now is OffTreads.IN_AIR
    assert first_not_before(250) <= after <= first_not_before(250) + 4 * PERIOD


def test_from_the_back_a_steep_hold_is_still_the_back() -> None:
    # Only a level robot leaves a posture off its treads (rule 5a).
    assert Watch().see(BACK, 3.0).see(STEEP, 3.0).changes == []


def test_a_side_that_turns_into_the_other_side_keeps_the_first() -> None:
    # Rule 2 keeps a side, whichever; the filter is seeded anew so that it skips the way between.
    watch = Watch().see(LEFT, 1.0)
    watch.classifier.reset()
    assert watch.see(RIGHT, 3.0).posture is OffTreads.ON_LEFT_SIDE


def test_nothing_counts_before_the_head_is_calibrated() -> None:
    watch = Watch().see(BACK, 3.0, is_calibrated=False)
    assert watch.posture is OffTreads.ON_TREADS
    assert watch.see(BACK, 3.0).changes == [(first_not_before(1000), OffTreads.ON_BACK)]


def test_the_posture_is_held_while_the_head_is_calibrated_again() -> None:
    watch = Watch().see(HELD, 1.0).see(FLAT, 1.0, is_calibrated=False)
    assert watch.posture is OffTreads.IN_AIR


def test_a_new_session_keeps_the_posture_although_the_robots_clock_restarts() -> None:
    watch = Watch().see(BACK, 3.0)
    watch.classifier.reset()
    watch.now = 0
    assert watch.see(BACK, 1.0).posture is OffTreads.ON_BACK
    assert watch.see(FACE, 1.0).changes == [(first_not_before(250), OffTreads.ON_FACE)]


states = st.builds(
    posed,
    st.floats(-math.pi, math.pi) | st.just(math.nan),
    st.floats(-20, 20) | st.just(math.nan),
    st.sampled_from([0, LIFTED, FALLING, LIFTED | FALLING]),
)


@given(st.lists(st.tuples(states, st.integers(1, 60)), max_size=20))
def test_whatever_happened_a_robot_put_down_is_on_its_treads(
    life: Iterable[tuple[RobotState, int]],
) -> None:
    watch = Watch()
    for shown, count in life:
        watch.see(shown, count * PERIOD / 1000)
    watch.see(FLAT, 1.0)
    assert watch.posture is OffTreads.ON_TREADS
