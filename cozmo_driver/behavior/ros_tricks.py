"""What people ask to see: the action ``do_trick`` and the service ``list_tricks``."""

from __future__ import annotations

from typing import NamedTuple

from cozmo_interfaces.action import DoTrick
from cozmo_interfaces.msg import TrickInfo
from cozmo_interfaces.srv import ListTricks

from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from .behavior import Behavior
from .executor import Request
from .ros_games import OFF
from .ros_personality import Personality


class Trick(NamedTuple):
    behavior: str
    takes_object: bool = False
    """It can be told with what."""


TRICKS = {
    "align": Trick("Trick_AlignWithCube", True),
    "build_pyramid": Trick("Trick_BuildPyramid"),
    "dance": Trick("Music_Dance"),
    "fire_truck": Trick("Spark_FireTruck"),
    "follow": Trick("Trick_FollowObject", True),
    "greet": Trick("Trick_GreetPerson"),
    "knock_over": Trick("Trick_KnockOverCubes"),
    "look_for_object": Trick("Trick_LookForObject", True),
    "pick_up_cube": Trick("Trick_PickUpAndPutDownCube", True),
    "pop_a_wheelie": Trick("Trick_PopAWheelie", True),
    "roll_cube": Trick("Trick_RollBlock", True),
    "sing": Trick("Music_Sing"),
    "stack_cubes": Trick("Trick_StackBlocks", True),
    "workout": Trick("Trick_CubeLiftWorkout"),
}
"""By name, sorted."""
_LONGEST_NAME = 64


class Tricks:
    """Offers the tricks; all is done in the loop."""

    def __init__(self, context: NodeContext, personality: Personality) -> None:
        self._engine, self._personality = personality.engine, personality
        context.jobs.serve(ListTricks, "list_tricks", self._list)
        ActionBridge(context, DoTrick, "do_trick", self._do)

    async def _list(self, _: ListTricks.Request, response: ListTricks.Response) -> str:
        response.tricks = [self._info(name) for name in TRICKS]
        possible = sum(trick.is_possible for trick in response.tricks)
        return f"{possible} of {len(response.tricks)} tricks could begin now"

    def _info(self, name: str) -> TrickInfo:
        behavior = self._behavior(name)
        lacks = [] if self._engine.is_enabled else [OFF]
        why_never = self._personality.why_unsupported(behavior)
        if why := why_never or behavior.why_not(self._engine.situation):
            lacks.append(why)
        about = behavior.kind.about if behavior.kind else ""
        return TrickInfo(
            trick=name,
            about=about,
            takes_object=TRICKS[name].takes_object,
            is_possible=not lacks,
            missing=lacks,
        )

    def _behavior(self, name: str) -> Behavior:
        """Return what does a trick. Raises ``RobotError``."""
        trick = TRICKS.get(name)
        behavior = trick and self._engine.behaviors.get(trick.behavior)
        if behavior is None:
            text = f"there is no trick {name!r}; there are {', '.join(TRICKS)}"
            raise RobotError(Reason.NOT_FOUND, text)
        return behavior

    async def _do(self, goal: Goal) -> str:
        name = str(goal.request.trick)
        thing = str(goal.request.object)
        behavior = self._behavior(name)
        if thing and not TRICKS[name].takes_object:
            raise RobotError(Reason.INVALID, f"{name} takes no object; leave it empty")
        if len(thing) > _LONGEST_NAME:
            raise RobotError(Reason.INVALID, f"no object has a name as long as {thing[:20]!r}...")
        if not self._engine.is_enabled:
            raise RobotError(Reason.NOT_ALLOWED, OFF)

        def on_progress(_: int, __: str, step: str) -> None:
            goal.publish(DoTrick.Feedback(step=step))

        values = {"object": thing} if thing else {}
        await self._engine.serve(Request(behavior, on_progress=on_progress, values=values))
        return f"the robot has done {name}"
