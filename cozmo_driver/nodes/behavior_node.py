"""The node ``cozmo_behavior``: the robot's personality, on what a driver offers."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..behavior.body import ActionFailed
from ..behavior.executor import Snapshot
from ..behavior.system import Files
from ..behavior.trace import TRACE_FILE, TraceFile, state_directory
from ..link import LoopThread
from ..resources.library import library_of
from .behavior.face import Face
from .behavior.graph_body import GraphBody
from .behavior.keeping import NeedsKeeper, RobotStorage
from .behavior.others import Others
from .behavior.personality import Personality, allowed_by, load_files
from .behavior.services import Services
from .behavior.telling import Telling
from .behavior_parameters import BEHAVIOR_PARAMETERS
from .context import NodeContext
from .logs import LogBridge
from .pacing import Ticker
from .parameter_set import ParameterError, ParameterSet
from .runtime import StopRequest, run_node

NODE_NAME = "cozmo_behavior"
_HELP = """\
The personality of the robot Cozmo: moods, needs, reactions and things to do, through what the
driver offers. It does nothing before behavior/enable is called, and never drives unless
allow_motion is true."""
_log = logging.getLogger(__name__)

_PERIOD = 1.0
"""s between two looks at everything that changes slowly."""
_TIMEOUT = 10.0
_JOBS_TIMEOUT = 3.0
_RULES = (
    "allow_motion",
    "allow_leaving_charger",
    "quiet_hours",
    "quiet_time",
    "low_battery",
    "charged_battery",
)


class BehaviorNode:
    """The personality as a program of its own; it lives in the loop of its own thread."""

    def __init__(self, node: Node) -> None:
        """Read the files, take part in the graph, begin to live. Raises ``StartError``."""
        self.node = node
        self._parameters = parameters = ParameterSet(node, BEHAVIOR_PARAMETERS)
        files = load_files(parameters["resource_dir"], parameters["behavior_files"])
        if parameters["activity"] and parameters["activity"] not in files.system.activities:
            raise ParameterError(_no_activity(parameters["activity"], files))
        self._log_bridge = LogBridge(node.get_logger())
        self._log_bridge.attach()
        self._thread = LoopThread("cozmo-behavior")
        self._context = context = NodeContext(node, self._thread, parameters, "the personality")
        directory = Path(parameters["state_dir"] or state_directory(node.get_namespace()))
        trace = TraceFile(directory.expanduser() / TRACE_FILE)
        self._telling = Telling(
            context, self._log_bridge.faults, trace if parameters["keep_trace"] else None
        )
        self._face = Face(context)
        self._body = GraphBody(context, library_of(files.trees), self._face)
        self._is_over = False
        self._stop = StopRequest()
        self._life: asyncio.Task[None] | None = None
        self._learning: asyncio.Task[None] | None = None
        self._ticker = Ticker(_PERIOD, self._look)
        self._personality = personality = context.in_loop(
            Personality, files, self._body, parameters, self._take_change
        )
        engine = personality.engine
        self._others = Others(context, self._body.own_goals, engine)
        self._keeper = NeedsKeeper(
            context,
            personality,
            directory.expanduser() if parameters["keep_needs"] else None,
            RobotStorage(context) if parameters["needs_on_robot"] else None,
        )
        self._services = Services(context, context.jobs, personality)
        for warning in personality.warnings:
            node.get_logger().warning(warning)
        node.add_on_set_parameters_callback(lambda new: self._refuse_unknown(new, files))
        for name in _RULES:
            context.on_parameter(name, lambda _: self._change_rules())
        context.on_parameter("activity", engine.select_activity)
        context.on_parameter("spark", engine.spark)
        context.in_loop(self._begin)

    # -- in the executor's thread

    def _refuse_unknown(self, new: Sequence[Parameter], files: Files) -> SetParametersResult:
        for parameter in new:
            name = parameter.value if parameter.name == "activity" else ""
            if name and name not in files.system.activities:
                return SetParametersResult(successful=False, reason=_no_activity(name, files))
        return SetParametersResult(successful=True)

    # -- in the loop

    def _change_rules(self) -> None:
        self._personality.change_rules(allowed_by(self._parameters))

    def _begin(self) -> None:
        personality, parameters = self._personality, self._parameters
        engine, feelings = personality.engine, self._body.feelings
        feelings.on_session = self._take_session
        engine.spark(parameters["spark"])
        engine.select_activity(parameters["activity"])
        engine.enable(parameters["enabled"])
        self._telling.take(engine.snapshot)
        self._look()
        self._life = asyncio.ensure_future(engine.run())
        self._life.add_done_callback(self._take_end)
        self._ticker.start()

    def _take_end(self, life: asyncio.Task[None]) -> None:
        error = None if life.cancelled() else life.exception()
        if error is not None:
            _log.critical("the personality broke", exc_info=error)
            self._stop.set(1)

    def _take_change(self, snapshot: Snapshot) -> None:
        self._face.wake(snapshot.is_enabled)
        self._telling.take(snapshot)
        self._telling.tell_decisions(self._personality)

    def _take_session(self) -> None:
        self._personality.inner.reactions.restart(asyncio.get_running_loop().time())
        self._body.feelings.is_known = False
        self._begin_to_learn()

    def _look(self) -> None:
        personality, feelings = self._personality, self._body.feelings
        now = asyncio.get_running_loop().time()
        personality.inner.mood.update(now)
        personality.inner.needs.update(now)
        personality.inner.needs.is_connected = feelings.now.is_connected
        if feelings.is_linked and not feelings.is_known:
            self._begin_to_learn()
        self._others.look(feelings.wheels_owner)
        self._face.feel(personality.inner.mood.affect, self._parameters["mood_on_face"])
        self._keeper.look()
        self._telling.tell_feelings(personality)
        self._telling.tell_decisions(personality)
        self._telling.tell_health(personality)

    def _begin_to_learn(self) -> None:
        if self._learning is None or self._learning.done():
            self._learning = asyncio.ensure_future(self._learn())

    async def _learn(self) -> None:
        try:
            await self._body.learn_triggers()
        except ActionFailed as error:
            self.node.get_logger().warning(f"no life yet: {error}")

    async def _end(self) -> None:
        self._is_over = True
        self._ticker.stop()
        for task in (self._life, self._learning):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self._body.settle()
        self._face.wake(False)
        await self._keeper.end()
        self._telling.tell_decisions(self._personality)

    # -- in the main thread

    def run(self, stop: StopRequest) -> None:
        """Live until the end is asked for; the robot stands still afterwards."""
        begun, self._stop = self._stop, stop
        if begun.is_set:
            stop.set(begun.exit_code)
        stop.wait()
        self._context.jobs.close(_JOBS_TIMEOUT)
        self._thread.run(self._end(), _TIMEOUT)

    def close(self) -> None:
        """End everything but the node."""
        try:
            if not self._is_over:
                self._thread.run(self._end(), _TIMEOUT)
        finally:
            self._thread.stop()
            self._log_bridge.detach()


def _no_activity(name: str, files: Files) -> str:
    return f"there is no activity '{name}'; there are {', '.join(files.system.activities)}"


def main(args: Sequence[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
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
