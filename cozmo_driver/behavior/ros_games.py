"""Games: ``play_game`` and ``list_games``, how one stands, and what the robot asks people.

That is ``game_state``, ``game_request`` and ``answer_game``.
"""

from __future__ import annotations

from dataclasses import replace

from cozmo_interfaces.action import PlayGame
from cozmo_interfaces.msg import GameInfo, GameRequest
from cozmo_interfaces.msg import GameState as GameStateMessage
from cozmo_interfaces.srv import AnswerGame, ListGames

from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from ..ros.geometry import filled, header
from ..ros.topics import LATCHED
from .behaviors.game_table import check_begin, missing
from .executor import Request, RequestEnded, Snapshot
from .games import (
    ANSWER_TIME,
    GAMES,
    GameAnswer,
    GameQuestion,
    GameRules,
    GameState,
    Phase,
    Side,
)
from .ros_personality import Personality

OFF = "the personality is switched off: call behavior/enable with true"
_WINS = {
    Side.NOBODY: "the game is over",
    Side.ROBOT: "the robot has won",
    Side.PLAYER: "the player has won",
    Side.BOTH: "it is a draw",
    Side.SECOND_PLAYER: "the second player has won",
}
_BY_CLASS = {rules.class_name: rules.name for rules in GAMES.values()}
_SCORES = tuple(
    f"{side}_{what}" for side in ("robot", "player", "second") for what in ("points", "rounds")
)


class Games:
    """Offers the games; all is done in the loop."""

    def __init__(self, context: NodeContext, personality: Personality) -> None:
        self._context, self._engine = context, personality.engine
        node, situation = context.node, personality.engine.situation
        self._states = node.create_publisher(GameStateMessage, "game_state", LATCHED)
        self._requests = node.create_publisher(GameRequest, "game_request", LATCHED)
        self._player = ""
        situation.on_any_game, situation.on_question = self._show, self._ask
        # Whoever shows the games may have in sight what a former node said last.
        self._publish("", GameState(phase=Phase.OVER))
        self._ask(None)
        context.jobs.serve(AnswerGame, "answer_game", self._answer)
        context.jobs.serve(ListGames, "list_games", self._list)
        ActionBridge(context, PlayGame, "play_game", self._play)

    async def _list(self, _: ListGames.Request, response: ListGames.Response) -> str:
        response.games = [self._info(rules) for rules in GAMES.values()]
        playable = sum(game.is_playable for game in response.games)
        return f"{playable} of {len(response.games)} games could begin now"

    def _info(self, rules: GameRules) -> GameInfo:
        lacks = [] if self._engine.is_enabled else [OFF]
        lacks += missing(self._engine.situation, rules)
        return GameInfo(
            game=rules.name,
            about=rules.about,
            cubes=rules.cubes,
            levels=rules.levels,
            most_players=rules.most_players,
            can_be_solo=rules.can_be_solo,
            is_playable=not lacks,
            missing=lacks,
        )

    async def _play(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        rules = _rules_of(request)
        if not self._engine.is_enabled:
            raise RobotError(Reason.NOT_ALLOWED, OFF)
        check_begin(self._engine.situation, rules, int(request.players))

        def on_game(state: GameState) -> None:
            goal.publish(filled(PlayGame.Feedback, state, phase=state.phase.value))
            for name in ("round", *_SCORES):
                setattr(result, name, getattr(state, name))
            result.winner = int(state.winner)

        values = {"level": request.level, "solo": request.is_solo, "players": request.players}
        values |= {"rounds": request.rounds} if request.rounds else {}
        values |= {"playerCube": request.player_cube} if request.player_cube else {}
        behavior = self._engine.behaviors.get(rules.behavior)
        if behavior is None:
            raise RequestEnded(Reason.NOT_FOUND, f"there is no behaviour {rules.behavior!r}")
        await self._engine.serve(Request(behavior, values=values, on_game=on_game))
        return _WINS[Side(result.winner)]

    # -- for everybody

    def on_change(self, snapshot: Snapshot) -> None:
        """Tell that a game is over which ended before its time."""
        if self._is_playing and snapshot.behavior_id != self._player:
            game, state = self._shown
            self._publish(game, replace(state, phase=Phase.OVER, text="the game was ended"))

    def _show(self, class_name: str, state: GameState) -> None:
        self._player = self._engine.snapshot.behavior_id
        self._publish(_BY_CLASS.get(class_name, class_name), state)

    def _publish(self, game: str, state: GameState) -> None:
        self._shown, self._is_playing = (game, state), state.phase is not Phase.OVER
        self._states.publish(
            filled(
                GameStateMessage,
                state,
                header=header(self._context.stamp_now(), ""),
                game=game,
                is_playing=self._is_playing,
                phase=state.phase.value,
            )
        )

    def _ask(self, question: GameQuestion | None) -> None:
        message = GameRequest(header=header(self._context.stamp_now(), ""))
        if question is not None:
            message.game, message.text = question.game, question.text
            message.timeout = ANSWER_TIME
        self._requests.publish(message)

    async def _answer(self, request: AnswerGame.Request, _: AnswerGame.Response) -> str:
        question = self._engine.situation.question
        if question is None:
            raise RobotError(Reason.NOT_FOUND, "the robot asks for no game now")
        level = request.level or 1
        _check_level(GAMES[question.game], level)
        question.answer = GameAnswer(bool(request.is_accepted), level)
        return f"{question.game}: {'yes' if request.is_accepted else 'no'}"


def _rules_of(request: PlayGame.Goal) -> GameRules:
    """Return the rules of what is asked for. Raises ``RobotError``."""
    rules = GAMES.get(str(request.game))
    if rules is None:
        text = f"there is no game {request.game!r}; there are {', '.join(GAMES)}"
        raise RobotError(Reason.NOT_FOUND, text)
    _check_level(rules, request.level)
    if not 1 <= request.players <= rules.most_players:
        text = f"{rules.name} is for 1 to {rules.most_players} players, not {request.players}"
        raise RobotError(Reason.INVALID, text)
    if request.rounds and request.rounds % 2 == 0:
        text = f"the number of rounds is odd, so that somebody wins, not {request.rounds}"
        raise RobotError(Reason.INVALID, text)
    if request.rounds > 1 and not rules.has_rounds:
        raise RobotError(Reason.INVALID, f"{rules.name} has one round, not {request.rounds}")
    if request.is_solo and not rules.can_be_solo:
        raise RobotError(Reason.INVALID, f"{rules.name} is not played alone")
    if not 0 <= request.player_cube <= 3:
        text = (
            f"player_cube is 1, 2 or 3, or 0 for the one that is tapped: not {request.player_cube}"
        )
        raise RobotError(Reason.INVALID, text)
    return rules


def _check_level(rules: GameRules, level: int) -> None:
    if not 1 <= level <= rules.levels:
        text = f"{rules.name} has levels from 1 to {rules.levels}, not {level}"
        raise RobotError(Reason.INVALID, text)
