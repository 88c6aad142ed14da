"""The node ``cozmo_manipulation``: charger, cubes, and driving around obstacles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rclpy.node import Node

from ..installation import state_directory
from ..ros.context import LoopContext
from ..ros.pacing import Ticker
from ..ros.parameter_set import FixedSpec, ParameterSet
from ..ros.runtime import StopRequest, run_node
from .charger_memory import ChargerMemory
from .ros_actions import Actions
from .ros_manipulator import RosManipulator

NODE_NAME = "cozmo_manipulation"
_HELP = """\
Manipulation of the robot Cozmo: docking on the charger, cubes, and driving to objects and poses
around obstacles, through what driver and vision node offer."""
_FILE = "charger.json"
_PERIOD = 0.2
"""s between two looks at who drives, and whether the robot stands on its charger."""
PARAMETERS = (
    FixedSpec(
        "state_dir",
        "",
        "where the charger's offset is kept; empty: ~/.local/state/cozmo_driver/NAMESPACE",
    ),
)


class ManipulationNode:
    """Manipulation as a program of its own, in the loop of its own thread."""

    def __init__(self, node: Node) -> None:
        self.node = node
        parameters = ParameterSet(node, PARAMETERS)
        directory = Path(parameters["state_dir"] or state_directory(node.get_namespace()))
        self._memory = ChargerMemory(directory.expanduser() / _FILE)
        self._context = context = LoopContext(
            node, parameters, "cozmo-manipulation", "manipulation_node"
        )
        self.close = context.close
        self._robot = RosManipulator(context)
        self._actions = Actions(context, self._robot, self._memory)
        self._ticker = Ticker(_PERIOD, self._update)
        context.defer_events()
        context.in_loop(self._ticker.start)

    def _update(self) -> None:
        self._memory.update(self._robot.state)
        self._actions.update()

    async def _end(self) -> None:
        self._ticker.stop()
        await self._robot.settle()

    def run(self, stop: StopRequest) -> None:
        """Work until the end is asked for; the robot stands still afterwards."""
        stop.wait()
        self._context.come_to_rest(self._end(), stop)


def main(args: Sequence[str] | None = None) -> int:
    return run_node(
        "manipulation_node",
        _HELP,
        PARAMETERS,
        lambda node, _: ManipulationNode(node),
        NODE_NAME,
        args,
    )


if __name__ == "__main__":
    sys.exit(main())
