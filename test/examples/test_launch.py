"""The launch example, run as ``ros2 launch`` runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")

from cozmo_driver.emulator import Identity, running_emulator
from cozmo_interfaces.msg import CubeArray

from ..launch.runner import launched
from ..nodes.graph import LATCHED, running_graph
from ..waiting import wait_until
from .programs import EXAMPLES, shades

(CUBE, _), *_ = Identity().cubes


def test_own_node_answers_taps_beside_the_driver(tmp_path: Path) -> None:
    file = str(EXAMPLES / "ros/own_node.launch.py")
    with (
        running_emulator(calibration_time=0.0) as emulator,
        running_graph() as graph,
        launched(
            file,
            tmp_path / "log",
            namespace=graph.namespace,
            robot_address=emulator.host,
            robot_port=emulator.port,
        ),
    ):
        cubes = graph.listen(CubeArray, "cubes", LATCHED)
        cubes.wait_for(lambda now: any(c.factory_id == CUBE and c.is_connected for c in now.cubes))

        def is_answered() -> bool:
            # The first taps may come before the node has found the driver's topics.
            emulator.call(lambda robot: robot.handling.tap(1))
            shown = set(shades(emulator.call(lambda robot: robot.cubes.colors(CUBE))))
            return len(shown) == 1 and shown <= {"r", "g", "b", "rg"}

        wait_until(is_answered, "no tap is answered")
