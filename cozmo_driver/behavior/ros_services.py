"""What users ask of the personality: the services and the action ``behavior/*``."""

from __future__ import annotations

import asyncio
import fnmatch

from std_srvs.srv import SetBool

from cozmo_interfaces.action import RunBehavior
from cozmo_interfaces.msg import BehaviorInfo
from cozmo_interfaces.srv import ApplyNeedAction, ListBehaviors, TriggerReaction

from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from .executor import State
from .reaction_strategies import Facts
from .reactions import RAISED_WINDOW
from .ros_messages import needs_message
from .ros_personality import Personality
from .triggers import UnknownTrigger, trigger_named

_CHECK_PERIOD = 0.02
_OFF = "the personality is switched off: call behavior/enable with true"


class Services:
    """Services and the action; all is done in the loop."""

    def __init__(self, context: NodeContext, personality: Personality) -> None:
        self._context, self._personality = context, personality
        self._engine, self._inner = personality.engine, personality.inner
        for kind, name, handle in (
            (SetBool, "behavior/enable", self._enable),
            (ListBehaviors, "behavior/list", self._list),
            (ApplyNeedAction, "behavior/apply_need_action", self._apply),
            (TriggerReaction, "behavior/trigger_reaction", self._trigger),
        ):
            context.jobs.serve(kind, name, handle)
        ActionBridge(context, RunBehavior, "behavior/run", self._run)

    async def _enable(self, request: SetBool.Request, _: SetBool.Response) -> str:
        self._engine.enable(bool(request.data))
        return f"the personality is switched {'on' if request.data else 'off'}"

    async def _list(self, request: ListBehaviors.Request, response: ListBehaviors.Response) -> str:
        engine, inner = self._engine, self._inner
        response.behaviors = [
            self._info(name)
            for name in sorted(engine.behaviors)
            if fnmatch.fnmatchcase(name, str(request.filter) or "*")
        ]
        response.activities = list(engine.activities.all)
        response.reactions = [trigger.file_name for trigger in inner.reactions.answered]
        response.need_actions = sorted(inner.needs.config.actions)
        return "" if response.behaviors else f"no behaviour is named like '{request.filter}'"

    async def _apply(
        self, request: ApplyNeedAction.Request, response: ApplyNeedAction.Response
    ) -> str:
        needs, action = self._inner.needs, str(request.action)
        outcome = self._inner.act(action)
        response.needs = needs_message(needs.levels, needs.brackets, self._context.stamp_now())
        if outcome.refusal:
            reason = Reason.BUSY if action in needs.config.actions else Reason.NOT_FOUND
            raise RobotError(reason, outcome.refusal)
        return ", ".join(f"{need.value} {delta:+.2f}" for need, delta in outcome.deltas.items())

    async def _trigger(
        self, request: TriggerReaction.Request, response: TriggerReaction.Response
    ) -> str:
        response.behavior_id = await self._react(str(request.reaction))
        return f"{response.behavior_id} reacts to {request.reaction}"

    def _info(self, name: str) -> BehaviorInfo:
        behavior = self._engine.behaviors[name]
        why_never = self._personality.why_unsupported(behavior)
        why_not = why_never or behavior.why_not(self._engine.situation)
        return BehaviorInfo(
            behavior_id=name,
            behavior_class=behavior.config.class_name,
            is_supported=not why_never,
            is_runnable=not why_not,
            message=why_not,
            animations=list(behavior.triggers),
        )

    async def _react(self, name: str) -> str:
        """Raise a trigger; return the behaviour that answers. Raises ``RobotError``."""
        engine, reactions = self._engine, self._inner.reactions
        try:
            trigger = trigger_named(name)
            if trigger not in reactions.answered:
                raise UnknownTrigger(f"no behaviour answers the trigger {name!r}")
        except UnknownTrigger as error:
            raise RobotError(Reason.NOT_FOUND, f"{error}; see behavior/list") from error
        if not engine.is_enabled:
            raise RobotError(Reason.NOT_ALLOWED, _OFF)
        now = engine.snapshot
        if now.state is State.SUSPENDED:
            raise RobotError(Reason.BUSY, f"the robot gives way to {now.suspended_by}")
        if why := engine.situation.senses.why_unusable:
            raise RobotError(Reason.NOT_CONNECTED, why)
        seen = engine.trace.total
        loop = asyncio.get_running_loop()
        self._inner.request_reaction(name)
        ends_at = loop.time() + RAISED_WINDOW
        why = ""
        while loop.time() < ends_at:
            here = engine.situation
            facts = Facts(loop.time(), here.senses.off_treads, sight=here.body.sight)
            why = reactions.why_not(trigger, facts) or why
            await asyncio.sleep(_CHECK_PERIOD)
            count, seen = engine.trace.total - seen, engine.trace.total
            for decision in list(engine.trace.decisions)[-count:] if count else ():
                if decision.kind != "reaction":
                    continue
                if not decision.chosen and decision.reason.startswith(f"{trigger.file_name}: "):
                    raise RobotError(Reason.NOT_ALLOWED, decision.reason)
                if engine.snapshot.reaction == trigger.file_name:
                    return decision.chosen
        raise RobotError(Reason.BUSY, f"{name} did not get its turn: {why}")

    async def _run(self, goal: Goal) -> str:
        request = goal.request

        def report(completed: int, behavior_id: str, step: str) -> None:
            goal.result.runs_completed = completed
            goal.publish(
                RunBehavior.Feedback(runs_completed=completed, behavior_id=behavior_id, step=step)
            )

        name, count = str(request.behavior_id), int(request.run_count)
        done = await self._engine.run_behavior(name, count, tuple(request.animations), report)
        goal.result.runs_completed = done
        return f"{name} ran {done} times" if done != 1 else f"{name} ran to its end"
