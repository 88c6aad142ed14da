"""The page of the interface: complete, covered by tests, and as the nodes really are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rcl_interfaces.srv import ListParameters

from cozmo_driver.driver.node import NODE_NAME
from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.ros.parameter_set import ParameterSpec
from docs.interface.__main__ import PAGE, ROOT, TEXTS
from docs.interface.marks import Mark, MarkError, read_marks
from docs.interface.offers import TABLES, Offer, offers_of
from docs.interface.page import InterfaceError, Node, page, read_texts

from ..waiting import wait_until
from .conftest import World

OF_EVERY_NODE = {"use_sim_time", "start_type_description_service"}


def test_the_page_is_what_the_nodes_and_the_tests_say(tmp_path: Path) -> None:
    written = tmp_path / "interface.md"
    command = [sys.executable, "-m", "docs.interface", str(written)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"texts, tests and nodes do not agree:\n{result.stderr}"
    assert PAGE.read_text() == written.read_text(), "docs/interface.md is old: call make docs"


def test_a_connected_driver_offers_what_the_page_lists(world: World) -> None:
    graph, documented = world.graph, read_texts(TEXTS)["nodes"][NODE_NAME]
    listed = {(table, name) for table in TABLES for name in documented[table] if name != "intro"}

    def offered() -> set[tuple[str, str]]:
        found = offers_of(graph.node, NODE_NAME, graph.namespace)
        return {(offer.table, offer.name) for offer in found}

    # The middleware tells of a node piece by piece.
    wait_until(lambda: listed <= offered(), "the driver does not offer all that the page lists")
    assert offered() == listed


def test_a_connected_driver_declares_the_parameters_of_the_table(world: World) -> None:
    answer = world.graph.call(ListParameters, f"{NODE_NAME}/list_parameters")
    declared = {name for name in answer.result.names if not name.startswith("qos_overrides.")}
    assert declared - OF_EVERY_NODE == {spec.name for spec in PARAMETERS}


SPEED = ParameterSpec("speed", 0.5, "how fast", "m/s", low=0.0, high=2.0)
PORT = ParameterSpec("port", 1, "where", fixed=True)
NODE = Node(
    frozenset(
        {
            Offer("publishes", "/tf", "tf2_msgs/TFMessage"),
            Offer("subscribes", "speed", "std_msgs/Float64"),
            Offer("services", "stop", "std_srvs/Trigger"),
        }
    ),
    (SPEED, PORT),
)
MARKS = (
    Mark("test/a.py", ("tf", "stop", "port")),
    Mark("test/a.py::test_stop", ("stop",)),
    Mark("test/b.py::test_speed", ("topic:speed", "parameter:speed", "/tf")),
)


def texts() -> dict[str, Any]:
    return {
        "begin": "# Interface\n",
        "nodes": {
            "robot": {
                "title": "Robot",
                "publishes": {"intro": "Publishes:\n", "/tf": "the pose"},
                "subscribes": {"intro": "Subscribes:\n", "speed": "0 | 1"},
                "services": {"intro": "Services:\n", "stop": "at once"},
                "parameters": {"intro": "Parameters:\n"},
            }
        },
        "end": "The end.\n",
    }


def complaint(documented: dict[str, Any], node: Node, marks: tuple[Mark, ...]) -> str:
    with pytest.raises(InterfaceError) as caught:
        page(documented, {"robot": node}, marks)
    return str(caught.value)


def test_the_page_has_a_row_with_type_text_and_test_for_each_name() -> None:
    lines = page(texts(), {"robot": NODE}, MARKS).splitlines()
    assert "| `/tf` | tf2_msgs/TFMessage | the pose | `test/a.py` |" in lines
    assert "| `speed` | std_msgs/Float64 | 0 \\| 1 | `test/b.py::test_speed` |" in lines
    # Of several tests it is the first whose mark begins with the name.
    assert "| `stop` | std_srvs/Trigger | at once | `test/a.py::test_stop` |" in lines
    assert "| `speed` | double | `0.5` m/s | 0 to 2 | how fast | `test/b.py::test_speed` |" in lines
    assert "| `port` | int | `1` |  | where *(at start)* | `test/a.py` |" in lines
    assert (lines[0], lines[-1]) == ("# Interface", "The end.")


def test_what_texts_tests_and_nodes_do_not_agree_about_is_found() -> None:
    documented = texts()
    del documented["nodes"]["robot"]["publishes"]["/tf"]
    documented["nodes"]["robot"]["services"].update(stop="", go="at once")
    node = replace(NODE, parameters=(SPEED, replace(PORT, text="")))
    marks = (
        Mark("test/a.py", ("tf", "stop", "topic:speed")),
        Mark("test/c.py::test_stop", ("stopp",)),
        Mark("test/c.py::test_speed", ("speed",)),
    )
    assert complaint(documented, node, marks).splitlines() == [
        "robot, publishes: '/tf' has no text",
        "robot, services: 'stop' has no text",
        "robot, services: 'go' is not there",
        "robot, parameters: 'port' has no text",
        "test/c.py::test_speed covers 'speed', which is several things: "
        "say 'parameter:speed' or 'topic:speed'",
        "test/c.py::test_stop covers 'stopp', which no node offers",
        "no test covers 'parameter:speed'",
        "no test covers 'port'",
    ]


def marks_in(root: Path, text: str) -> list[Mark]:
    (root / "test").mkdir()
    (root / "test" / "test_a.py").write_text(text)
    return read_marks(root)


def test_marks_are_read_from_tests_their_parameters_and_whole_files(tmp_path: Path) -> None:
    marks = marks_in(
        tmp_path,
        """
pytestmark = pytest.mark.covers("whole")

@pytest.mark.covers("one", "two")
@pytest.mark.covers("three")
async def test_a(): ...

@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.covers("four"))])
def test_b(x): ...

def test_c(): ...
""",
    )
    assert marks == [
        Mark("test/test_a.py", ("whole",)),
        Mark("test/test_a.py::test_a", ("one", "two", "three")),
        Mark("test/test_a.py::test_b", ("four",)),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@pytest.mark.covers()\ndef test_a(): ...", "takes names, one at least"),
        ("@pytest.mark.covers(*NAMES)\ndef test_a(): ...", "as plain texts"),
        ('x = [pytest.mark.covers("odom")]', "neither on a test nor in pytestmark"),
    ],
)
def test_a_mark_that_cannot_be_read_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(MarkError, match=reason):
        marks_in(tmp_path, text)
