"""Driving by the keyboard: what keys mean, and the command in a terminal of its own."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from std_msgs.msg import Float64

from cozmo_driver.bringup.drive import HOLD, Keys, key_by_key, split
from cozmo_driver.robot import MAX_WHEEL_SPEED, MAX_YAW_RATE

from ..waiting import TIMEOUT, wait_until
from .conftest import World
from .graph import Inbox

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


def test_the_keys_start_with_the_speeds_that_are_chosen() -> None:
    keys = Keys(0.1, 2.0)
    for key in "wa":
        keys.press(key, 0.0)
    assert (keys.velocity("linear", 0.1), keys.velocity("angular", 0.1)) == (0.1, 2.0)


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


def test_arrows_and_letters_come_one_by_one() -> None:
    assert split("w\x1b[A\x1b[Dg \x1b") == ["w", "w", "a", "g", " ", "\x1b"]


def test_without_a_terminal_there_are_no_keys(tmp_path: os.PathLike[str]) -> None:
    with (
        open(os.path.join(tmp_path, "file"), "w+") as stream,
        pytest.raises(OSError, match="no terminal"),
        key_by_key(stream),
    ):
        raise AssertionError("a file is no terminal")


def hold(terminal: int, key: bytes, inbox: Inbox[Any]) -> Any:
    """Press a key again and again, as a terminal does for a held one, until a command comes."""

    def press() -> bool:
        os.write(terminal, key)
        return bool(inbox.messages)

    wait_until(press, "no command came")
    return inbox.messages[0]


@pytest.mark.covers("cmd_head_velocity")
def test_keys_in_a_terminal_drive_the_robot(world: World) -> None:
    graph = world.graph
    twists, heads = graph.listen(Twist, "cmd_vel"), graph.listen(Float64, "cmd_head_velocity")
    program = shutil.which("drive")
    assert program
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [program, "--keys", "--namespace", graph.namespace],
        stdin=theirs,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(theirs)
        try:
            assert process.stdout is not None
            while "Hold a key" not in process.stdout.readline():
                pass
            ahead = hold(ours, b"\x1b[A", twists)
            assert ahead.linear.x > 0.05
            assert ahead.angular.z == 0.0
            assert hold(ours, b"r", heads).data > 0.5
            # Nobody holds the keys: both end by themselves.
            twists.wait_for_latest(lambda twist: twist.linear.x == 0.0)
            heads.wait_for(lambda velocity: velocity.data == 0.0)
            os.write(ours, b"x")
            assert process.wait(TIMEOUT) == 0
            assert "moved 0." in process.stdout.read()
        finally:
            process.kill()
            os.close(ours)
