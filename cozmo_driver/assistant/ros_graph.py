"""What an assistant reads of the graph, and the only services, actions and topics it may use."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from action_msgs.srv import CancelGoal
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState

from cozmo_interfaces.action import (
    Dance,
    DoTrick,
    DriveDistance,
    GoToPose,
    MoveHead,
    MoveLift,
    PlayAnimation,
    PlayGame,
    Say,
    Sing,
    TurnInPlace,
    Undock,
)
from cozmo_interfaces.msg import (
    BackpackLights,
    Cube,
    CubeArray,
    CubeEvent,
    CubeLights,
    Expression,
    GameRequest,
    GameState,
    ObjectState,
    ObjectStates,
    RobotEvent,
    RobotStatus,
)
from cozmo_interfaces.srv import ListAnimations, ListGames, ListSongs, ListTricks

from ..protocol import NotConnected
from ..robot import OffTreads, Pose2D, Reason, RobotError, RobotEventType
from ..ros.clients import (
    MANIPULATION_ACTIONS,
    NAV2_ACTIONS,
    QUERY_TIMEOUT,
    GoalClient,
    OwnGoals,
    call,
    unavailable,
    wait_for_service,
)
from ..ros.context import NodeContext
from ..ros.cube_messages import EVENTS
from ..ros.geometry import plane_pose, seconds
from ..ros.rclpy_compat import LatestMessage
from ..ros.topics import COMMAND, EVENT, LATCHED
from .data import Happening

_log = logging.getLogger(__name__)
ACTIONS: Mapping[str, Any] = {
    "drive_distance": DriveDistance,
    "turn_in_place": TurnInPlace,
    "go_to_pose": GoToPose,
    "undock": Undock,
    "move_head": MoveHead,
    "move_lift": MoveLift,
    "play_animation": PlayAnimation,
    "say": Say,
    "sing": Sing,
    "dance": Dance,
    "play_game": PlayGame,
    "do_trick": DoTrick,
}
"""Of which an assistant sends goals."""
_OTHERS = (
    "follow_path",
    "dock",
    *MANIPULATION_ACTIONS,
    "localize",
    "learn_map",
    "play_audio",
    "behavior/run",
    "meet_person",
)
"""Which it only stops: all but ``update_firmware``, which must not be broken off."""
_SERVICES: Mapping[str, Any] = {
    "list_animations": ListAnimations,
    "list_games": ListGames,
    "list_tricks": ListTricks,
    "list_songs": ListSongs,
}
_COMMANDS: Mapping[str, Any] = {
    "face/expression": Expression,
    "backpack_lights": BackpackLights,
    "cube_lights": CubeLights,
}
_READ: Mapping[str, tuple[Any, Any]] = {
    "status": (RobotStatus, COMMAND),
    "odom": (Odometry, COMMAND),
    "battery_state": (BatteryState, COMMAND),
    "cubes": (CubeArray, LATCHED),
    "object_states": (ObjectStates, LATCHED),
    "game_state": (GameState, LATCHED),
    "game_request": (GameRequest, LATCHED),
}
_CANCEL = "/_action/cancel_goal"
_SILENCE = 1.5
"""s without odometry after which the robot is gone."""
_CUBE_EVENTS = {number: kind.name.lower() for kind, number in EVENTS.items()}


def score_of(game: GameState | PlayGame.Result, what: str, has_second: bool) -> str:
    """Return the points or rounds of all who play: ``2 to 1 rounds``."""
    sides = ("robot", "player", "second") if has_second else ("robot", "player")
    return f"{' to '.join(str(getattr(game, f'{side}_{what}')) for side in sides)} {what}"


class AssistantGraph:
    """Made in any thread before the node spins, used in the loop's."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context
        node = context.node
        own = OwnGoals()
        self._goals = {name: GoalClient(context, kind, name, own) for name, kind in ACTIONS.items()}
        self._cancels = [
            node.create_client(CancelGoal, f"{name}{_CANCEL}")
            for name in (*ACTIONS, *_OTHERS, *NAV2_ACTIONS)
        ]
        self._services = {name: node.create_client(kind, name) for name, kind in _SERVICES.items()}
        self._commands = {
            name: node.create_publisher(kind, name, COMMAND) for name, kind in _COMMANDS.items()
        }
        self._topics = {
            name: LatestMessage[Any](node, kind, name, qos) for name, (kind, qos) in _READ.items()
        }
        self._latest: dict[str, Any] = {}
        self._halting: set[asyncio.Task[None]] = set()
        self.on_event: Callable[[Happening], object] = lambda _: None
        context.listen(RobotEvent, "events", self._on_robot_event, EVENT)
        context.listen(CubeEvent, "cube_events", self._on_cube_event, EVENT)

    # -- reading

    def status(self) -> RobotStatus:
        """Return the state of the robot. Raises ``RobotError`` where there is none."""
        status, odometry = self._newest("status"), self._newest("odom")
        # By its stamp: a message that nobody has taken waits as long as it likes.
        age = math.inf if status is None or odometry is None else self._age(odometry)
        if age > _SILENCE:
            text = "no robot is ready: is its driver running, and connected?"
            if age < math.inf:
                text += f" Its last state is {age:.1f} s old by the clock of this computer"
            raise RobotError(Reason.NOT_CONNECTED, text)
        return status

    def pose(self) -> Pose2D:
        self.status()
        return plane_pose(self._latest["odom"].pose.pose)

    @property
    def odom_frame(self) -> str:
        return str(self._latest["odom"].header.frame_id)

    def posture(self) -> str:
        return OffTreads(self.status().off_treads_state).name.lower().replace("_", " ")

    def battery_level(self) -> float:
        """Return 0 to 1, NaN where it is not known."""
        battery = self._newest("battery_state")
        return math.nan if battery is None else float(battery.percentage)

    def cubes(self) -> Sequence[Cube]:
        found = self._newest("cubes")
        return () if found is None else found.cubes

    def objects(self) -> Sequence[ObjectState]:
        """Return what has a known place."""
        found = self._newest("object_states")
        objects = () if found is None else found.objects
        return [one for one in objects if one.state != ObjectState.UNKNOWN]

    def game(self) -> str:
        asked, state = self._newest("game_request"), self._newest("game_state")
        lines = [f"the robot asks: {asked.text}"] if asked is not None and asked.game else []
        if state is not None and state.game:
            has_second = state.second_points > 0 or state.second_rounds > 0
            who = "robot to player" + " to second player" * has_second
            points, rounds = (score_of(state, what, has_second) for what in ("points", "rounds"))
            what = f"round {state.round}" if state.is_playing else "over"
            lines.append(f"{state.game}, {what}: {who} {points}, {rounds}; {state.text}")
        return "\n".join(lines) or "nothing is played, and nobody is asked"

    # -- acting

    async def call(self, service: str, **fields: Any) -> Any:
        """Return the answer of a service. Raises ``RobotError`` for a failure, too."""
        client = self._services[service]
        await wait_for_service(client)
        answer = await call(self._context, client, client.srv_type.Request(**fields), service)
        if not answer.success:
            raise RobotError(Reason(answer.reason), answer.message)
        return answer

    async def do(self, action: str, **fields: Any) -> Any:
        """Pursue a goal to its end and return its result. Raises ``RobotError``."""
        if not self._goals[action].is_there:
            raise unavailable(action)
        return await self._goals[action].do(**fields)

    async def send(self, action: str, goal: Any) -> Any:
        """Pursue a goal that is a message."""
        names = goal.get_fields_and_field_types()
        return await self.do(action, **{name: getattr(goal, name) for name in names})

    def publish(self, message: Any, topic: str) -> None:
        self.status()
        self._commands[topic].publish(message)

    async def cancel_everything(self) -> None:
        """Cancel every goal of every action, Nav2's too, whoever sent it.

        Raises ``RobotError`` where somebody who is there does not confirm it.
        """
        there = [client for client in self._cancels if client.service_is_ready()]
        if not there:
            raise NotConnected("nobody is there who could stop: is the driver running?")
        request = CancelGoal.Request()
        asked = (call(self._context, one, request, timeout=QUERY_TIMEOUT) for one in there)
        answers = await asyncio.gather(*asked, return_exceptions=True)
        silent = [
            one.srv_name.removesuffix(_CANCEL)
            for one, answer in zip(there, answers, strict=True)
            if isinstance(answer, BaseException) and one.service_is_ready()
        ]
        if silent:
            text = f"not confirmed by {', '.join(silent)}: stop again, or stop the robot by hand"
            raise RobotError(Reason.TIMEOUT, text)

    def halt(self) -> None:
        task = asyncio.ensure_future(self._halt())
        self._halting.add(task)
        task.add_done_callback(self._halting.discard)

    async def settle(self) -> None:
        """Wait a moment for what was halted."""
        if self._halting:
            await asyncio.wait(self._halting, timeout=_SILENCE)

    async def _halt(self) -> None:
        try:
            await self.cancel_everything()
        except NotConnected:
            return  # nobody moves then
        except RobotError as error:
            _log.warning("%s", error)

    # -- inside

    def _newest(self, topic: str) -> Any:
        if (message := self._topics[topic].take()) is not None:
            self._latest[topic] = message
        return self._latest.get(topic)

    def _on_robot_event(self, message: RobotEvent) -> None:
        self._report(message, RobotEventType(message.type).name.lower())

    def _on_cube_event(self, message: CubeEvent) -> None:
        self._report(message, _CUBE_EVENTS.get(message.type, "unknown"))

    def _report(self, message: RobotEvent | CubeEvent, kind: str) -> None:
        now = asyncio.get_running_loop().time()
        age = max(0.0, self._age(message))
        self.on_event(Happening(now - age, kind, message.description))

    def _age(self, message: Any) -> float:
        return self._context.ros_now() * 1e-9 - seconds(message.header.stamp)
