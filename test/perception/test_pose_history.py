"""Where the robot was when an image was taken, and which images are dropped (spec 15 §1, §9)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.perception.world.pose_history import (
    SETTLING,
    Drop,
    ImageGate,
    PoseHistory,
    StampedState,
)
from cozmo_driver.robot import CameraOptions, Image
from cozmo_driver.robot.camera.camera import WARM_UP_IMAGES

from ..robot.virtual import in_virtual_time

angles = st.floats(-math.pi, math.pi)
moments = st.builds(
    StampedState,
    stamp=st.just(0.0),
    x=st.floats(-5, 5),
    y=st.floats(-5, 5),
    yaw=angles,
    head=st.floats(-0.4, 0.7),
)


def history(*moments: StampedState) -> PoseHistory:
    kept = PoseHistory()
    for moment in moments:
        kept.add(moment)
    return kept


@given(moments, moments, st.floats(0.001, 0.999))
def test_between_two_states_the_robot_is_on_the_way_from_one_to_the_other(
    before: StampedState, after: StampedState, share: float
) -> None:
    found = history(before, replace(after, stamp=1.0)).at(share)
    assert isinstance(found, StampedState)
    for name in ("x", "y", "head"):
        a, b = getattr(before, name), getattr(after, name)
        assert getattr(found, name) == pytest.approx(a + share * (b - a), abs=1e-9)
    whole = math.remainder(after.yaw - before.yaw, 2 * math.pi)
    turned = math.remainder(found.yaw - before.yaw, 2 * math.pi)
    assert abs(whole) <= math.pi
    assert math.remainder(turned - share * whole, 2 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_flags_are_those_of_the_nearer_state() -> None:
    kept = history(StampedState(0.0, is_moving=True), StampedState(1.0, is_moving=False))
    assert [kept.at(stamp).is_moving for stamp in (0.4, 0.6)] == [True, False]


def test_beyond_the_states_and_across_origins_there_is_no_place() -> None:
    kept = history(*(StampedState(0.03 * number) for number in range(200)))
    assert kept.at(5.98) is Drop.EARLY
    assert kept.at(2.9) is Drop.STALE
    assert isinstance(kept.at(3.0), StampedState)
    kept.add(StampedState(6.0, origin=1))
    assert kept.at(5.98) is Drop.ORIGIN
    assert kept.at(5.5) is Drop.ORIGIN
    assert isinstance(kept.at(6.0), StampedState)
    assert PoseHistory().at(0.0) is Drop.EARLY


def test_what_is_not_newer_is_ignored_and_a_recording_may_begin_again() -> None:
    kept = history(StampedState(10.0, x=1.0), StampedState(10.0, x=2.0), StampedState(9.6, x=3.0))
    assert kept.last == StampedState(10.0, x=1.0)
    assert not kept.add(StampedState(math.nan))
    assert kept.add(StampedState(1.0))
    assert (kept.last, kept.restarts) == (StampedState(1.0), 1)
    assert kept.at(10.0) is Drop.EARLY


def test_pictures_are_placed_again_at_once_where_the_clock_was_set_back_by_little() -> None:
    states = history(*(StampedState(8.0 + 0.05 * number) for number in range(40)))
    tested = ImageGate(states, 0.0)
    assert isinstance(tested.admit(9.9), StampedState)
    states.add(StampedState(8.7))
    # One that was on its way has still the old time.
    assert tested.admit(9.95) is Drop.EARLY
    states.add(StampedState(8.8))
    assert isinstance(tested.admit(8.75), StampedState)


def gate(*moments: StampedState, settling: float = 0.0) -> ImageGate:
    return ImageGate(history(*moments), settling)


TURN, NOD = math.radians(40.0), math.radians(15.0)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {}, None),
        ({"yaw_rate": TURN / 2}, {"yaw_rate": -TURN / 2}, None),
        ({"yaw_rate": TURN}, {}, Drop.TURNING),
        ({}, {"yaw_rate": -TURN}, Drop.TURNING),
        ({}, {"yaw_rate": None}, Drop.TURNING),
        ({}, {"yaw_rate": math.nan}, Drop.TURNING),
        ({"head_rate": NOD}, {}, Drop.HEAD_MOVING),
        ({}, {"head_rate": None}, Drop.HEAD_MOVING),
    ],
)
def test_pictures_of_a_robot_that_turns_too_fast_are_dropped(
    before: dict[str, float], after: dict[str, float], expected: Drop | None
) -> None:
    tested = gate(StampedState(0.0, **before), StampedState(0.1, **after))
    found = tested.admit(0.05)
    assert isinstance(found, StampedState) if expected is None else found is expected
    assert tested.drops == (Counter() if expected is None else Counter({expected: 1}))


def test_a_stream_settles_at_its_start_and_after_a_gap() -> None:
    states = history(*(StampedState(0.05 * number) for number in range(120)))
    tested = ImageGate(states, 0.3)
    taken = [3.1 + 0.1 * number for number in range(6)]
    passed = [round(s, 1) for s in taken if isinstance(tested.admit(s), StampedState)]
    assert passed == [3.4, 3.5, 3.6]
    for number in range(120, 200):
        states.add(StampedState(0.05 * number))
    taken = [7.3 + 0.1 * number for number in range(5)]
    passed = [round(s, 1) for s in taken if isinstance(tested.admit(s), StampedState)]
    assert passed == [7.6, 7.7]
    assert tested.drops == Counter({Drop.SETTLING: 6})


@pytest.mark.parametrize("stall", [0.6, 2.0])
@in_virtual_time(camera=CameraOptions(enabled=True))
async def test_a_stalled_wi_fi_blinds_no_longer_than_the_camera_s_own_warm_up(world, stall) -> None:
    states, placed, pictures = PoseHistory(), [], []
    tested = ImageGate(states)

    def look(image: Image) -> None:
        states.add(StampedState(image.time))
        pictures.append(image.time)
        if isinstance(tested.admit(image.time), StampedState):
            placed.append(image.time)

    world.robot.on_image.connect(look)
    await world.until(lambda: placed)
    assert placed[0] - pictures[0] >= SETTLING
    world.wire.is_cut = True
    await world.pass_time(stall)
    world.wire.is_cut = False
    stalled_until = world.loop.time()
    await world.until(lambda: pictures[-1] > stalled_until)
    again = pictures[-1]
    await world.until(lambda: placed[-1] > stalled_until)
    assert again - stalled_until < WARM_UP_IMAGES / 15 + 0.3
    assert placed[-1] == again


def test_pictures_out_of_order_are_dropped_and_a_clock_that_jumped_back_is_followed() -> None:
    states = history(*(StampedState(10.0 + 0.1 * number) for number in range(11)))
    tested = ImageGate(states, 0.0)
    assert isinstance(tested.admit(10.5), StampedState)
    assert tested.admit(10.5) is Drop.ORDER
    assert tested.admit(10.4) is Drop.ORDER
    assert tested.admit(20.0) is Drop.EARLY
    states.add(StampedState(1.0))
    states.add(StampedState(1.1))
    assert isinstance(tested.admit(1.05), StampedState)
