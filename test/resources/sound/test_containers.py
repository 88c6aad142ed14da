"""What random, sequence and switch containers play next."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from cozmo_driver.resources.sound.objects import Item, NodeBase, RandomSequence
from cozmo_driver.resources.sound.resolver import LONGEST_TURN, Containers

FIVE = RandomSequence(
    id=1,
    base=NodeBase(),
    avoid_repeat=0,
    is_shuffle=False,
    is_sequence=False,
    is_continuous=False,
    items=tuple(Item(node, 50000) for node in (10, 11, 12, 13, 14)),
)


def played(container: RandomSequence, count: int, seed: int = 1) -> list[int]:
    containers, rng = Containers(), random.Random(seed)
    return [node for _ in range(count) for node in containers.next_items(container, rng)]


def test_chance_is_even_when_all_weights_are_one() -> None:
    counts = Counter(played(FIVE, 5000))
    assert set(counts) == {10, 11, 12, 13, 14}
    assert all(900 < count < 1100 for count in counts.values())


def test_other_weights_are_kept_to() -> None:
    items = (Item(1, 10000), Item(2, 30000), Item(3, 0), Item(4, -7))
    counts = Counter(played(replace(FIVE, items=items), 4000))
    assert set(counts) == {1, 2}
    assert counts[2] / counts[1] == pytest.approx(3.0, rel=0.15)


def test_weights_of_nothing_leave_even_chances() -> None:
    items = (Item(1, 0), Item(2, 0))
    assert set(played(replace(FIVE, items=items), 50)) == {1, 2}


@pytest.mark.parametrize("avoid", [1, 2, 4, 60000])
def test_the_last_ones_are_not_repeated(avoid: int) -> None:
    nodes = played(replace(FIVE, avoid_repeat=avoid), 500)
    gap = min(avoid, 4)
    assert all(node not in nodes[max(0, at - gap) : at] for at, node in enumerate(nodes))
    assert len(set(nodes)) == 5


def test_shuffle_plays_each_once_before_any_comes_again() -> None:
    nodes = played(replace(FIVE, is_shuffle=True, avoid_repeat=1), 500)
    rounds = [nodes[start : start + 5] for start in range(0, 500, 5)]
    assert all(sorted(one) == [10, 11, 12, 13, 14] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 20
    assert all(one != after for one, after in pairwise(nodes))


def test_a_sequence_goes_on_where_it_was_and_begins_again() -> None:
    assert played(replace(FIVE, is_sequence=True), 7) == [10, 11, 12, 13, 14, 10, 11]


def test_a_continuous_container_plays_all_at_once_in_turn() -> None:
    containers, rng = Containers(), random.Random(2)
    sequence = replace(FIVE, is_sequence=True, is_continuous=True)
    assert containers.next_items(sequence, rng) == [10, 11, 12, 13, 14]
    shuffle = replace(FIVE, id=2, is_shuffle=True, is_continuous=True)
    assert sorted(containers.next_items(shuffle, rng)) == [10, 11, 12, 13, 14]
    huge = replace(FIVE, id=3, is_continuous=True, items=(Item(1, 50000),) * 4000)
    assert len(containers.next_items(huge, rng)) == LONGEST_TURN


def test_one_item_is_played_whatever_the_rules() -> None:
    one = replace(FIVE, items=(Item(7, 0),), avoid_repeat=5, is_shuffle=True)
    assert played(one, 3) == [7, 7, 7]


def test_a_container_of_nothing_plays_nothing() -> None:
    assert played(replace(FIVE, items=()), 3) == []
