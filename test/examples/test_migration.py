"""The tables of docs/migration.md leave out nothing of PyCozmo; what they name of ours exists."""

from __future__ import annotations

import builtins
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

from cozmo_driver import animation, face, link, protocol, robot
from cozmo_driver.cli.main import COMMANDS
from cozmo_driver.protocol import enums, messages
from cozmo_driver.protocol.registry import all_specs

from .programs import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "migration.md").read_text()
OURS = (robot, face, animation, link, protocol, enums, builtins)
ROBOT = robot.Robot(robot.RobotOptions())
INTERFACE = set(re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/interface.md").read_text(), re.M))
# Of no use to a program, or told by another test: how PyCozmo makes and tests its declarations,
# what flatbuffers has generated, and the packets.
INTERNAL = {
    "CozmoAnim",
    "protocol_ast",
    "protocol_base",
    "protocol_declaration",
    "protocol_encoder",
    "protocol_generator",
    "protocol_utils",
    "tests",
}


def rows(header: str) -> Iterator[list[str]]:
    """Yield the cells of every row of the tables with this first column."""
    for table in re.findall(rf"^\| {header} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.M):
        for line in table.splitlines():
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def words(cell: str) -> list[str]:
    """Return what a cell has in backticks, without arguments."""
    return [word.split("(")[0] for word in re.findall(r"`([^`]+)`", cell)]


def is_ours(word: str) -> bool:
    """Tell whether something that a program can write, or a file or command, exists."""
    first, *rest = word.split(".")
    if word.startswith("cozmo "):
        return word.split()[1] in COMMANDS
    if word.endswith(".py"):
        return any(EXAMPLES.glob(f"*/{word}"))
    if first == "robot":
        return has(ROBOT, rest)
    if first == "cozmo_driver" or first in sys.stdlib_module_names:
        return is_importable(word)
    if any(has(place, [first, *rest]) for place in OURS) or word in ("await", "loops=0"):
        return True
    return is_importable(f"cozmo_driver.{word}")


def has(place: Any, path: list[str]) -> bool:
    """Tell whether attributes lead on from an object; the last one may be annotated only."""
    for name in path:
        if not hasattr(place, name):
            return name in getattr(place, "__annotations__", {})
        place = getattr(place, name)
    return True


def is_importable(word: str) -> bool:
    """Tell whether a dotted name leads to a module or to something in one."""
    parts = word.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return has(module, parts[length:])
    return False


def is_on_the_graph(word: str) -> bool:
    """Tell whether it is a name of the interface, or a field or constant of a message."""
    kind, _, field = word.partition(".")
    if not field:
        return word in INTERFACE
    files = list((ROOT / "cozmo_interfaces").glob(f"*/{kind}.*"))
    return any(re.search(rf"^\S+ {field}\b", file.read_text(), re.M) for file in files)


def own_names(module: ModuleType) -> Iterator[str]:
    """Yield the names of classes and functions that are made in a module or below it."""
    for name, thing in vars(module).items():
        is_code = inspect.isclass(thing) or inspect.isfunction(thing)
        if is_code and thing.__module__.startswith(module.__name__):
            yield name


def names_of_pycozmo(pycozmo: Any) -> set[str]:
    """Return every public name: of the modules, and of the client."""
    names = {name for name, thing in vars(pycozmo).items() if not isinstance(thing, ModuleType)}
    for info in pkgutil.walk_packages(pycozmo.__path__, "pycozmo."):
        if INTERNAL & set(info.name.split(".")):
            continue
        module = importlib.import_module(info.name)
        names |= set(getattr(module, "__all__", None) or own_names(module))
    client = pycozmo.Client(("127.0.0.1", 1))
    names |= set(dir(client))
    return {name for name in names if not name.startswith("_")}


@pytest.fixture(scope="module")
def pycozmo() -> Any:
    """Return PyCozmo, where it can be imported."""
    if sys.version_info >= (3, 13):
        pytest.skip("PyCozmo 0.8.0 needs the module 'chunk', which Python 3.13 removed")
    return pytest.importorskip("pycozmo", reason="PyCozmo 0.8.0 is not installed")


def test_everything_public_of_pycozmo_has_a_row(pycozmo: Any) -> None:
    documented = {word for first, *_ in rows("PyCozmo") for word in words(first)}
    missing = names_of_pycozmo(pycozmo) - documented
    assert missing == set()


def test_packets_of_another_name_have_a_row_with_our_name(pycozmo: Any) -> None:
    ours: dict[str, list[str]] = {}
    for spec in all_specs():
        ours.setdefault(spec.pycozmo or spec.cls.__name__, []).append(spec.cls.__name__)
    documented = {
        words(cells[0])[0]: words(cells[1]) for cells in rows("PyCozmo") if len(cells) == 2
    }
    everything = {word for first, *_ in rows("PyCozmo") for word in words(first)}
    encoder = pycozmo.protocol_encoder
    for name, cls in inspect.getmembers(encoder, inspect.isclass):
        if cls.__module__ != encoder.__name__:
            continue
        if issubclass(cls, Enum) or name not in ours:
            assert name in everything, name
        elif ours[name] != [name]:
            assert documented[name] == ours[name]
    assert set(documented) <= set(dir(encoder))


@pytest.mark.parametrize("header", ["PyCozmo", "Anki SDK"])
def test_everything_that_a_row_names_of_ours_exists(header: str) -> None:
    found = list(rows(header))
    assert len(found) > 60
    wrong = []
    for theirs, plain, *graph in found:
        wrong += [
            word for word in words(plain) if not is_ours(word) and not hasattr(messages, word)
        ]
        wrong += [word for word in words(" ".join(graph)) if not is_on_the_graph(word)]
        assert words(plain) or plain == "always" or plain.startswith("- "), theirs
    assert wrong == []


SEEN_AND_DONE = {
    "go_to_pose": "GoToPose.avoid",
    "backup_onto_charger": "dock_charger",
    "dock_with_cube": "align",
    "pop_a_wheelie": "pop_a_wheelie",
    "EvtRobotObservedMotion": "motion",
    "play_song": "sing",
    "EvtObjectObserved": "object_events",
    "wait_for_observed_charger": "object_states",
    "EvtFaceObserved": "face_events",
    "erase_all_enrolled_faces": "forget_face",
    "EvtPetObserved": "pets",
    "define_custom_cube": "define_object",
    "request_nav_memory_map": "map_memory",
}


@pytest.mark.parametrize("theirs", SEEN_AND_DONE)
def test_what_is_seen_handled_and_sung_has_its_counterpart(theirs: str) -> None:
    graphs = [graph for first, _, graph in rows("Anki SDK") if theirs in words(first)]
    assert SEEN_AND_DONE[theirs] in [word for graph in graphs for word in words(graph)]


def test_what_cozmo_run_has_is_not_denied() -> None:
    listed = re.findall(
        r"^\| `([^`]+)` \| \d+ \| yes \|$", (ROOT / "docs/old_programs.md").read_text(), re.M
    )
    has = {name.rpartition(".")[2] for name in listed}
    assert len(has) > 100
    denied = [
        word
        for first, plain, graph in rows("Anki SDK")
        if plain.startswith("- ") and not words(graph)
        for word in words(first)
    ]
    assert [word for word in denied if word.rpartition(".")[2] in has] == []


def test_a_name_that_does_not_exist_is_found() -> None:
    assert is_ours("robot.joints.move_head")
    assert not is_ours("robot.joints.move_tail")
    assert not is_ours("cozmo_driver.robot.geometry.TAIL")
    assert not is_ours("cozmo fly")
    assert is_on_the_graph("RobotStatus.is_moving")
    assert not is_on_the_graph("RobotStatus.is_flying")
