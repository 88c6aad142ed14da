"""What a container plays next (spec 05 §5). Its memory is one for the whole robot."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from .hierarchy import EVEN_WEIGHT, Item, RandomSequence, Switch

LONGEST_TURN = 64
"""Items of a container that plays all of them, one after the other."""


@dataclass(slots=True)
class _Memory:
    position: int = 0
    """Of a sequence: the next item."""
    recent: deque[int] = field(default_factory=deque)
    """Of a random container: the last items, the newest at the end."""
    played: set[int] = field(default_factory=set)
    """Of a shuffled one: items of this round."""


class Containers:
    """The state of all containers and switches."""

    def __init__(self) -> None:
        """Start with nothing played and every switch at its default."""
        self._memories: dict[int, _Memory] = {}
        self._switches: dict[int, int] = {}

    def set_switch(self, group: int, value: int) -> None:
        """Set the value of a switch or state group; both are hashes of names."""
        self._switches[group] = value

    def switched(self, container: Switch) -> tuple[int, ...]:
        """Return the nodes that play at the present value of the switch."""
        value = self._switches.get(container.group, container.default)
        return container.choices.get(value, container.choices.get(container.default, ()))

    def next_items(self, container: RandomSequence, rng: random.Random) -> list[int]:
        """Return the node to play now; of a continuous container all, in their order."""
        items = container.items
        if not items:
            return []
        turns = min(len(items), LONGEST_TURN) if container.is_continuous else 1
        return [items[self._next(container, rng)].node for _ in range(turns)]

    # -- inside

    def _next(self, container: RandomSequence, rng: random.Random) -> int:
        count = len(container.items)
        if count == 1:
            return 0
        memory = self._memories.setdefault(container.id, _Memory())
        if container.is_sequence:
            chosen = memory.position % count
            memory.position = chosen + 1
            return chosen
        chosen = _draw(container.items, _eligible(container, memory), rng)
        if container.is_shuffle:
            memory.played.add(chosen)
        memory.recent.append(chosen)
        while len(memory.recent) > _kept(container):
            memory.recent.popleft()
        return chosen


def _kept(container: RandomSequence) -> int:
    """Return how many of the last items are not played again."""
    return min(container.avoid_repeat, len(container.items) - 1)


def _eligible(container: RandomSequence, memory: _Memory) -> list[int]:
    every = set(range(len(container.items)))
    others = every.difference(memory.recent)
    if container.is_shuffle:
        if fresh := others - memory.played:
            return sorted(fresh)
        memory.played.clear()
    return sorted(others)


def _draw(items: Sequence[Item], eligible: Sequence[int], rng: random.Random) -> int:
    weights = [max(0, items[one].weight) for one in eligible]
    is_weighted = any(item.weight != EVEN_WEIGHT for item in items)
    if is_weighted and any(weights):
        return rng.choices(eligible, weights)[0]
    return eligible[rng.randrange(len(eligible))]
