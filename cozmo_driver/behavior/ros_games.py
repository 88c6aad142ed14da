"""What people ask to play: the action ``play_game`` and the service ``list_games``."""

from __future__ import annotations

from cozmo_interfaces.action import PlayGame
from cozmo_interfaces.msg import GameInfo
from cozmo_interfaces.srv import ListGames

from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from ..ros.geometry import filled
from .behaviors.game_table import missing
from .executor import Request, RequestEnded
from .games import GAMES, GameRules, GameState, Side
from .ros_personality import Personality

OFF = "the personality is switched off: call behavior/enable with true"
_WINS = {
    Side.NOBODY: "the game is over",
    Side.ROBOT: "the robot has won",
    Side.PLAYER: "the player has won",
    Side.BOTH: "it is a draw",
}


class Games:
    """Offers the games; all is done in the loop."""

    def __init__(self, context: NodeContext, personality: Personality) -> None:
        self._engine = personality.engine
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
            can_be_solo=rules.can_be_solo,
            is_playable=not lacks,
            missing=lacks,
        )

    async def _play(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        rules = _rules_of(request)
        if not self._engine.is_enabled:
            raise RobotError(Reason.NOT_ALLOWED, OFF)
        if lacks := missing(self._engine.situation, rules):
            raise RobotError(Reason.NOT_ALLOWED, f"{rules.name} cannot begin: {'; '.join(lacks)}")

        def on_game(state: GameState) -> None:
            goal.publish(filled(PlayGame.Feedback, state, phase=state.phase.value))
            for name in ("round", "robot_points", "player_points", "robot_rounds", "player_rounds"):
                setattr(result, name, getattr(state, name))
            result.winner = int(state.winner)

        values = {"level": request.level, "solo": request.is_solo}
        values |= {"rounds": request.rounds} if request.rounds else {}
        values |= {"playerCube": request.player_cube} if request.player_cube else {}
        behavior = self._engine.behaviors.get(rules.behavior)
        if behavior is None:
            raise RequestEnded(Reason.NOT_FOUND, f"there is no behaviour {rules.behavior!r}")
        await self._engine.serve(Request(behavior, values=values, on_game=on_game))
        return _WINS[Side(result.winner)]


def _rules_of(request: PlayGame.Goal) -> GameRules:
    """Return the rules of what is asked for. Raises ``RobotError``."""
    rules = GAMES.get(str(request.game))
    if rules is None:
        text = f"there is no game {request.game!r}; there are {', '.join(GAMES)}"
        raise RobotError(Reason.NOT_FOUND, text)
    if not 1 <= request.level <= rules.levels:
        text = f"{rules.name} has levels from 1 to {rules.levels}, not {request.level}"
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
