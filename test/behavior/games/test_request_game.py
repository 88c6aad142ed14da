"""The robot asks for a game: answered by a tap, by the service, or by nobody."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.behavior.behavior import Life, Situation
from cozmo_driver.behavior.behaviors.request_game import request_game
from cozmo_driver.behavior.config import BehaviorConfig
from cozmo_driver.behavior.constraints import ConstrainedBody, Constraints, Permissions
from cozmo_driver.behavior.games import GameAnswer, Phase, pause_after
from cozmo_driver.behavior.inner_state import InnerState
from cozmo_driver.robot import RobotError
from cozmo_driver.virtual_time import run_in_virtual_time

from ..paper import own_triggers
from .players import Table

CONFIG = BehaviorConfig("Request_Game", "RequestGameSimple", "a test", {"game": "memory_match"})


class Evening:
    """Asks somebody who answers in some way; keeps what was asked, and the games' states."""

    def __init__(self, answer):
        self.answer, self.questions, self.states = answer, [], []

    async def ask(self):
        self.body = body = Table(own_triggers(), 3, 1)
        constraints, rng = Constraints(Permissions(True, True)), body.rng
        inner = InnerState((), body.events, body.loop.time, rng)
        constrained = ConstrainedBody(body, constraints)
        self.situation = situation = Situation(constrained, constraints, inner, rng)
        situation.on_any_game = lambda game, state: self.states.append((game, state))

        def on_question(question):
            self.questions.append(question)
            if question is not None:
                body.loop.call_later(2.0, self.answer, self)

        situation.on_question = on_question
        life = Life(situation, CONFIG)
        try:
            await request_game.run(life)
        finally:
            body.release()


def spend(answer):
    evening = Evening(answer)

    async def main():
        # Nobody plays: the game itself ends for want of a player.
        with pytest.raises(RobotError, match="nobody"):
            await evening.ask()

    run_in_virtual_time(main())
    return evening


def tap(evening):
    evening.body.tap(evening.body.number(2), is_sure=True)


def say_yes(evening):
    evening.situation.question.answer = GameAnswer(True, level=3)


def test_a_tap_says_yes_and_takes_the_cube_and_the_service_says_the_level():
    for answer in (tap, say_yes):
        evening = spend(answer)
        asked, ended = evening.questions
        assert (asked.game, ended) == ("memory_match", None)
        assert asked.answer.player_cube == (2 if answer is tap else 0)
        assert {game for game, _ in evening.states} == {"MemoryMatch"}
        assert evening.states[-1][1].phase is Phase.OVER
        assert evening.body.is_still


def test_a_game_whose_cubes_were_lost_while_it_was_asked_for_does_not_begin():
    def say_yes_and_lose_cubes(evening):
        say_yes(evening)
        evening.body.cubes = evening.body.cubes[:1]

    evening = Evening(say_yes_and_lose_cubes)

    async def main():
        with pytest.raises(RobotError, match="connect 1 more cube"):
            await evening.ask()

    run_in_virtual_time(main())
    assert evening.states == []


def test_silence_and_a_no_are_denials_and_each_makes_it_wait_longer():
    for answer in (lambda _: None, lambda e: setattr(e.situation.question, "answer", NO)):
        evening = Evening(answer)

        async def main(evening=evening):
            await evening.ask()
            now, memory = evening.situation.now, evening.situation.memory[CONFIG.id]
            assert memory["not_before"] - now == pytest.approx(pause_after(1), abs=3.0)
            why = request_game.why_not(evening.situation, CONFIG)
            assert "just asked" in why
            await asyncio.sleep(pause_after(1))
            assert request_game.why_not(evening.situation, CONFIG) == ""

        run_in_virtual_time(main())
        assert evening.states == []
        assert not evening.body.lights
    assert [pause_after(count) for count in (0, 1, 2, 30)] == [300.0, 600.0, 1200.0, 3600.0]


NO = GameAnswer(False)
