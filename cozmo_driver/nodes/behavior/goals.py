"""Goals that the personality sends to the driver's actions."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from unique_identifier_msgs.msg import UUID

from ...behavior.body import ActionFailed
from ...robot import Reason
from ..context import NodeContext
from ..rclpy_compat import action_services
from .asking import answered, ask, not_offered

_END_PATIENCE = 1.0
"""s for which whoever cancels a goal waits until it has ended."""
_REMEMBERED = 500


class OwnGoals:
    """Which goals on the graph are the personality's own; may be asked in any thread."""

    def __init__(self) -> None:
        """Start with none."""
        self._ids: dict[bytes, None] = {}
        self._newest = b""
        self.on_taken: Callable[[str], object] = lambda _: None
        """Hears, in the loop, of what of others a goal had to give way to, for people."""

    def new(self) -> UUID:
        """Return the id of a goal that is about to be sent."""
        made = uuid.uuid4().bytes
        self._ids[made] = None
        self._newest = made
        if len(self._ids) > _REMEMBERED:
            del self._ids[next(iter(self._ids))]
        return UUID(uuid=list(made))

    def superseded(self, goal_id: UUID, action: str) -> None:
        """Learn that something newer took over: somebody else's, where none of ours is newer."""
        if bytes(goal_id.uuid) == self._newest:
            self.on_taken(f"what took the place of {action}")

    def __contains__(self, goal_id: bytes) -> bool:
        """Tell whether a goal is one of the latest."""
        return goal_id in self._ids


class GoalClient:
    """One action, used in the loop: cancelling whoever awaits a goal cancels the goal.

    Through the services that an action is made of: rclpy's client wakes the executor with every
    feedback, which costs more than everything else of the personality, and nobody here wants it.
    """

    def __init__(self, context: NodeContext, kind: Any, name: str, own: OwnGoals) -> None:
        """Prepare; the server may come and go."""
        self._context, self._kind, self._name, self._own = context, kind, name, own
        make, (send, get) = context.node.create_client, action_services(kind)
        self._send = make(send, f"{name}/_action/send_goal")
        self._get = make(get, f"{name}/_action/get_result")
        self._cancel = make(CancelGoal, f"{name}/_action/cancel_goal")
        self._pursuits: set[asyncio.Task[Any]] = set()

    async def do(self, **fields: Any) -> Any:
        """Send a goal and return its result. Raises ``ActionFailed``."""
        if not self._is_there():
            raise not_offered(self._name)
        unwanted = asyncio.Event()
        pursuit = asyncio.ensure_future(self._pursue(self._kind.Goal(**fields), unwanted))
        self._pursuits.add(pursuit)
        pursuit.add_done_callback(self._forget)
        try:
            return await asyncio.shield(pursuit)
        except asyncio.CancelledError:
            # From now on it ends by itself, also where whoever waits here is cancelled again.
            unwanted.set()
            await asyncio.wait([pursuit], timeout=_END_PATIENCE)
            raise

    async def settle(self) -> None:
        """Wait a moment until every goal that was cancelled has ended."""
        if self._pursuits:
            await asyncio.wait(self._pursuits, timeout=_END_PATIENCE)

    async def _pursue(self, goal: Any, unwanted: asyncio.Event) -> Any:
        """Send, wait, and cancel as soon as it is unwanted and can be."""
        goal_id = self._own.new()
        accepted = await self._answer(self._send, goal_id=goal_id, goal=goal)
        if not accepted.accepted:
            raise ActionFailed(Reason.BUSY, f"{self._name} refuses the goal")
        ended = asyncio.ensure_future(self._answer(self._get, goal_id=goal_id))
        ending = asyncio.ensure_future(unwanted.wait())
        try:
            await asyncio.wait({ended, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await self._answer(self._cancel, goal_info=GoalInfo(goal_id=goal_id))
            result = (await ended).result
        finally:
            ending.cancel()
            ended.cancel()
        if not result.success:
            if result.reason == Reason.SUPERSEDED:
                self._own.superseded(goal_id, self._name)
            raise ActionFailed(Reason(result.reason), result.message)
        return result

    async def _answer(self, client: Any, **fields: Any) -> Any:
        request = client.srv_type.Request(**fields)
        answer = ask(self._context, lambda: client.call_async(request))
        return await answered(answer, self._is_there, self._name)

    def _is_there(self) -> bool:
        return all(one.service_is_ready() for one in (self._send, self._get, self._cancel))

    def _forget(self, pursuit: asyncio.Task[Any]) -> None:
        self._pursuits.discard(pursuit)
        if not pursuit.cancelled():
            pursuit.exception()
