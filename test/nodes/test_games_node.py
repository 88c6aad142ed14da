"""Games and tricks over the graph, with a driver and its robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cozmo_interfaces.action import DoTrick, MeetPerson, PlayGame
from cozmo_interfaces.msg import (
    BehaviorState,
    CubeArray,
    GameRequest,
    GameState,
    Reason,
    TrickInfo,
)
from cozmo_interfaces.srv import AnswerGame, ListGames, ListTricks

from ..waiting import wait_until
from .conftest import World
from .goals import Action, SentGoal
from .graph import LATCHED
from .personality import Life, living


@pytest.fixture(scope="module")
def life(world: World) -> Iterator[Life]:
    with living(world) as life:
        life.enable(True)
        cubes = life.graph.listen(CubeArray, "cubes", LATCHED)
        cubes.wait_for(lambda message: sum(one.is_connected for one in message.cubes) == 3)
        life.states().wait_for(lambda message: message.state == BehaviorState.RUNNING)
        yield life


def play(life: Life, **goal: Any) -> SentGoal:
    return Action(life.graph, PlayGame, "play_game").send(**goal)


@pytest.mark.covers("game_state")
def test_before_the_first_game_it_is_told_that_none_is_played(life: Life) -> None:
    states = life.graph.listen(GameState, "game_state", LATCHED)
    states.wait_for(lambda state: state.game == "" and not state.is_playing)


@pytest.mark.covers("list_games", "object_states")
def test_what_a_game_lacks_is_told(life: Life) -> None:
    answer = life.graph.call(ListGames, "list_games", ListGames.Request())
    games = {game.game: game for game in answer.games}
    assert list(games) == ["quick_tap", "memory_match", "keepaway", "guard_dog"]
    for name in ("quick_tap", "memory_match", "guard_dog"):
        assert (games[name].is_playable, list(games[name].missing)) == (True, []), games[name]
    # Without a camera nobody knows where a cube is.
    assert not games["keepaway"].is_playable
    assert "where a cube is" in games["keepaway"].missing[0]
    assert answer.message == "3 of 4 games could begin now"


@pytest.mark.covers("play_game")
@pytest.mark.parametrize(
    ("goal", "reason", "text"),
    [
        ({"game": "chess"}, Reason.NOT_FOUND, "no game 'chess'; there are quick_tap"),
        ({"game": "quick_tap", "level": 9}, Reason.INVALID, "levels from 1 to 4, not 9"),
        ({"game": "quick_tap", "rounds": 2}, Reason.INVALID, "odd"),
        ({"game": "quick_tap", "is_solo": True}, Reason.INVALID, "not played alone"),
        ({"game": "memory_match", "rounds": 3}, Reason.INVALID, "has one round"),
        ({"game": "quick_tap", "player_cube": 7}, Reason.INVALID, "1, 2 or 3"),
        ({"game": "quick_tap", "players": 3}, Reason.INVALID, "1 to 2 players, not 3"),
        ({"game": "guard_dog", "players": 2}, Reason.INVALID, "1 to 1 players, not 2"),
        ({"game": "keepaway"}, Reason.NOT_ALLOWED, "where a cube is"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_reason(
    life: Life, goal: dict[str, Any], reason: int, text: str
) -> None:
    outcome, result = play(life, **goal).wait()
    assert (outcome, result.reason) == ("aborted", reason), result
    assert text in result.message


@pytest.mark.covers("play_game")
def test_a_cancelled_game_gives_everything_back(life: Life) -> None:
    states = life.graph.listen(GameState, "game_state", LATCHED)
    game = play(life, game="memory_match", is_solo=True)
    game.feedback.wait_for(lambda state: state.phase == "choosing")
    life.act(lambda f: f.handling.tap(3))
    game.feedback.wait_for(lambda state: "middle" in state.text)
    life.act(lambda f: f.handling.tap(2))
    shown = game.feedback.wait_for(lambda state: state.phase == "showing")
    assert (shown.pattern_length, shown.robot_points) == (2, 0)
    told = states.wait_for(lambda state: state.phase == "showing")
    assert (told.game, told.is_playing, told.pattern_length) == ("memory_match", True, 2)
    game.cancel()
    outcome, result = game.wait()
    assert (outcome, result.reason) == ("canceled", Reason.CANCELED)
    over = states.wait_for_latest(lambda state: not state.is_playing)
    assert (over.game, over.winner) == ("memory_match", PlayGame.Result.NOBODY)


@pytest.mark.covers("game_request", "answer_game", "game_state")
def test_the_robot_asks_for_a_game_and_plays_it_once_somebody_says_yes(life: Life) -> None:
    requests = life.graph.listen(GameRequest, "game_request", LATCHED)
    states = life.graph.listen(GameState, "game_state", LATCHED)
    nobody = life.graph.call(AnswerGame, "answer_game", AnswerGame.Request(is_accepted=True))
    assert (nobody.success, nobody.reason) == (False, Reason.NOT_FOUND)
    asking = life.ask("Request_Game")
    asked = requests.wait_for(lambda request: request.game != "")
    assert asked.text
    wrong = life.graph.call(
        AnswerGame, "answer_game", AnswerGame.Request(is_accepted=True, level=99)
    )
    assert (wrong.success, wrong.reason) == (False, Reason.INVALID)
    answer = life.graph.call(AnswerGame, "answer_game", AnswerGame.Request(is_accepted=True))
    assert answer.success, answer
    requests.wait_for_latest(lambda request: request.game == "")
    states.wait_for_latest(lambda state: state.is_playing and state.game == asked.game)
    asking.cancel()
    states.wait_for_latest(lambda state: not state.is_playing)


@pytest.mark.covers("game_state")
def test_a_game_that_it_plays_of_its_own_accord_goes_on_until_it_is_ended(life: Life) -> None:
    states = life.graph.listen(GameState, "game_state", LATCHED)
    goal = life.ask("Cubes_GuardDog")
    begun = states.wait_for(lambda state: state.phase == "countdown")
    assert begun.game == "guard_dog"
    states.wait_for(lambda state: state.phase == "waiting")
    assert all(one.is_playing for one in states.messages[states.messages.index(begun) :])
    goal.cancel()
    over = states.wait_for_latest(lambda state: not state.is_playing)
    assert (over.game, over.text) == ("guard_dog", "the game was ended")


@pytest.mark.covers("meet_person")
@pytest.mark.parametrize(
    ("goal", "reason", "text"),
    [
        ({"name": "Ann"}, Reason.NOT_ALLOWED, "has to agree first"),
        ({"name": " ", "has_agreed": True}, Reason.INVALID, "1 to 40"),
        ({"name": "Ann", "has_agreed": True}, Reason.UNSUPPORTED, "run the vision node"),
    ],
)
def test_nobody_is_met_without_consent_name_or_eyes(
    life: Life, goal: dict[str, Any], reason: int, text: str
) -> None:
    outcome, result = Action(life.graph, MeetPerson, "meet_person").send(**goal).wait()
    assert (outcome, result.reason) == ("aborted", reason), result
    assert text in result.message


@pytest.mark.covers("play_game", "cube_events")
def test_a_game_goes_on_by_taps_and_a_lifted_robot_ends_it(life: Life) -> None:
    game = play(life, game="quick_tap", level=1, rounds=1)
    told = game.feedback
    told.wait_for(lambda state: state.phase == "choosing")
    life.act(lambda f: f.handling.tap(1))
    told.wait_for(lambda state: state.phase == "placing" and "cube 2" in state.text)
    told.wait_for(lambda state: state.phase == "player")
    judged = told.wait_for(lambda state: state.phase in ("waiting", "judged"))
    assert judged.round == 1
    life.act(lambda f: f.handling.pick_up())
    outcome, result = game.wait()
    life.act(lambda f: f.handling.put_down())
    assert (outcome, result.success, result.reason) == ("aborted", False, Reason.PICKED_UP)
    assert (result.winner, result.round) == (PlayGame.Result.NOBODY, 1)


def tricks_of(life: Life) -> dict[str, TrickInfo]:
    """Return the tricks once the robot has noticed that it stands again."""

    def answer() -> dict[str, TrickInfo]:
        found = life.graph.call(ListTricks, "list_tricks", ListTricks.Request()).tricks
        return {trick.trick: trick for trick in found}

    wait_until(lambda: answer()["dance"].is_possible, "it cannot dance")
    return answer()


@pytest.mark.covers("list_tricks")
def test_what_a_trick_lacks_is_told(life: Life) -> None:
    tricks = tricks_of(life)
    assert list(tricks) == sorted(tricks)
    assert tricks["roll_cube"].missing == ["nobody offers roll_cube: run the manipulation node"]
    assert tricks["sing"].about


@pytest.mark.covers("do_trick")
def test_a_trick_is_done_and_one_that_nobody_knows_is_refused(life: Life) -> None:
    tricks_of(life)
    tricks = Action(life.graph, DoTrick, "do_trick")
    dance = tricks.send(trick="dance")
    dance.feedback.wait_for(lambda told: told.step == "plays Dance")
    outcome, result = dance.wait()
    assert (outcome, result.message) == ("succeeded", "the robot has done dance"), result
    for goal, reason in (
        ({"trick": "fly"}, Reason.NOT_FOUND),
        ({"trick": "roll_cube", "object": "cube_1"}, Reason.NOT_ALLOWED),
        ({"trick": "dance", "object": "cube_1"}, Reason.INVALID),
    ):
        outcome, result = tricks.send(**goal).wait()
        assert (outcome, result.reason) == ("aborted", reason), result
