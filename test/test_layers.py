"""Imports point downwards: docs/architecture.md, "layers"."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "cozmo_driver"
ROOT = Path(__file__).parents[1]

ARRAYS = frozenset({"numpy", "PIL"})
SOUND = frozenset({"soundfile", "soxr"})
MCP = frozenset({"mcp", "pydantic", "uvicorn"})
BELOW_NODES = frozenset(
    {
        "animation",
        "assistant",
        "behavior",
        "cli",
        "emulator",
        "eyes",
        "face",
        "link",
        "manipulation",
        "media",
        "planning",
        "protocol",
        "resources",
        "robot",
        "traffic",
        "vision",
        "world_model",
    }
)
ABOVE_ROBOT = frozenset({"link", "media", "protocol", "robot", "resources"})

# Layer: (layers it may import, packages from outside it may import). Anything else is an error.
RULES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "": (frozenset(), frozenset({"yaml"})),
    "protocol": (frozenset(), frozenset()),
    "link": (frozenset({"protocol"}), frozenset()),
    "media": (frozenset({"protocol"}), ARRAYS | SOUND),
    "robot": (frozenset({"link", "media", "protocol"}), frozenset({"numpy"})),
    "resources": (frozenset({"media", "protocol"}), frozenset({"flatbuffers", "numpy"})),
    "face": (frozenset({"media"}), frozenset({"numpy"})),
    "animation": (ABOVE_ROBOT | {"face"}, ARRAYS),
    "assistant": (ABOVE_ROBOT | {"face", "animation"}, ARRAYS | MCP),
    "behavior": (ABOVE_ROBOT | {"face", "animation"}, frozenset()),
    "emulator": (frozenset({"media", "protocol"}), ARRAYS | {"cv2", "yaml"}),
    "world_model": (frozenset(), frozenset({"numpy"})),
    "planning": (frozenset({"robot"}), frozenset({"numpy"})),
    "traffic": (frozenset({"link", "protocol"}), frozenset({"dpkt"})),
    "vision": (frozenset({"media"}), frozenset({"cv2", "numpy"})),
    "manipulation": (
        frozenset({"link", "planning", "robot", "world_model"}),
        frozenset({"numpy"}),
    ),
    "eyes": (ABOVE_ROBOT | {"vision", "world_model"}, frozenset({"numpy"})),
    "cockpit": (
        ABOVE_ROBOT | {"face", "animation", "world_model"},
        ARRAYS | {"fastapi", "h11", "nicegui", "starlette", "uvicorn"},
    ),
    "cli": (BELOW_NODES, ARRAYS | {"argcomplete", "matplotlib", "tqdm", "yaml"}),
}
# The only layer that may import anything.
TOP = "nodes"


def imported_modules(path: Path, package: list[str]) -> Iterator[tuple[int, str]]:
    """(Line, absolute module) of every import in a file, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import x` and `from cozmo_driver import x` may name modules.
            names = [f"{module}.{alias.name}" for alias in node.names] if module else []
            yield from ((node.lineno, name) for name in names)


def layer_of(parts: list[str]) -> str:
    """Layer that a module of the package belongs to, "" for the package itself."""
    return parts[1] if len(parts) > 1 and parts[1] in {*RULES, TOP} else ""


def violations(root: Path) -> list[str]:
    """Every import under `root`/cozmo_driver that the rules forbid, as "file:line: what"."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        relative = path.relative_to(root)
        package = list(relative.parent.parts)
        layer = package[1] if len(package) > 1 else ""
        if layer == TOP:
            continue
        if layer not in RULES:
            found.append(f"{relative}: there is no rule for the layer {layer!r}")
            continue
        layers, outside = RULES[layer]
        for line, module in imported_modules(path, package):
            parts = module.split(".")
            if parts[0] == PACKAGE:
                target = layer_of(parts)
                if target not in {layer, "", *layers}:
                    found.append(f"{relative}:{line}: {layer or PACKAGE} imports {target}")
            elif parts[0] not in sys.stdlib_module_names and parts[0] not in outside:
                found.append(f"{relative}:{line}: {layer or PACKAGE} imports {parts[0]}")
    return found


def imports_past_the_facade(root: Path) -> list[str]:
    """Every import from outside of what is inside `cozmo_driver.robot`, as "file:line: module"."""
    inside = {path.stem for path in (root / PACKAGE / "robot").iterdir()}
    found = []
    for folder in (PACKAGE, "examples", "benchmarks"):
        for path in sorted((root / folder).rglob("*.py")):
            package = list(path.relative_to(root).parent.parts)
            if package[:2] == [PACKAGE, "robot"]:
                continue
            for line, module in imported_modules(path, package):
                parts = module.split(".")
                if parts[:2] == [PACKAGE, "robot"] and (len(parts) > 3 or parts[-1] in inside):
                    found.append(f"{path.relative_to(root)}:{line}: {module}")
    return found


def write(root: Path, path: str, text: str) -> None:
    file = root / PACKAGE / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_imports_point_downwards_only() -> None:
    assert violations(ROOT) == []


def test_others_import_the_robot_itself_and_nothing_inside_it() -> None:
    assert imports_past_the_facade(ROOT) == []


def test_an_import_past_the_facade_is_found_however_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "robot/motion.py", "from .motion import Motion\n")
    write(tmp_path, "cli/a.py", "from ..robot import Motion, motion\n")
    write(tmp_path, "nodes/b.py", "import rclpy\nfrom cozmo_driver.robot.motion import Motion\n")

    assert imports_past_the_facade(tmp_path) == [
        "cozmo_driver/cli/a.py:1: cozmo_driver.robot.motion",
        "cozmo_driver/nodes/b.py:2: cozmo_driver.robot.motion.Motion",
    ]


def test_every_layer_of_the_package_is_looked_at() -> None:
    folders = {path.parent.name for path in (ROOT / PACKAGE).glob("*/__init__.py")}

    assert {"protocol", "link", "robot", "nodes"} <= folders
    assert folders <= {*RULES, TOP}


def test_an_upward_import_is_found_however_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "protocol/a.py", "from cozmo_driver.link import udp\n")
    write(tmp_path, "protocol/b.py", "from ..robot.motion import Motion\n")
    write(tmp_path, "link/c.py", "from .. import robot\n")
    write(tmp_path, "robot/deep/d.py", "import cozmo_driver.nodes.driver_node\n")
    write(tmp_path, "robot/e.py", "def late():\n    from ..emulator import server\n")

    assert violations(tmp_path) == [
        "cozmo_driver/link/c.py:1: link imports robot",
        "cozmo_driver/protocol/a.py:1: protocol imports link",
        "cozmo_driver/protocol/b.py:1: protocol imports robot",
        "cozmo_driver/robot/deep/d.py:1: robot imports nodes",
        "cozmo_driver/robot/e.py:2: robot imports emulator",
    ]


def test_a_package_from_outside_is_found_where_it_does_not_belong(tmp_path: Path) -> None:
    write(tmp_path, "protocol/a.py", "import numpy as np\n")
    write(tmp_path, "link/b.py", "from PIL import Image\n")
    write(tmp_path, "robot/c.py", "import rclpy.node\n")
    write(tmp_path, "cli/d.py", "from geometry_msgs.msg import Twist\n")

    assert violations(tmp_path) == [
        "cozmo_driver/cli/d.py:1: cli imports geometry_msgs",
        "cozmo_driver/link/b.py:1: link imports PIL",
        "cozmo_driver/protocol/a.py:1: protocol imports numpy",
        "cozmo_driver/robot/c.py:1: robot imports rclpy",
    ]


def test_a_layer_without_a_rule_is_found(tmp_path: Path) -> None:
    write(tmp_path, "utils/a.py", "import os\n")

    assert violations(tmp_path) == [
        "cozmo_driver/utils/a.py: there is no rule for the layer 'utils'"
    ]


def test_downward_imports_and_the_standard_library_are_allowed(tmp_path: Path) -> None:
    write(tmp_path, "robot/a.py", "import asyncio\nfrom ..link import udp\nimport numpy\n")
    write(tmp_path, "nodes/b.py", "import rclpy\nfrom cozmo_driver.robot import Robot\n")
    write(tmp_path, "protocol/c.py", "from . import frames\nfrom .. import __version__\n")

    assert violations(tmp_path) == []
