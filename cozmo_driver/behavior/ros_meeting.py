"""Getting to know a person: the action ``meet_person``."""

from __future__ import annotations

import asyncio

from cozmo_interfaces.action import MeetPerson
from cozmo_interfaces.srv import SetVisionModes

from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.clients import QUERY_TIMEOUT, call
from ..ros.context import NodeContext
from .executor import Request
from .ros_games import OFF
from .ros_personality import Personality
from .sight import Sense

_BEHAVIOR = "Meet_EnrollFace"
_LONGEST_NAME = 40
_SEES_WITHIN, _POLL = 5.0, 0.1
"""s until images with faces come once they are asked for."""


class Meeting:
    """Offers the action; all is done in the loop."""

    def __init__(self, context: NodeContext, personality: Personality) -> None:
        self._context, self._engine = context, personality.engine
        self._modes = context.node.create_client(SetVisionModes, "set_vision_modes")
        ActionBridge(context, MeetPerson, "meet_person", self._meet)

    async def _meet(self, goal: Goal) -> str:
        name = str(goal.request.name).strip()
        if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
            text = f"a name has 1 to {_LONGEST_NAME} printable characters"
            raise RobotError(Reason.INVALID, text)
        if not goal.request.has_agreed:
            text = (
                f"{name} has to agree first that this computer keeps features of the face: "
                "ask, and set has_agreed"
            )
            raise RobotError(Reason.NOT_ALLOWED, text)
        if not self._engine.is_enabled:
            raise RobotError(Reason.NOT_ALLOWED, OFF)
        await self._look_for_faces()
        behavior = self._engine.behaviors[_BEHAVIOR]

        def on_progress(_: int, __: str, step: str) -> None:
            goal.publish(MeetPerson.Feedback(step=step))

        request = Request(behavior, on_progress=on_progress, values={"name": name})
        await self._engine.serve(request)
        memory = self._engine.situation.memory.get(_BEHAVIOR, {})
        goal.result.face_id = int(memory.get("face_id", 0))
        how = "" if goal.result.face_id > 0 else " by the place, for now"
        return f"the robot knows {name}{how}; forget_face deletes that"

    async def _look_for_faces(self) -> None:
        """Have the vision node look for faces: whoever asks to be met wants that."""
        sight = self._engine.situation.body
        if Sense.FACES in sight.sight.looks_for:
            return
        if not self._modes.service_is_ready():
            text = "nobody looks for faces: run the vision node"
            raise RobotError(Reason.UNSUPPORTED, text)
        request = SetVisionModes.Request(enable=["faces"])
        answer = await call(
            self._context, self._modes, request, "set_vision_modes", timeout=QUERY_TIMEOUT
        )
        if not answer.success:
            raise RobotError(Reason(answer.reason), answer.message)
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + _SEES_WITHIN
        while Sense.FACES not in sight.sight.looks_for and loop.time() < ends_at:
            await asyncio.sleep(_POLL)
