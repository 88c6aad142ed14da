"""The bad link."""

from __future__ import annotations

import pytest

from cozmo_driver.emulator import Impairment, ImpairmentOptions

_COUNT = 4000


def fates(
    seed: int = 1, direction: str = "uplink", **options: float
) -> list[list[tuple[float, bytes]]]:
    link = Impairment(ImpairmentOptions(**options), seed, direction)
    return [link.pass_through(b"%d" % n, n * 0.01) for n in range(_COUNT)]


def test_a_good_link_delivers_each_datagram_once_and_at_once() -> None:
    assert fates() == [[(n * 0.01, b"%d" % n)] for n in range(_COUNT)]


def test_the_same_seed_gives_the_same_fates() -> None:
    bad = {"loss": 0.2, "duplicate": 0.1, "reorder": 0.1, "latency": 0.005}
    assert fates(3, **bad) == fates(3, **bad)
    assert fates(3, **bad) != fates(4, **bad)
    assert fates(3, "uplink", **bad) != fates(3, "downlink", **bad)


def test_the_shares_are_as_asked_for() -> None:
    got = fates(loss=0.2, duplicate=0.1)
    lost = sum(not fate for fate in got) / _COUNT
    doubled = sum(len(fate) == 2 for fate in got) / _COUNT
    assert lost == pytest.approx(0.2, abs=0.03)
    assert doubled == pytest.approx(0.1 * 0.8, abs=0.03)


def test_latency_alone_keeps_the_order_and_reordering_lets_others_overtake() -> None:
    got = fates(latency=0.05)
    assert all(fate[0][0] == pytest.approx(n * 0.01 + 0.05) for n, fate in enumerate(got))
    arrivals = sorted((fate[0], n) for n, fate in enumerate(fates(reorder=0.1)))
    order = [n for _, n in arrivals]
    assert order != sorted(order)
    assert sorted(order) == list(range(_COUNT))
