"""Quick Tap: its rules, and games with a person whose taps come late and in another order."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter

import pytest

from cozmo_driver.behavior.behaviors import play_quick_tap
from cozmo_driver.behavior.behaviors.game_table import COLORS, plain
from cozmo_driver.behavior.behaviors.play_quick_tap import quick_tap
from cozmo_driver.behavior.games import Phase, Side
from cozmo_driver.behavior.games.quick_tap import LEVELS, PLAIN_RED, Deal, Dealer, Hand
from cozmo_driver.robot import CubeKind, Pose2D, Reason, RobotError
from cozmo_driver.robot.lights import cube_messages

from ..paper import own_triggers
from .players import CLIP_START, PROMPT, TAP_CLIP, Radio, Table, play_game

YELLOW = ("yellow",) * 4
EQUAL, UNEQUAL = Deal(YELLOW, YELLOW), Deal(YELLOW, ("blue",) * 4)


def hand(deal=EQUAL):
    return Hand(deal, 10.0, 2.0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_earlier_stamp_wins_in_whatever_order_they_come(order):
    taps = [(Side.PLAYER, 10.40, 10.70), (Side.ROBOT, 10.41, 10.50)]
    for deal, winner in ((EQUAL, Side.PLAYER), (UNEQUAL, Side.ROBOT)):
        played = hand(deal)
        for place in order:
            played.tap(*taps[place])
        assert played.winners == (winner,)


def test_an_earlier_tap_is_waited_for_before_a_hand_is_judged():
    played = hand()
    played.tap(Side.ROBOT, 10.5, 10.6)
    assert not played.is_decided(10.79)
    assert played.is_decided(10.81)
    played.tap(Side.PLAYER, 10.45, 10.8)
    assert played.winners == (Side.PLAYER,)


def test_equal_stamps_are_the_players():
    for deal in (EQUAL, UNEQUAL):
        played = hand(deal)
        played.tap(Side.ROBOT, 10.5, 10.6)
        played.tap(Side.PLAYER, 10.5, 10.6)
        assert played.winners == (Side.PLAYER,)


def test_taps_before_the_lights_or_after_them_do_not_count():
    played = hand()
    assert not played.tap(Side.PLAYER, 9.9, 10.0)
    assert not played.tap(Side.PLAYER, 10.09, 10.2)
    assert not played.tap(Side.PLAYER, 12.01, 12.1)
    assert not played.is_decided(12.2)
    assert played.is_decided(12.31)
    assert played.winners == ()


def test_red_is_never_to_be_tapped():
    played = hand(Deal(PLAIN_RED, PLAIN_RED))
    played.tap(Side.PLAYER, 10.5, 10.6)
    assert played.winners == (Side.ROBOT,)


def test_the_dealer_deals_as_the_level_says():
    for number, level in enumerate(LEVELS, 1):
        dealer = Dealer(random.Random(number), level)
        deals = [dealer.deal() for _ in range(4000)]
        share = sum(deal.is_equal for deal in deals) / len(deals)
        # Chances 0.4, 0.55, 0.7, 0.85, 1: one in 1.96 deals on average.
        assert share == pytest.approx(0.512, abs=0.03)
        rest = [deal for deal in deals if not deal.is_equal]
        reds = sum(deal.robot == PLAIN_RED for deal in rest) / len(rest)
        assert reds == pytest.approx(1 / 3, abs=0.05)
        assert max(len(set(deal.player)) for deal in deals) == number
        plans = [(deal, dealer.plan(deal)) for deal in deals]
        wrong = sum(plan.is_tap is not deal.is_equal for deal, plan in plans) / len(plans)
        assert wrong == pytest.approx(level.mistake, abs=0.02)


class Person(Table):
    """Taps when both cubes shine alike, mostly; the robot's clip taps the cube before it."""

    REACTION, SPREAD, MISTAKE = 0.55, 0.12, 0.06

    def __init__(self, seed, radio=PROMPT, count=2):
        super().__init__(own_triggers(), count, seed, radio)
        self.mine, self.robots = self.number(1), self.number(2)
        self.hands, self.clip_ends = [], []
        """When the lights of each hand came on, and whether they were to be tapped."""

    def on_game(self, state):
        if state.phase is Phase.CHOOSING:
            for seconds in range(1, 9):
                self.loop.call_later(seconds, self.tap, self.mine)
        if state.phase is Phase.PLAYER:
            mine, robots = self.lights[self.mine], self.lights[self.robots]
            is_equal = mine == robots and mine != plain("red")
            self.hands.append((self.loop.time(), is_equal))
            if is_equal is not (self.rng.random() < self.MISTAKE):
                delay = max(0.2, self.rng.gauss(self.REACTION, self.SPREAD))
                self.loop.call_later(delay, self.tap, self.mine)

    async def play(self, trigger, **flags):
        if trigger == "OnSpeedtapTap":
            await asyncio.sleep(self.rng.uniform(*CLIP_START) - TAP_CLIP)
            self.loop.call_later(TAP_CLIP, self.tap, self.robots)
            await asyncio.sleep(TAP_CLIP + 0.15)
            self.clip_ends.append(self.loop.time())
        else:
            await super().play(trigger, **flags)


def play(seed, level, radio=PROMPT, person=Person, **values):
    """Play a game; return the person, the states of the game and how it ended."""
    return play_game(quick_tap, lambda: person(seed, radio), {"level": level, **values}, seed)


def first_taps(body, lit_at, lit_for):
    """When each side tapped first in a hand, by the stamps; the robot's clip counts for a tap."""

    def first(times):
        return min((one for one in times if 0.1 <= one - lit_at <= lit_for), default=math.inf)

    felt = [(cube, time) for cube, time in body.truth if lit_at <= time <= lit_at + lit_for]
    mine = first(time for cube, time in felt if cube == body.mine)
    robots = first(time for cube, time in felt if cube == body.robots)
    return mine, robots if robots < math.inf else first(body.clip_ends)


def points_by_stamps(body, level):
    """Who gets the point of each hand by the stamps alone."""
    for lit_at, is_equal in body.hands:
        mine, robots = first_taps(body, lit_at, LEVELS[level - 1].lit)
        if mine == robots:
            assert mine == math.inf
            yield Side.NOBODY
        else:
            yield Side.PLAYER if (mine < robots) == is_equal else Side.ROBOT


def points_given(states):
    """Who got the point of each hand."""
    before = (0, 0)
    for _, state in states:
        if state.phase not in (Phase.WAITING, Phase.ROUND_OVER):
            continue
        robot, player = state.robot_points - before[0], state.player_points - before[1]
        assert (robot, player) in ((0, 0), (1, 0), (0, 1))
        yield (Side.ROBOT if robot else Side.PLAYER) if robot or player else Side.NOBODY
        is_over = state.phase is Phase.ROUND_OVER
        before = (0, 0) if is_over else (state.robot_points, state.player_points)


RADIOS = (PROMPT, Radio((0.08, 0.28)), Radio((0.08, 1.0)))
"""Prompt, late and very late."""


def play_fairly(seed):
    """Play a game in which the first tap by the stamps has the point; return level and winner."""
    level, radio = seed % 4 + 1, RADIOS[seed // 4 % 3]
    body, states = play(seed, level, radio)
    assert list(points_given(states)) == list(points_by_stamps(body, level)), seed
    assert body.is_still
    return level, states[-1][1].winner


@pytest.mark.parametrize("seed", [0, 3, 5, 6, 8, 9, 11])
def test_the_first_tap_by_the_stamps_has_the_point(seed):
    play_fairly(seed)


def test_a_game_is_played_to_its_end_and_leaves_nothing_behind():
    body, states = play(1, 1)
    phases = [state.phase.value for _, state in states]
    assert phases[:2] == ["choosing", "placing"]
    assert phases[-1] == "over"
    last = states[-1][1]
    assert last.winner in (Side.ROBOT, Side.PLAYER)
    assert max(last.robot_rounds, last.player_rounds) == 2
    assert body.is_still


class Seen(Person):
    """The robot sees its cube, which slides a little in every round."""

    def __init__(self, seed, radio):
        super().__init__(seed, radio)
        self.places[self.robots] = Pose2D(0.25, 0.10)
        self.distances = []

    def on_game(self, state):
        super().on_game(state)
        place, here = self.places[self.robots], self.felt.pose
        if state.phase is Phase.PLAYER:
            self.distances.append(math.dist((here.x, here.y), (place.x, place.y)))
        if state.phase is Phase.ROUND_OVER:
            self.places[self.robots] = Pose2D(place.x + 0.02, place.y)


def test_it_goes_to_a_cube_that_it_sees_and_back_to_it_when_it_slid():
    body, states = play(2, 2, person=Seen)
    assert body.distances == [pytest.approx(0.062, abs=0.006)] * len(body.distances)
    assert "put cube 2 right before the robot" not in {state.text for _, state in states}


def test_where_it_cannot_get_to_its_cube_it_asks_for_it_and_stays(monkeypatch):
    async def fail(*_):
        return False

    monkeypatch.setattr(play_quick_tap, "approach", fail)
    body, states = play(2, 2, person=Seen)
    assert "put cube 2 right before the robot" in {state.text for _, state in states}
    assert body.felt.pose == Pose2D()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"level": 5}, "there is no level 5; there are 1 to 4"),
        ({"level": 1.5}, "no level 1.5"),
        ({"rounds": 2}, "odd number of rounds, not 2"),
        ({"rounds": -1}, "odd number of rounds"),
    ],
)
def test_values_that_make_no_sense_are_refused(values, text):
    with pytest.raises(RobotError, match=text) as refused:
        play(1, **({"level": 1} | values))
    assert refused.value.reason is Reason.INVALID


@pytest.mark.parametrize("color", COLORS)
def test_every_colour_is_one_that_a_cube_can_carry(color):
    _, _, brightness = cube_messages(0, CubeKind.CUBE_1, plain(color))
    assert brightness == 1.0


# -- two people

SECOND = Deal(YELLOW, YELLOW, YELLOW)


def test_of_three_the_first_wins_and_whoever_taps_wrongly_gives_the_others_a_point():
    taps = [(Side.SECOND_PLAYER, 10.3), (Side.PLAYER, 10.4), (Side.ROBOT, 10.5)]
    trap = Deal(YELLOW, ("blue",) * 4, YELLOW)
    for deal, winners in (
        (SECOND, (Side.SECOND_PLAYER,)),
        (trap, (Side.ROBOT, Side.PLAYER)),
    ):
        played = hand(deal)
        for side, time in taps:
            played.tap(side, time, time + 0.1)
        assert (deal.is_equal, played.winners) == (deal is SECOND, winners)


def test_people_who_tap_at_once_have_both_tapped():
    for deal, winners in (
        (SECOND, (Side.PLAYER, Side.SECOND_PLAYER)),
        (Deal(PLAIN_RED, PLAIN_RED, PLAIN_RED), (Side.ROBOT,)),
    ):
        played = hand(deal)
        for side in (Side.PLAYER, Side.SECOND_PLAYER):
            played.tap(side, 10.5, 10.6)
        assert played.winners == winners


def test_a_second_cube_is_dealt_like_one_of_the_others():
    dealer = Dealer(random.Random(1), LEVELS[1], 2)
    deals = [dealer.deal() for _ in range(2000)]
    assert all(deal.second in (deal.robot, deal.player) for deal in deals)
    traps = [deal for deal in deals if deal.robot != deal.player]
    share = sum(deal.second == deal.robot for deal in traps) / len(traps)
    assert share == pytest.approx(0.5, abs=0.07)


class TwoPeople(Person):
    """A quick and a slow one; the robot's cube is the third."""

    def __init__(self, seed, radio):
        super().__init__(seed, radio, count=3)
        self.others, self.robots = self.number(2), self.number(3)

    def on_game(self, state):
        if state.phase is Phase.CHOOSING:
            cube = self.others if "second" in state.text else self.mine
            for seconds in range(1, 9):
                self.loop.call_later(seconds, self.tap, cube)
        if state.phase is Phase.PLAYER:
            lights = [self.lights[cube] for cube in (self.mine, self.others, self.robots)]
            if lights[0] == lights[1] == lights[2] != plain("red"):
                self.loop.call_later(self.rng.uniform(0.3, 0.45), self.tap, self.mine)
                self.loop.call_later(self.rng.uniform(0.5, 0.7), self.tap, self.others)


def test_two_people_play_and_the_quicker_one_wins():
    won = Counter()
    for seed in range(8):
        body, states = play(seed, 1, person=TwoPeople, players=2, rounds=1)
        last = states[-1][1]
        won[last.winner] += 1
        points = {
            Side.ROBOT: last.robot_points,
            Side.PLAYER: last.player_points,
            Side.SECOND_PLAYER: last.second_points,
        }
        assert points[last.winner] == max(points.values()) >= 5
        assert sorted(points.values())[1] < points[last.winner]
        assert body.is_still
    assert won[Side.PLAYER] == 8
