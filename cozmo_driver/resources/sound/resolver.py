"""From an event to the media that make its sound (spec 05 §5)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from . import objects

LONGEST_TURN = 64
"""Items of a container that plays all of them, one after the other."""


@dataclass(slots=True)
class _Memory:
    recent: deque[int]
    """Of a random container: the last items, the newest at the end."""
    position: int = 0
    """Of a sequence: the next item."""
    played: set[int] = field(default_factory=set)
    """Of a shuffled one: items of this round."""


class Containers:
    """What the containers have played; one memory for the whole robot."""

    def __init__(self) -> None:
        self._memories: dict[int, _Memory] = {}

    def next_items(self, container: objects.RandomSequence, rng: random.Random) -> list[int]:
        """Return the node to play now; of a continuous container all, in their order."""
        items = container.items
        if not items:
            return []
        turns = min(len(items), LONGEST_TURN) if container.is_continuous else 1
        return [items[self._next(container, rng)].node for _ in range(turns)]

    def _next(self, container: objects.RandomSequence, rng: random.Random) -> int:
        count = len(container.items)
        if count == 1:
            return 0
        recent = deque[int](maxlen=min(container.avoid_repeat, count - 1))
        memory = self._memories.setdefault(container.id, _Memory(recent))
        if container.is_sequence:
            chosen = memory.position % count
            memory.position = chosen + 1
            return chosen
        chosen = _draw(container.items, _eligible(container, memory), rng)
        if container.is_shuffle:
            memory.played.add(chosen)
        memory.recent.append(chosen)
        return chosen


def _eligible(container: objects.RandomSequence, memory: _Memory) -> list[int]:
    every = set(range(len(container.items)))
    others = every.difference(memory.recent)
    if container.is_shuffle:
        if fresh := others - memory.played:
            return sorted(fresh)
        memory.played.clear()
    return sorted(others)


def _draw(items: Sequence[objects.Item], eligible: Sequence[int], rng: random.Random) -> int:
    weights = [max(0, items[one].weight) for one in eligible]
    return rng.choices(eligible, weights if any(weights) else None)[0]


DEEPEST = 32
"""Nodes below or above another; banks that go in circles are left there."""
MOST_PLAYS = 64
MOST_NODES = 256
"""Recordings and nodes of one event."""


@dataclass(frozen=True, slots=True)
class Play:
    media_id: int
    is_streamed: bool
    """What a bank holds of it is only the beginning."""
    volume: float
    """dB."""
    nodes: frozenset[int]
    """On the way to it, with all parents."""


@dataclass(frozen=True, slots=True)
class Plays:
    """Several, together or one after the other."""

    parts: tuple[Plan, ...]
    is_sequence: bool = False


Plan: TypeAlias = "Play | Plays"

Lookup: TypeAlias = Callable[[int], "objects.HierarchyObject | None"]
"""Returns the object of an id; None where there is none that can be read."""
Note: TypeAlias = Callable[[str], None]
"""Mentions what an event lacks."""


class Resolver:
    """Follows one event. What cannot be followed is noted and left out."""

    def __init__(
        self, lookup: Lookup, containers: Containers, rng: random.Random, note: Note
    ) -> None:
        self._lookup = lookup
        self._containers = containers
        self._rng = rng
        self._note = note
        self._plays_left = MOST_PLAYS
        self._nodes_left = MOST_NODES

    def plan(self, event: objects.Event) -> Plan | None:
        """Return what to play for the event, None for nothing."""
        parts = []
        for action in self._actions(event):
            if action.type == objects.ActionType.PLAY:
                parts.append(self._node(action.target, frozenset()))
            elif action.type not in (objects.ActionType.STOP, objects.ActionType.STOP_ON_OBJECT):
                self._note(f"action {action.id} of type 0x{action.type:04X} is not carried out")
        return _group(parts)

    def stopped(self, event: objects.Event) -> frozenset[int]:
        return frozenset(
            action.target
            for action in self._actions(event)
            if action.type in (objects.ActionType.STOP, objects.ActionType.STOP_ON_OBJECT)
        )

    def _actions(self, event: objects.Event) -> list[objects.Action]:
        found = (self._lookup(id_) for id_ in event.actions[:MOST_PLAYS])
        return [action for action in found if isinstance(action, objects.Action)]

    def _node(self, id_: int, above: frozenset[int]) -> Plan | None:
        self._nodes_left -= 1
        if id_ in above or len(above) == DEEPEST or self._nodes_left < 0:
            self._note(f"node {id_} contains itself or too much")
            return None
        nodes = above | {id_}
        match self._lookup(id_):
            case objects.SoundNode() as sound:
                return self._sound(sound, nodes)
            case objects.RandomSequence() as container:
                chosen = self._containers.next_items(container, self._rng)
                parts = [self._node(item, nodes) for item in chosen]
                return _group(parts, is_sequence=container.is_continuous)
            case objects.Layer(children=children):
                return _group([self._node(child, nodes) for child in children[:MOST_PLAYS]])
            case _:
                return None

    def _sound(self, sound: objects.SoundNode, nodes: frozenset[int]) -> Play | None:
        self._plays_left -= 1
        if self._plays_left < 0:
            self._note(f"an event plays more than {MOST_PLAYS} recordings")
            return None
        volume, above = self._volume(sound.base)
        return Play(sound.media_id, sound.is_streamed, volume, nodes | above)

    def _volume(self, base: objects.NodeBase) -> tuple[float, frozenset[int]]:
        """Return the volume with that of all parents, dB, and these parents."""
        volume, parents = 0.0, set[int]()
        while True:
            volume += base.volume
            low, high = base.volume_range
            if low < high:
                volume += self._rng.uniform(low, high)
            if not base.parent or base.parent in parents or len(parents) == DEEPEST:
                return volume, frozenset(parents)
            parents.add(base.parent)
            parent = self._lookup(base.parent)
            if not isinstance(parent, (objects.SoundNode, objects.RandomSequence, objects.Layer)):
                return volume, frozenset(parents)
            base = parent.base


def _group(parts: Sequence[Plan | None], *, is_sequence: bool = False) -> Plan | None:
    found = tuple(part for part in parts if part is not None)
    if len(found) < 2:
        return found[0] if found else None
    return Plays(found, is_sequence)
