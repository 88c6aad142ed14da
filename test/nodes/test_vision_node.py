"""The vision node beside the driver: what stands in the emulator's world is where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from vision_msgs.msg import Detection3DArray

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_interfaces.action import MoveHead
from cozmo_interfaces.msg import ConnectionState, ObjectState, ObjectStates

from .goals import Action
from .graph import LATCHED, DriverProcess, Graph, running_driver, running_graph, running_node

ROOM = {
    "name": "room",
    "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
    "cubes": [
        {"number": 1, "x": 0.17, "y": 0.03, "yaw": 35},
        {"number": 2, "x": 0.21, "y": -0.05, "roll": 90, "yaw": -20},
    ],
}


@dataclass(frozen=True)
class Scene:
    emulator: RunningEmulator
    node: DriverProcess
    graph: Graph

    def truth(self, number: int) -> Any:
        """Return where a cube is, m."""
        return self.emulator.call(lambda f: f.place.world.cube(number).place.center / 1000)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with (
        running_emulator(
            calibration_time=0.0, noise=False, world=World(layout_of(ROOM, ""), noise=False)
        ) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace),
        running_node("vision_node", graph.namespace, settling_time=0.5) as node,
    ):
        graph.listen(ConnectionState, "connection_state", LATCHED).wait_for(
            lambda message: message.state == ConnectionState.CONNECTED
        )
        assert Action(graph, MoveHead, "move_head").do(angle=0.0)[0] == "succeeded"
        yield Scene(emulator, node, graph)


def state_of(message: ObjectStates, name: str) -> ObjectState:
    return next(one for one in message.objects if one.name == name)


def test_cubes_in_sight_are_where_they_stand(scene: Scene) -> None:
    states = scene.graph.listen(ObjectStates, "object_states", LATCHED)
    known = states.wait_for(
        lambda m: all(state_of(m, f"cube_{i}").state == ObjectState.KNOWN for i in (1, 2))
    )
    assert known.header.frame_id == "odom"
    assert state_of(known, "cube_3").state == ObjectState.UNKNOWN
    objects = scene.graph.listen(Detection3DArray, "objects")
    seen = objects.wait_for(lambda m: len(m.detections) == 2)
    for detection in seen.detections:
        number = int(detection.id[-1])
        place = detection.results[0].pose.pose.position
        away = np.linalg.norm(np.array([place.x, place.y, place.z]) - scene.truth(number))
        assert away < 0.002, detection
