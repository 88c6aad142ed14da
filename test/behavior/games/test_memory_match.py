"""Memory Match: its rules, and games with a person who forgets."""

from __future__ import annotations

import random

import pytest

from cozmo_driver.behavior.behaviors import game_table
from cozmo_driver.behavior.behaviors.game_table import plain
from cozmo_driver.behavior.behaviors.play_memory_match import memory_match
from cozmo_driver.behavior.games import Phase, Side, Tap
from cozmo_driver.behavior.games.memory_match import (
    COLORS,
    LEVELS,
    LONGEST,
    Pattern,
    PlayerTurn,
    lit_time,
    recall,
)
from cozmo_driver.robot import Reason, RobotError

from ..paper import own_triggers
from .players import PROMPT, Radio, Table, play_game

CUBES = [10, 11, 12]


def pattern_of(*steps):
    pattern = Pattern(random.Random(0), 3)
    pattern.steps = list(steps)
    return pattern


@pytest.mark.parametrize("cubes", [2, 3])
def test_patterns_begin_with_other_cubes_and_never_have_three_equal_in_a_row(cubes):
    for seed in range(50):
        pattern = Pattern(random.Random(seed), cubes)
        while pattern.length < LONGEST:
            pattern.extend()
        steps = pattern.steps
        assert len(set(steps[:cubes])) == cubes
        assert all(len(set(steps[at : at + 3])) > 1 for at in range(LONGEST - 2))


def test_taps_are_judged_in_the_order_of_their_stamps():
    turn = PlayerTurn(pattern_of(0, 2), CUBES, 5.0)
    turn.tap(Tap(12, 6.2))
    turn.tap(Tap(10, 6.0))
    assert turn.judge(6.29) == []
    judged = turn.judge(6.6)
    assert [(step.place, step.is_right) for step in judged] == [(0, True), (2, True)]
    assert (turn.is_over, turn.is_right) == (True, True)


def test_a_wrong_tap_ends_the_turn_and_one_before_it_does_not_count():
    turn = PlayerTurn(pattern_of(0, 2), CUBES, 5.0)
    turn.tap(Tap(11, 4.9))
    turn.tap(Tap(11, 6.0))
    assert [step.is_right for step in turn.judge(7.0)] == [False]
    assert (turn.is_over, turn.is_right) == (True, False)


def test_a_tap_that_comes_too_late_is_a_mistake_but_a_late_message_is_not():
    turn = PlayerTurn(pattern_of(0, 2), CUBES, 5.0)
    assert turn.judge(11.2) == []
    assert not turn.is_over
    turn.tap(Tap(10, 10.9))
    assert len(turn.judge(11.25)) == 1
    turn.judge(17.1)
    assert not turn.is_over
    turn.judge(17.3)
    assert (turn.is_over, turn.is_late, turn.is_right) == (True, True, False)


def test_the_robot_remembers_as_its_level_says():
    for level in LEVELS:
        rng, steps = random.Random(1), pattern_of(0, 1, 2)
        shown = [recall(rng, steps, 9, 3, level) for _ in range(4000)]
        share = sum(one == steps.steps for one in shown) / len(shown)
        assert share == pytest.approx(level**3, abs=0.03)
        assert all(one == steps.steps for one in (recall(rng, steps, 1, 3, level),) * 20)
        assert all(one[-1] != steps.steps[len(one) - 1] for one in shown if one != steps.steps)


def test_longer_patterns_are_shown_faster():
    assert lit_time(2) == (0.5, 0.25)
    assert lit_time(10) == pytest.approx((0.3, 0.12))
    assert lit_time(20) == pytest.approx((0.3, 0.12))


class Person(Table):
    """Watches the cubes, and taps what they showed; forgets now and then; taps again."""

    FORGETS = 0.13
    """Chance to err at one tap."""

    def __init__(self, seed, radio):
        super().__init__(own_triggers(), 3, seed, radio)
        self.order = [self.number(number) for number in (1, 2, 3)]
        self.phase, self.shown, self.turns, self.answer = None, [], [], []
        self.begins = []

    def light_cube(self, factory_id, trigger):
        super().light_cube(factory_id, trigger)
        is_lit = trigger == plain(COLORS[self.order.index(factory_id)])
        if is_lit and self.phase is Phase.SHOWING:
            self.shown.append(factory_id)
        if is_lit and self.phase is Phase.PLAYER and self.answer[:1] == [factory_id]:
            # The cube answers: on to the next one.
            self.answer.pop(0)
            self.tap_next(self.rng.uniform(0.3, 0.6))

    def on_game(self, state):
        if state.phase is Phase.CHOOSING:
            cube = self.order[0 if "right" in state.text else 1]
            for second in range(1, 9):
                self.loop.call_later(second, self.choose, cube, state.text)
        self.phase, self.text = state.phase, state.text
        if state.phase is Phase.SHOWING:
            self.shown = []
        if state.phase is Phase.PLAYER:
            self.begins.append((self.loop.time(), list(self.shown)))
            self.answer = [
                self.rng.choice(self.order) if self.rng.random() < self.FORGETS else cube
                for cube in self.shown
            ]
            self.tap_next(self.rng.uniform(0.6, 1.2))

    def choose(self, cube, text):
        if self.phase is Phase.CHOOSING and self.text == text:
            self.tap(cube)

    def tap_next(self, delay):
        if self.answer:
            self.loop.call_later(delay, self.try_tap, len(self.begins), list(self.answer))

    def try_tap(self, turn, answer):
        """Tap; again if the cube does not answer."""
        if self.phase is Phase.PLAYER and (len(self.begins), self.answer) == (turn, answer):
            self.tap(answer[0])
            self.loop.call_later(1.8, self.try_tap, turn, answer)


def play(seed, level, radio=PROMPT, **values):
    values = {"level": level, **values}
    body, states = play_game(memory_match, lambda: Person(seed, radio), values, seed)
    return body, [state for _, state in states]


def lives_by_stamps(body, lives):
    """The player's lives after each turn, by the stamps of the taps alone."""
    ends = [at for at, _ in body.begins[1:]] + [float("inf")]
    for (began, pattern), end in zip(body.begins, ends, strict=True):
        tapped, last = [], began
        for cube, time in sorted(body.truth, key=lambda one: one[1]):
            if began <= time < end and time <= last + 6.0 and len(tapped) < len(pattern):
                tapped.append(cube)
                last = time
                if tapped != pattern[: len(tapped)]:
                    break
        lives -= tapped != pattern
        yield lives


RADIOS = (PROMPT, Radio((0.08, 0.3)), Radio((0.0, 0.29)))


def play_fairly(seed):
    """Play a game in which every tap is judged by its stamp; return its level and winner."""
    level = seed % 3 + 1
    body, states = play(seed, level, RADIOS[seed // 3 % 3])
    after = [s.player_points for s in states if s.phase is Phase.ROBOT]
    assert after == list(lives_by_stamps(body, 3)), seed
    assert body.is_still
    return level, states[-1].winner


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 7, 8])
def test_every_tap_is_judged_by_its_stamp(seed):
    play_fairly(seed)


def test_alone_the_longest_pattern_counts():
    body, states = play(4, 1, solo=True, lives=1)
    last = states[-1]
    assert (last.phase, last.winner, last.robot_points) == (Phase.OVER, Side.PLAYER, 0)
    lengths = [s.pattern_length for s in states if s.phase is Phase.PLAYER]
    assert lengths == list(range(2, len(lengths) + 2))
    assert last.player_points == len(lengths)
    assert not [s for s in states if s.phase is Phase.ROBOT]
    assert body.is_still


def test_the_robots_own_turn_takes_nobodys_patience(monkeypatch):
    monkeypatch.setattr(game_table, "PATIENCE", 4.0)
    body, states = play(1, 3)
    assert states[-1].phase is Phase.OVER
    assert body.is_still


class Quick(Person):
    """Begins to tap as soon as the pattern is over."""

    FORGETS = 0.0

    def tap_next(self, delay):
        super().tap_next(delay / 4)

    def tap(self, factory_id, *, is_sure=True):
        return super().tap(factory_id, is_sure=is_sure)


def test_taps_while_the_robot_still_reacts_to_the_pattern_count():
    body, states = play_game(memory_match, lambda: Quick(1, PROMPT), {"level": 1}, 1)
    assert states[-1][1].player_points == 3
    first, _ = next(one for one in body.diary if one[1].startswith("play MemoryMatchReact"))
    assert any(first < time < first + 1.0 for _, time in body.truth)


class Interrupted(Quick):
    """The robot's reaction to the pattern is ended by somebody else."""

    async def play(self, trigger, **flags):
        await super().play(trigger, **flags)
        if trigger.startswith("MemoryMatchReact"):
            self.failed_at = self.loop.time()
            raise RobotError(Reason.SUPERSEDED, "another clip")

    def tap_next(self, delay):
        pass


def test_a_reaction_that_fails_ends_the_game_at_once():
    people = []

    def person():
        people.append(Interrupted(1, PROMPT))
        return people[-1]

    with pytest.raises(RobotError, match="another clip"):
        play_game(memory_match, person, {"level": 1}, 1)
    assert people[0].loop.time() - people[0].failed_at < 1.0
