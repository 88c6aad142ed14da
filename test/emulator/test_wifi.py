"""The Wi-Fi between computer and robot."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest

from cozmo_driver.emulator.wifi import WIFI, Wifi, WifiOptions

HOME = WIFI["home"]
STEADY = replace(HOME, address_changes=0.0)
_PERIOD = 0.03
_DAY = 86_400.0


def carried(
    options: WifiOptions, seconds: float = 3600.0, seed: int = 1
) -> list[tuple[float, float | None, float | None]]:
    """Return when datagrams were sent each way, every 30 ms, and when they arrived."""
    wifi = Wifi(options, seed, 100.0)
    times = [100.0 + n * _PERIOD for n in range(int(seconds / _PERIOD))]
    return [(t, wifi.to_robot(t, True), wifi.to_engine(t)) for t in times]


def gaps(options: WifiOptions, seconds: float = 900.0) -> list[float]:
    """Return the pauses of more than 0.15 s in what arrives at the computer, s."""
    arrivals = sorted(down for _, _, down in carried(options, seconds) if down is not None)
    pauses = (b - a for a, b in pairwise(arrivals))
    return [pause for pause in pauses if pause > 0.15]


def test_the_same_seed_gives_the_same_wifi() -> None:
    assert carried(HOME, 120.0) == carried(HOME, 120.0)
    assert carried(HOME, 120.0) != carried(HOME, 120.0, seed=2)


def test_two_stalls_a_minute_of_up_to_two_seconds_interrupt_a_home() -> None:
    pauses = gaps(replace(STEADY, bursts=0.0))
    assert len(pauses) == pytest.approx(30, rel=0.4)
    assert 1.5 < max(pauses) < 2.0 + 0.1
    assert gaps(replace(STEADY, bursts=0.0, stalls=0.0)) == []


def test_a_stall_holds_both_ways_and_ends_in_a_burst_that_lacks_a_fifth() -> None:
    sent = carried(replace(STEADY, bursts=0.0, loss=0.0, reorder=0.0, jitter=0.0))
    late = [t for t, up, _ in sent if up is not None and up - t > 0.1]
    assert {t for t, _, down in sent if down is not None and down - t > 0.1} & set(late)
    ends = {round(up, 1) for t, up, _ in sent if up is not None and up - t > 0.1}
    # What was held arrives within a few ms, however long it was held.
    assert len(ends) < len(late) / 4
    lost = [up is None for t, up, _ in sent if up is None or up - t > 0.05]
    assert fmean(lost) == pytest.approx(0.2, abs=0.04)


def test_datagrams_keep_their_order_but_for_a_few() -> None:
    arrivals = [up for _, up, _ in carried(STEADY, 600.0) if up is not None]
    overtaken = sum(b < a for a, b in pairwise(arrivals))
    assert overtaken <= 0.002 * len(arrivals)
    in_order = [up for _, up, _ in carried(replace(STEADY, reorder=0.0), 600.0) if up is not None]
    assert in_order == sorted(in_order)


def test_bursts_lose_most_of_a_short_time() -> None:
    only_bursts = WifiOptions(bursts=10.0, burst_loss=0.6)
    lost = [t for t, up, _ in carried(only_bursts) if up is None]
    assert len(lost) * _PERIOD / 0.6 == pytest.approx(600 * 0.117, rel=0.2)
    assert fmean(b - a < 0.3 for a, b in pairwise(lost)) > 0.5


def test_the_address_changes_once_a_day_and_the_robot_answers_the_old_one() -> None:
    wifi = Wifi(WifiOptions(address_changes=1.0), 3, 0.0)
    for day in range(3):
        times = [day * _DAY + n * 10.0 for n in range(8640)]
        reached = [wifi.to_robot(t, True) is not None for t in times]
        first = reached.index(False)
        assert reached == [True] * first + [False] * (8640 - first)
        assert wifi.to_engine(times[-1]) is None
        # Once the robot has given up it takes the new address.
        assert wifi.to_robot(times[-1], False) is not None
        assert wifi.to_engine(times[-1]) is not None
