"""The service ``learn_markers``: a cube held, and rolled, before the robot's camera."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.media.printed_markers import SIDES
from cozmo_driver.perception.detection.template_file import load_templates
from cozmo_interfaces.action import MoveHead
from cozmo_interfaces.msg import CubeArray, Reason
from cozmo_interfaces.srv import LearnMarkers

from ..perception.rolling import roll
from ..waiting import TIMEOUT, wait_until
from .goals import Action
from .graph import LATCHED, running_driver, running_graph, running_node

ROOM = {
    "name": "room",
    "floor": [{"rectangle": [-1, -1, 1, 1], "pattern": "wood"}],
    "cubes": [{"number": 1, "x": 0.16, "y": 0.0}],
}
ONE, ALL = LearnMarkers.Request.ONE_PICTURE, LearnMarkers.Request.ALL_SIDES


@pytest.mark.covers("learn_markers", "templates_file")
def test_a_cube_is_learnt_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "mine.json"
    world = World(layout_of(ROOM, ""), ideal=True)
    with (
        running_emulator(calibration_time=0.0, ideal=True, world=world) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace),
        running_node("vision_node", graph.namespace, templates_file=file) as node,
    ):
        graph.connected()
        head = Action(graph, MoveHead, "move_head")
        wait_until(lambda: head.do(angle=0.0)[0] == "succeeded", "the head does not move")
        graph.listen(CubeArray, "cubes", LATCHED).wait_for(
            lambda message: any(one.cube_id == 1 and one.is_connected for one in message.cubes)
        )

        def learn(cube: int, mode: int, timeout: float = 60.0) -> LearnMarkers.Response:
            request = LearnMarkers.Request(cube_id=cube, mode=mode, timeout=timeout)
            return graph.call(LearnMarkers, "learn_markers", request, again_after=TIMEOUT)

        file.parent.write_text("no folder")
        lost = learn(1, ONE)
        assert (lost.success, lost.reason, list(lost.sides)) == (False, Reason.NOT_ALLOWED, [""])
        assert "until the node ends" in lost.message
        assert str(file) in lost.message
        file.parent.unlink()
        one = learn(1, ONE)
        assert (one.success, list(one.sides), one.file) == (True, [""], str(file)), one.message
        assert [template.name for template in load_templates(file)] == ["cube_1"]

        def is_known_as_another() -> bool:
            other = learn(2, ONE, 0.5)
            assert (other.success, other.reason) == (False, Reason.TIMEOUT)
            return "this is a side of cube 1" in other.message

        wait_until(is_known_as_another, "no picture came in time")
        assert learn(9, ONE).reason == Reason.INVALID
        answers: list[LearnMarkers.Response] = []
        asking = threading.Thread(target=lambda: answers.append(learn(1, ALL)))
        asking.start()
        seen = 0

        def is_learnt() -> bool:
            nonlocal seen
            requests = [line for line in node.log.splitlines() if "roll the cube" in line]
            for line in requests[seen:]:
                roll(emulator, "towards" in line)
            seen = len(requests)
            return bool(answers)

        wait_until(is_learnt, "six sides")
        asking.join()
        assert answers[0].success, answers[0].message
        assert set(answers[0].sides) == set(SIDES)
        assert {template.side for template in load_templates(file)} == set(SIDES)
