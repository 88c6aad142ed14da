from __future__ import annotations

from cozmo_driver.robot.command_watchdog import CommandWatchdog


def test_it_expires_once_when_the_time_after_the_last_command_is_up() -> None:
    watchdog = CommandWatchdog(0.5)
    watchdog.command(True, 10.0)
    assert watchdog.due == 10.5
    assert not watchdog.expire(10.49)
    assert watchdog.expire(10.5)
    assert not watchdog.expire(11.0)
    assert watchdog.due is None


def test_every_command_gives_the_whole_time_again() -> None:
    watchdog = CommandWatchdog(0.5)
    for step in range(100):
        now = 0.1 * step
        assert not watchdog.expire(now)
        watchdog.command(True, now)
    assert watchdog.is_armed
    assert watchdog.expire(9.9 + 0.5)


def test_a_stop_needs_no_watching() -> None:
    watchdog = CommandWatchdog(0.5)
    watchdog.command(True, 1.0)
    watchdog.command(False, 1.1)
    assert not watchdog.is_armed
    assert watchdog.due is None
    assert not watchdog.expire(99.0)


def test_a_changed_timeout_holds_for_the_command_under_way() -> None:
    watchdog = CommandWatchdog(0.5)
    watchdog.command(True, 1.0)
    watchdog.timeout = 0.2
    assert watchdog.expire(1.2)
