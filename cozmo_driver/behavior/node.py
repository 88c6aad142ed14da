"""The node ``cozmo_behavior``: the robot's personality, on what a driver offers."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..installation import state_directory
from ..resources import library_of
from ..robot import RobotError
from ..ros.context import LoopContext
from ..ros.pacing import Ticker
from ..ros.parameter_set import ParameterError, ParameterSet
from ..ros.runtime import StopRequest, run_node
from .executor import Snapshot
from .ros_body import RosBody
from .ros_face import ExpressionPublisher
from .ros_foreign_goals import ForeignGoals
from .ros_games import Games
from .ros_meeting import Meeting
from .ros_parameters import BEHAVIOR_PARAMETERS
from .ros_persistence import NeedsPersistence, RobotStorage
from .ros_personality import (
    PERMISSIONS,
    Personality,
    load_files,
    permissions_of,
    text_of_quiet_hours,
)
from .ros_publishers import Publishers
from .ros_services import Services
from .ros_tricks import Tricks
from .system import BehaviorSystem
from .trace import TRACE_FILE, TraceFile

NODE_NAME = "cozmo_behavior"
_HELP = """\
The personality of the robot Cozmo: moods, needs, reactions and things to do, through what the
driver offers. It does nothing before behavior/enable is called, and never drives unless
allow_motion is true."""
_log = logging.getLogger(__name__)

_PERIOD = 1.0
"""s between two checks of everything that changes slowly."""
_TIMEOUT = 10.0


class BehaviorNode:
    """The personality as a program of its own; it lives in the loop of its own thread."""

    def __init__(self, node: Node) -> None:
        """Read the files, take part in the graph, begin to live. Raises ``StartError``."""
        self.node = node
        self._parameters = parameters = ParameterSet(node, BEHAVIOR_PARAMETERS)
        system = load_files(parameters["resource_dir"], parameters["behavior_files"])
        for name in ("activity", "spark"):
            if why := _why_unknown(name, parameters[name], system):
                raise ParameterError(why)
        self._context = context = LoopContext(node, parameters, "cozmo-behavior", "the personality")
        directory = Path(parameters["state_dir"] or state_directory(node.get_namespace()))
        trace = TraceFile(directory.expanduser() / TRACE_FILE)
        self._publishers = Publishers(
            context, context.faults, trace if parameters["keep_trace"] else None
        )
        self._face = ExpressionPublisher(context)
        self._body = RosBody(context, library_of(system.trees), self._face.show)
        self._is_over = False
        self._stop = StopRequest()
        self._life: asyncio.Task[None] | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._ticker = Ticker(_PERIOD, self._update)
        self._personality = personality = context.in_loop(
            Personality, system, self._body, parameters, self._on_change
        )
        engine = personality.engine
        self._foreign_goals = ForeignGoals(
            context, self._body.own_goals, engine, lambda: self._body.is_manipulating
        )
        self._persistence = NeedsPersistence(
            context,
            personality,
            directory.expanduser() if parameters["keep_needs"] else None,
            RobotStorage(context) if parameters["needs_on_robot"] else None,
        )
        Services(context, personality)
        self._games = Games(context, personality)
        Tricks(context, personality)
        Meeting(context, personality)
        for warning in personality.warnings:
            node.get_logger().warning(warning)
        node.add_on_set_parameters_callback(lambda new: self._refuse_unknown(new, system))
        for name in PERMISSIONS:
            context.on_parameter(name, lambda _: self._set_permissions())
        context.on_parameter("quiet_hours", lambda _: self._set_quiet_hours())
        context.on_parameter("activity", engine.select_activity)
        context.on_parameter("spark", engine.spark)
        context.defer_events()
        context.in_loop(self._start)

    # -- in the executor's thread

    def _refuse_unknown(
        self, new: Sequence[Parameter], system: BehaviorSystem
    ) -> SetParametersResult:
        reasons = (_why_unknown(one.name, one.value, system) for one in new)
        reason = next(filter(None, reasons), "")
        return SetParametersResult(successful=not reason, reason=reason)

    # -- in the loop

    def _set_permissions(self) -> None:
        self._personality.set_permissions(permissions_of(self._parameters))

    def _set_quiet_hours(self) -> None:
        self._set_permissions()
        self._log_quiet_hours()

    def _log_quiet_hours(self) -> None:
        self.node.get_logger().info(text_of_quiet_hours(permissions_of(self._parameters)))

    def _start(self) -> None:
        personality, parameters = self._personality, self._parameters
        engine, senses = personality.engine, self._body.ros_senses
        senses.on_session = self._on_session
        engine.spark(parameters["spark"])
        engine.select_activity(parameters["activity"])
        engine.enable(parameters["enabled"])
        self._publishers.publish_state(engine.snapshot)
        if permissions_of(parameters).quiet_hours is not None:
            self._log_quiet_hours()
        self._update()
        self._life = asyncio.ensure_future(engine.run())
        self._life.add_done_callback(self._on_end)
        self._ticker.start()

    def _on_end(self, life: asyncio.Task[None]) -> None:
        error = None if life.cancelled() else life.exception()
        if error is not None:
            _log.critical("the personality broke", exc_info=error)
            self._stop.set(1)

    def _on_change(self, snapshot: Snapshot) -> None:
        self._face.enable(snapshot.is_enabled)
        self._publishers.publish_state(snapshot)
        self._publishers.report_decisions(self._personality)
        self._games.on_change(snapshot)

    def _on_session(self) -> None:
        self._personality.inner.reactions.restart(asyncio.get_running_loop().time())
        self._body.ros_senses.is_known = False
        self._start_fetching()

    def _update(self) -> None:
        personality, senses = self._personality, self._body.ros_senses
        personality.inner.needs.is_connected = senses.now.is_connected
        if senses.is_linked and not senses.is_known:
            self._start_fetching()
        self._foreign_goals.update(senses.wheels_owner)
        self._face.set_mood(personality.inner.mood.affect, self._parameters["mood_on_face"])
        self._persistence.update()
        self._publishers.publish_mood_and_needs(personality)
        self._publishers.report_decisions(personality)
        self._publishers.publish_health(personality)

    def _start_fetching(self) -> None:
        if self._fetching is None or self._fetching.done():
            self._fetching = asyncio.ensure_future(self._fetch_triggers())

    async def _fetch_triggers(self) -> None:
        try:
            await self._body.fetch_triggers()
        except RobotError as error:
            self.node.get_logger().warning(f"no life yet: {error}")

    async def _end(self) -> None:
        self._is_over = True
        self._ticker.stop()
        for task in (self._life, self._fetching):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self._body.settle()
        self._face.enable(False)
        await self._persistence.end()
        self._publishers.report_decisions(self._personality)

    # -- in the main thread

    def run(self, stop: StopRequest) -> None:
        """Live until the end is asked for; the robot stands still afterwards."""
        begun, self._stop = self._stop, stop
        if begun.is_set:
            stop.set(begun.exit_code)
        stop.wait()
        self._context.come_to_rest(self._end(), stop)

    def close(self) -> None:
        try:
            if not self._is_over:
                self._context.thread.finish(self._end(), _TIMEOUT)
        finally:
            self._context.close()


def _why_unknown(parameter: str, value: Any, system: BehaviorSystem) -> str:
    """Return why a parameter names what no file has, empty where it does not."""
    choices = {"activity": system.activities, "spark": system.sparks}.get(parameter)
    if choices is None or not value or value in choices:
        return ""
    return f"there is no {parameter} '{value}'; there are {', '.join(choices) or 'none'}"


def main(args: Sequence[str] | None = None) -> int:
    return run_node(
        "behavior_node",
        _HELP,
        BEHAVIOR_PARAMETERS,
        lambda node, _: BehaviorNode(node),
        NODE_NAME,
        args,
    )


if __name__ == "__main__":
    sys.exit(main())
