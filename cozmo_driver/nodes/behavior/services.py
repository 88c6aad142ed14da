"""What users ask of the personality: the services and the action ``behavior/*``."""

from __future__ import annotations

import asyncio
import fnmatch
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import SetBool

from cozmo_interfaces.action import RunBehavior
from cozmo_interfaces.msg import BehaviorInfo
from cozmo_interfaces.srv import ApplyNeedAction, ListBehaviors, TriggerReaction

from ...behavior.body import ActionFailed
from ...behavior.executor import State
from ...behavior.reaction_strategies import Facts
from ...behavior.reactions import RAISED_WINDOW
from ...behavior.triggers import UnknownTrigger, trigger_named
from ...robot import Reason
from ..action_bridge import ActionBridge, Goal
from ..context import NodeContext
from ..conversions.behavior import behavior_info_message, needs_message
from ..errors import refuse
from ..jobs import Jobs
from .personality import Personality

_CHECK_PERIOD = 0.02
_OFF = "the personality is switched off: call behavior/enable with true"


class Services:
    """Answers in the executor's thread; what is done is done in the loop."""

    def __init__(self, context: NodeContext, jobs: Jobs, personality: Personality) -> None:
        self._context, self._jobs, self._personality = context, jobs, personality
        self._engine, self._inner = personality.engine, personality.inner
        node = context.node
        self._services = [
            node.create_service(SetBool, "behavior/enable", self._enable),
            node.create_service(ListBehaviors, "behavior/list", self._list),
            node.create_service(ApplyNeedAction, "behavior/apply_need_action", self._apply),
            node.create_service(
                TriggerReaction,
                "behavior/trigger_reaction",
                self._trigger,
                callback_group=ReentrantCallbackGroup(),
            ),
        ]
        self._action = ActionBridge(context, RunBehavior, "behavior/run", self._run)

    # -- in the executor's thread

    def _enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._context.in_loop(self._engine.enable, bool(request.data))
        response.success = True
        response.message = f"the personality is switched {'on' if request.data else 'off'}"
        return response

    def _list(
        self, request: ListBehaviors.Request, response: ListBehaviors.Response
    ) -> ListBehaviors.Response:
        self._context.in_loop(self._fill_list, str(request.filter), response)
        response.success, response.reason = True, int(Reason.NONE)
        if not response.behaviors:
            response.message = f"no behaviour is named like '{request.filter}'"
        return response

    def _apply(
        self, request: ApplyNeedAction.Request, response: ApplyNeedAction.Response
    ) -> ApplyNeedAction.Response:
        needs = self._inner.needs
        known = str(request.action) in needs.config.actions
        outcome = self._context.in_loop(self._act, str(request.action))
        response.success = not outcome.refusal
        reason = Reason.BUSY if known else Reason.NOT_FOUND
        response.reason = int(reason if outcome.refusal else Reason.NONE)
        response.message = outcome.refusal or _deltas(outcome.deltas)
        response.needs = needs_message(
            self._inner.needs.levels, self._inner.needs.brackets, self._context.stamp_now()
        )
        return response

    async def _trigger(
        self, request: TriggerReaction.Request, response: TriggerReaction.Response
    ) -> TriggerReaction.Response:
        try:
            found = await self._jobs.result_of(self._react(str(request.reaction)))
        except Exception as error:
            return refuse(response, error, "behavior/trigger_reaction")
        response.success, response.reason = True, int(Reason.NONE)
        response.behavior_id = found
        response.message = f"{found} reacts to {request.reaction}"
        return response

    # -- in the loop

    def _act(self, action: str) -> Any:
        return self._inner.needs.apply(action, asyncio.get_running_loop().time())

    def _fill_list(self, pattern: str, response: ListBehaviors.Response) -> None:
        engine, inner = self._engine, self._inner
        response.behaviors = [
            self._info(name)
            for name in sorted(engine.behaviors)
            if fnmatch.fnmatchcase(name, pattern or "*")
        ]
        response.activities = list(engine.activities.all)
        response.reactions = [trigger.file_name for trigger in inner.reactions.answered]
        response.need_actions = sorted(inner.needs.config.actions)

    def _info(self, name: str) -> BehaviorInfo:
        behavior = self._engine.behaviors[name]
        return behavior_info_message(
            name,
            behavior.config.class_name,
            tuple(behavior.triggers),
            why_unsupported=self._personality.why_unsupported(behavior),
            why_not_now=behavior.why_not(self._engine.situation),
        )

    async def _react(self, name: str) -> str:
        """Raise a trigger; return the behaviour that answers. Raises ``ActionFailed``."""
        engine, reactions = self._engine, self._inner.reactions
        try:
            trigger = trigger_named(name)
            if trigger not in reactions.answered:
                raise UnknownTrigger(f"no behaviour answers the trigger {name!r}")
        except UnknownTrigger as error:
            raise ActionFailed(Reason.NOT_FOUND, f"{error}; see behavior/list") from error
        if not engine.is_enabled:
            raise ActionFailed(Reason.NOT_ALLOWED, _OFF)
        now = engine.snapshot
        if now.state is State.SUSPENDED:
            raise ActionFailed(Reason.BUSY, f"the robot gives way to {now.suspended_by}")
        if not engine.situation.senses.is_connected:
            raise ActionFailed(Reason.NOT_CONNECTED, "there is no robot")
        seen = engine.trace.total
        loop = asyncio.get_running_loop()
        self._inner.raise_by_hand(name)
        ends_at = loop.time() + RAISED_WINDOW
        why = ""
        while loop.time() < ends_at:
            facts = Facts(loop.time(), engine.situation.senses.off_treads)
            why = reactions.why_not(trigger, facts) or why
            await asyncio.sleep(_CHECK_PERIOD)
            count, seen = engine.trace.total - seen, engine.trace.total
            for decision in list(engine.trace.decisions)[-count:] if count else ():
                if decision.kind != "reaction":
                    continue
                if not decision.chosen and decision.reason.startswith(f"{trigger.file_name}: "):
                    raise ActionFailed(Reason.NOT_ALLOWED, decision.reason)
                if engine.snapshot.reaction == trigger.file_name:
                    return decision.chosen
        raise ActionFailed(Reason.BUSY, f"{name} did not get its turn: {why}")

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


def _deltas(deltas: Any) -> str:
    return ", ".join(f"{need.value} {delta:+.2f}" for need, delta in deltas.items())
