from __future__ import annotations

from cozmo_driver.robot.cubes.senses import Tap, TapFilter

A, B = 0xA, 0xB


def tap(cube, time, intensity=97, delay=0.03):
    return Tap(cube, time, time + delay, intensity)


def taken(taps, now=100.0):
    tap_filter = TapFilter()
    for candidate in taps:
        tap_filter.add(candidate)
    found = []
    while (one := tap_filter.pop(now)) is not None:
        found.append(one[0])
    return found


def test_a_tap_is_given_after_75_ms_and_not_before():
    tap_filter = TapFilter()
    tap_filter.add(tap(A, 1.0, delay=0.0))
    assert tap_filter.pop(1.074) is None
    assert tap_filter.pop(1.0751) == (tap(A, 1.0, delay=0.0), [])
    assert tap_filter.pop(2.0) is None


def test_of_taps_felt_together_the_strongest_was_meant():
    assert taken([tap(A, 1.0, 80), tap(B, 1.05, 120)]) == [tap(B, 1.05, 120)]


def test_a_weaker_tap_beside_the_strongest_is_told_too_once_for_each_cube():
    tap_filter = TapFilter()
    for one in (tap(A, 1.02, 80), tap(B, 1.05, 120), tap(A, 1.0, 70), tap(B, 1.06, 90)):
        tap_filter.add(one)
    assert tap_filter.pop(100.0) == (tap(B, 1.05, 120), [tap(A, 1.0, 70)])
    assert tap_filter.pop(100.0) is None


def test_of_equally_strong_taps_the_earliest_was_meant():
    assert taken([tap(B, 1.02, 90), tap(A, 1.0, 90)]) == [tap(A, 1.0, 90)]


def test_taps_further_apart_are_two_even_if_they_arrive_together():
    late = [Tap(A, 1.0, 2.0, 90), Tap(A, 1.2, 2.0, 100)]
    assert taken(late) == late


def test_the_second_tap_within_half_a_second_is_double_and_the_third_is_not():
    tap_filter = TapFilter()
    taps = [tap(A, time) for time in (1.0, 1.4, 1.8, 2.4)]
    assert [tap_filter.is_double(each) for each in taps] == [False, True, False, False]


def test_taps_of_two_cubes_are_no_double_tap():
    tap_filter = TapFilter()
    assert not tap_filter.is_double(tap(A, 1.0))
    assert not tap_filter.is_double(tap(B, 1.3))
