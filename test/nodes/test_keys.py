"""Driving by the keyboard: what keys mean, and the command in a terminal of its own."""

from __future__ import annotations

import os

import pytest

from cozmo_driver.bringup.drive import HOLD, Keys, key_by_key, split
from cozmo_driver.robot import MAX_WHEEL_SPEED, MAX_YAW_RATE

X_REPEAT_DELAY = 0.66
"""How long a held key waits before it is repeated, s: of X without a desktop; others wait less."""


def test_a_key_counts_for_a_while_and_only_for_what_it_means() -> None:
    keys = Keys()
    keys.press("w", 10.0)
    assert keys.velocity("linear", 10.0) == pytest.approx(0.08)
    assert keys.velocity("linear", 10.0 + X_REPEAT_DELAY) > 0.0
    assert keys.velocity("angular", 10.0) == 0.0
    assert keys.velocity("linear", 10.0 + 0.99 * HOLD) > 0.0
    assert keys.velocity("linear", 10.0 + HOLD) == 0.0
    keys.press("s", 20.0)
    keys.press("d", 20.1)
    assert keys.velocity("linear", 20.2) < 0.0
    assert keys.velocity("angular", 20.2) < 0.0
    keys.press(" ", 20.2)
    assert keys.velocity("linear", 20.2) == keys.velocity("angular", 20.2) == 0.0


def test_no_gear_asks_for_more_than_the_robot_can_do_or_for_nothing() -> None:
    keys = Keys()
    for key in "eq":
        for _ in range(50):
            keys.press(key, 0.0)
        keys.press("w", 0.0)
        keys.press("a", 0.0)
        assert 0.01 < keys.velocity("linear", 0.1) <= MAX_WHEEL_SPEED
        assert 0.1 < keys.velocity("angular", 0.1) <= MAX_YAW_RATE
    keys.press("r", 0.0)
    assert keys.velocity("head", 0.1) == pytest.approx(0.8)
    chosen = Keys(0.1)
    chosen.press("w", 0.0)
    assert chosen.velocity("linear", 0.1) == 0.1


def test_arrows_and_letters_come_one_by_one() -> None:
    assert split("w\x1b[A\x1b[Dg \x1b") == ["w", "w", "a", "g", " ", "\x1b"]


def test_without_a_terminal_there_are_no_keys(tmp_path: os.PathLike[str]) -> None:
    with (
        open(os.path.join(tmp_path, "file"), "w+") as stream,
        pytest.raises(OSError, match="no terminal"),
        key_by_key(stream),
    ):
        raise AssertionError("a file is no terminal")
