"""A bad link: loss, duplication, reordering and latency, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .options import ImpairmentOptions


@dataclass(slots=True)
class ImpairmentCounts:
    """What happened to the datagrams of one direction."""

    passed: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0


class Impairment:
    """One direction of the link, sans-I/O.

    What happens to the n-th datagram depends on the seed and on n only.
    """

    def __init__(self, options: ImpairmentOptions, seed: int, direction: str) -> None:
        """Start the random numbers of ``direction``."""
        self.options = options
        self.counts = ImpairmentCounts()
        self._random = Random(f"{seed} {direction}")

    def pass_through(self, datagram: bytes, now: float) -> list[tuple[float, bytes]]:
        """Return when the datagram and its copies arrive: ``(time, datagram)``, none if lost."""
        options, counts = self.options, self.counts
        # Five numbers for each datagram, used or not, so that its fate does not depend on others'.
        lose, copy, swap, hold, copy_hold = (self._random.random() for _ in range(5))
        if lose < options.loss:
            counts.lost += 1
            return []
        arrival = now + options.latency
        counts.passed += 1
        arrivals = [(arrival, datagram)]
        if swap < options.reorder:
            counts.reordered += 1
            arrivals = [(arrival + hold * options.hold, datagram)]
        if copy < options.duplicate:
            counts.duplicated += 1
            arrivals.append((arrival + copy_hold * options.hold, datagram))
        return arrivals
