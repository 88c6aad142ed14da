"""Services and actions of the driver, as the loop uses them."""

from __future__ import annotations

import asyncio
import contextlib
import math
import uuid
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from unique_identifier_msgs.msg import UUID

from cozmo_interfaces.action import Dock, DriveDistance, FollowPath, MoveHead, MoveLift, TurnInPlace

from ..link import with_timeout
from ..robot import Reason, RobotError
from .context import NodeContext
from .rclpy_compat import action_services

_FOUND_TIMEOUT = 10.0
_FOUND_PERIOD = 0.1
_CHECK_PERIOD = 1.0
"""s between two checks whether the server is still there."""
_END_TIMEOUT = 1.0
"""s for which whoever cancels a goal waits until it has ended."""
_ANSWER_TIMEOUTS = (3.0, 10.0)
"""s in which a server answers whether it accepts, or ends, a goal: it is asked once more."""
_RESULT_PERIOD = 10.0
"""s after which a result is asked for again; servers keep results for 30 s."""
QUERY_TIMEOUT = 5.0
"""s in which a service answers that only looks something up or sets a parameter, on a busy
computer too."""
_QUERIES = ("list", "get_", "describe_", "set_parameters")
_REMEMBERED = 500

MOVING_ACTIONS = {
    "follow_path": FollowPath,
    "drive_distance": DriveDistance,
    "turn_in_place": TurnInPlace,
    "move_lift": MoveLift,
    "move_head": MoveHead,
    "dock": Dock,
}
"""Actions of the driver by which manipulation moves the robot."""
MANIPULATION_ACTIONS = (
    "dock_charger",
    "go_to_object",
    "go_to_pose_avoiding",
    "pick_up_cube",
    "place_cube",
    "roll_cube",
    "stack_cubes",
    "align",
    "pop_a_wheelie",
    "knock_over",
    "build_pyramid",
    "find_object",
    "follow_object",
)
"""Of the manipulation node."""
NAV2_ACTIONS = (
    "navigate_to_pose",
    "navigate_through_poses",
    "follow_waypoints",
    "dock_robot",
    "undock_robot",
    "spin",
    "backup",
    "drive_on_heading",
)
"""Of Nav2, that move the robot; not follow_path, which is the driver's own, too."""


async def wait_for_service(client: Any) -> None:
    """Wait until a service is there. Raises ``RobotError`` after 10 s."""
    await _wait_until_found(client.service_is_ready, client.srv_name)


async def _wait_until_found(is_there: Callable[[], bool], name: str) -> None:
    """Wait for what is found later than the topics, and other services, of its node."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + _FOUND_TIMEOUT
    while not is_there():
        if loop.time() >= ends_at:
            raise unavailable(name)
        await asyncio.sleep(_FOUND_PERIOD)


def unavailable(name: str) -> RobotError:
    text = f"nobody offers {name}: is the driver running?"
    return RobotError(Reason.NOT_CONNECTED, text)


async def call(
    context: NodeContext,
    client: Any,
    request: Any,
    name: str = "",
    is_there: Callable[[], bool] | None = None,
    timeout: float | None = None,
) -> Any:
    """Return a service's response. Raises ``RobotError`` once ``is_there`` no longer holds.

    Set a ``timeout``, s, for what is answered at once: the middleware drops a response to a client
    that its server does not know yet. What lists, gets, describes or sets parameters has
    ``QUERY_TIMEOUT``.

    The request is sent in the executor's thread: elsewhere the response could come before the
    client knows of the request. Without an executor there is no response.
    """
    response: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    is_there = is_there or client.service_is_ready

    def on_response(sent: Any) -> None:
        context.thread.post(_settle, response, sent)

    def send() -> None:
        try:
            client.call_async(request).add_done_callback(on_response)
        except Exception as error:  # whatever it is belongs to whoever called, not to the executor
            context.thread.post(_fail, response, error)

    executor = context.node.executor
    if executor is not None:
        executor.create_task(send)
    name, loop = name or client.srv_name, asyncio.get_running_loop()
    if timeout is None:
        timeout = QUERY_TIMEOUT if name.rpartition("/")[2].startswith(_QUERIES) else math.inf
    ends_at = loop.time() + timeout
    while not response.done():
        await asyncio.wait([response], timeout=min(_CHECK_PERIOD, timeout))
        if not response.done() and not is_there():
            raise RobotError(Reason.LINK_LOST, f"nobody offers {name} any more")
        if not response.done() and loop.time() >= ends_at:
            raise RobotError(Reason.TIMEOUT, f"{name} did not answer within {timeout:g} s")
    return response.result()


def _settle(response: asyncio.Future[Any], sent: Any) -> None:
    error = sent.exception()
    if error is not None:
        _fail(response, error)
    elif not response.done():
        response.set_result(sent.result())


def _fail(response: asyncio.Future[Any], error: BaseException) -> None:
    if not response.done():
        response.set_exception(error)


class OwnGoals:
    """Which goals on the graph are the personality's own; may be asked in any thread."""

    def __init__(self) -> None:
        self._ids: dict[bytes, None] = {}
        self._newest = b""
        self.on_preempted: Callable[[str], object] = lambda _: None
        """Called in the loop with what of others a goal had to give way to, for people."""

    def new(self) -> UUID:
        made = uuid.uuid4().bytes
        self._ids[made] = None
        self._newest = made
        if len(self._ids) > _REMEMBERED:
            del self._ids[next(iter(self._ids))]
        return UUID(uuid=list(made))

    def superseded(self, goal_id: UUID, action: str) -> None:
        """Learn that something newer took over: somebody else's, where none of ours is newer."""
        if bytes(goal_id.uuid) == self._newest:
            self.on_preempted(f"what took the place of {action}")

    def __contains__(self, goal_id: bytes) -> bool:
        return goal_id in self._ids


class GoalClient:
    """One action, used in the loop: cancelling whoever awaits a goal cancels the goal.

    Through the services that an action is made of: rclpy's client wakes the executor with every
    feedback, which costs more than everything else of the personality, and nobody here wants it.
    """

    def __init__(self, context: NodeContext, kind: Any, name: str, own: OwnGoals) -> None:
        self._context, self._kind, self._name, self._own = context, kind, name, own
        make, (send, get) = context.node.create_client, action_services(kind)
        self._send = make(send, f"{name}/_action/send_goal")
        self._get = make(get, f"{name}/_action/get_result")
        self._cancel = make(CancelGoal, f"{name}/_action/cancel_goal")
        self._pursuits: set[asyncio.Task[Any]] = set()

    async def do(self, **fields: Any) -> Any:
        """Send a goal and return its result. Raises ``RobotError``."""
        await _wait_until_found(lambda: self.is_there, self._name)
        unwanted = asyncio.Event()
        pursuit = asyncio.ensure_future(self._pursue(self._kind.Goal(**fields), unwanted))
        self._pursuits.add(pursuit)
        pursuit.add_done_callback(self._forget)
        try:
            return await asyncio.shield(pursuit)
        except asyncio.CancelledError:
            # From now on it ends by itself, also where whoever waits here is cancelled again.
            unwanted.set()
            await asyncio.wait([pursuit], timeout=_END_TIMEOUT)
            raise

    @property
    def is_busy(self) -> bool:
        """Whether a goal has not ended yet, cancelled ones too."""
        return bool(self._pursuits)

    async def settle(self) -> None:
        """Wait a moment until every goal that was cancelled has ended."""
        if self._pursuits:
            await asyncio.wait(self._pursuits, timeout=_END_TIMEOUT)

    async def _pursue(self, goal: Any, unwanted: asyncio.Event) -> Any:
        goal_id, is_accepted = await self._send_goal(goal)
        if not is_accepted:
            raise RobotError(Reason.BUSY, f"{self._name} refuses the goal")
        ended = asyncio.ensure_future(self._result(goal_id))
        ending = asyncio.ensure_future(self._end_if(unwanted, goal_id))
        try:
            await asyncio.wait({ended, ending}, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                await ending
            result = await ended
        finally:
            ending.cancel()
            ended.cancel()
        if not result.success:
            if result.reason == Reason.SUPERSEDED:
                self._own.superseded(goal_id, self._name)
            raise RobotError(Reason(result.reason), result.message)
        return result

    async def _send_goal(self, goal: Any) -> tuple[UUID, bool]:
        """Send a goal; return its id and whether it is accepted.

        The middleware drops the answer to a client that the server does not know yet: it is sent
        again, once, and takes the place of the first one.
        """
        for timeout in _ANSWER_TIMEOUTS:
            goal_id = self._own.new()
            with contextlib.suppress(TimeoutError):
                sent = self._call(self._send, goal_id=goal_id, goal=goal)
                return goal_id, (await with_timeout(timeout, sent)).accepted
        with contextlib.suppress(TimeoutError):
            # It may have been accepted all the same.
            await with_timeout(_ANSWER_TIMEOUTS[0], self._ask_to_end(goal_id))
        raise self._unanswered()

    async def _end_if(self, unwanted: asyncio.Event, goal_id: UUID) -> None:
        """End a goal once it is unwanted. Raises ``RobotError`` where nobody answers."""
        await unwanted.wait()
        for timeout in _ANSWER_TIMEOUTS:
            with contextlib.suppress(TimeoutError):
                await with_timeout(timeout, self._ask_to_end(goal_id))
                return
        raise self._unanswered()

    async def _ask_to_end(self, goal_id: UUID) -> None:
        await self._call(self._cancel, goal_info=GoalInfo(goal_id=goal_id))

    async def _result(self, goal_id: UUID) -> Any:
        """Return a goal's result, asked for again and again: one answer may have been dropped."""
        while True:
            with contextlib.suppress(TimeoutError):
                asked = self._call(self._get, goal_id=goal_id)
                answer = await with_timeout(_RESULT_PERIOD, asked)
                if answer.status == GoalStatus.STATUS_UNKNOWN:
                    text = f"{self._name} does not know its goal any more: was its node restarted?"
                    raise RobotError(Reason.LINK_LOST, text)
                return answer.result

    def _unanswered(self) -> RobotError:
        waited = f"{sum(_ANSWER_TIMEOUTS):g} s"
        return RobotError(Reason.TIMEOUT, f"{self._name} did not answer within {waited}")

    async def _call(self, client: Any, **fields: Any) -> Any:
        request = client.srv_type.Request(**fields)
        return await call(self._context, client, request, self._name, lambda: self.is_there)

    @property
    def is_there(self) -> bool:
        return all(one.service_is_ready() for one in (self._send, self._get, self._cancel))

    def _forget(self, pursuit: asyncio.Task[Any]) -> None:
        self._pursuits.discard(pursuit)
        if not pursuit.cancelled():
            pursuit.exception()
