"""A Wi-Fi between computer and robot: what it does to both directions at once; sans-I/O."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from .options import check_range

_DAY = 86_400.0
_SPACING = 0.0005
"""s between datagrams that were held back together."""


@dataclass(frozen=True, slots=True)
class WifiOptions:
    """How a Wi-Fi behaves; by default as a good one. Times in s, shares from 0 to 1."""

    latency: float = 0.002
    jitter: float = 0.0
    """Mean of what is added to that, exponentially distributed."""
    loss: float = 0.0
    """Share of single datagrams that are lost."""
    reorder: float = 0.0
    """Share of datagrams that those of the next 20 ms overtake."""
    stalls: float = 0.0
    """A minute, in which nothing gets through either way; what was sent comes all at once then."""
    stall: tuple[float, float] = (0.2, 2.0)
    """The shortest and the longest, s; the logarithm of the length is evenly distributed."""
    stall_loss: float = 0.0
    """Share of what was sent meanwhile that is lost."""
    bursts: float = 0.0
    """A minute, in which much is lost both ways."""
    burst: tuple[float, float] = (0.03, 0.3)
    """As of stalls, s."""
    burst_loss: float = 0.0
    address_changes: float = 0.0
    """A day: the computer gets another address. The robot takes what comes from it for another
    computer's, and sends to the old one in vain, until it has given that up."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for values that make no sense."""
        for name in ("loss", "reorder", "stall_loss", "burst_loss"):
            check_range(self, name, 0.0, 1.0)
        for name in ("latency", "jitter"):
            check_range(self, name, 0.0, 60.0, " s")
        for name in ("stalls", "bursts"):
            check_range(self, name, 0.0, 60.0)
        check_range(self, "address_changes", 0.0, 1440.0)


WIFI = {
    "home": WifiOptions(
        latency=0.002,
        jitter=0.003,
        loss=0.005,
        reorder=0.002,
        stalls=2.0,
        stall_loss=0.2,
        bursts=2.0,
        burst_loss=0.6,
        address_changes=1.0,
    )
}
"""Profiles by name. The figures of a home are assumptions: two stalls a minute are those of a
computer that looks for other networks twice a minute, or of a neighbour's; 2.6 % of the time."""
_OVERTAKEN = 0.020
"""s by which a datagram is held at most that others overtake."""


class Wifi:
    """The same seed and start give the same stalls, bursts and changes of address.

    What happens to a datagram in one of them depends on its number in its direction.
    """

    def __init__(self, options: WifiOptions, seed: int, start: float) -> None:
        """Be there from ``start`` on; times are seconds and never go back."""
        self._options, self._seed, self._start = options, seed, start
        self._stalls = _Episodes(f"{seed} stalls", options.stalls, options.stall, start)
        self._bursts = _Episodes(f"{seed} bursts", options.bursts, options.burst, start)
        self._up, self._down = (_Direction(options, f"{seed} {way}") for way in ("up", "down"))
        self._known_address = 0

    def to_robot(self, now: float, is_connected: bool) -> float | None:
        """Return when a datagram arrives that is sent now; None if it is lost.

        ``is_connected`` says whether the robot still has a connection.
        """
        address = self._address(now)
        if not is_connected:
            self._known_address = address
        is_stranger = address != self._known_address
        arrival = self._up.carry(now, self._stalls.end(now), self._bursts.end(now))
        return None if is_stranger else arrival

    def to_engine(self, now: float) -> float | None:
        """Return when a datagram arrives that the robot sends now; None if it is lost."""
        is_nobody_there = self._address(now) != self._known_address
        arrival = self._down.carry(now, self._stalls.end(now), self._bursts.end(now))
        return None if is_nobody_there else arrival

    def _address(self, now: float) -> int:
        """Return which address of the computer it is: one more at a random time of each period."""
        if not self._options.address_changes:
            return 0
        period, passed = divmod(now - self._start, _DAY / self._options.address_changes)
        due = Random(f"{self._seed} address {period:.0f}").random()
        return int(period) + (passed * self._options.address_changes / _DAY >= due)


class _Direction:
    def __init__(self, options: WifiOptions, name: str) -> None:
        self._options, self._random = options, Random(name)
        self._last = -math.inf

    def carry(self, now: float, stalled: float | None, burst: float | None) -> float | None:
        options, random = self._options, self._random.random
        # The same numbers for each datagram, used or not.
        lose, late, swap, hold = random(), random(), random(), random()
        loss = options.loss if burst is None else options.burst_loss
        if stalled is not None:
            loss = options.stall_loss
        if lose < loss:
            return None
        delay = options.latency - options.jitter * math.log(1.0 - late)
        arrival = max((now if stalled is None else stalled) + delay, self._last + _SPACING)
        if swap < options.reorder:
            return arrival + hold * _OVERTAKEN
        self._last = arrival
        return arrival


class _Episodes:
    """Stretches of time, so many a minute and of random lengths, one after the other."""

    def __init__(self, name: str, rate: float, length: tuple[float, float], start: float) -> None:
        self._random, self._rate, self._length = Random(name), rate, length
        self._begin = self._end = start
        self._next()

    def end(self, now: float) -> float | None:
        """Return when the episode ends that is on; None if none is."""
        while self._end <= now:
            self._next()
        return self._end if self._begin <= now else None

    def _next(self) -> None:
        if not self._rate:
            self._begin = self._end = math.inf
            return
        low, high = self._length
        length = low * (high / low) ** self._random.random()
        self._begin = self._end + self._random.expovariate(self._rate / 60.0)
        self._end = self._begin + length
