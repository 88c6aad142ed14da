"""Imports point downwards, and enter rooms by their doors: docs/architecture.md, "Rules"."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "cozmo_driver"
ROOT = Path(__file__).parents[1]

ARRAYS = frozenset({"numpy", "PIL"})
SOUND = frozenset({"soundfile", "soxr"})
MCP = frozenset({"mcp", "pydantic", "uvicorn"})
WEB = frozenset({"h11", "psutil", "starlette", "uvicorn"})
ABOVE_ROBOT = frozenset({"link", "media", "protocol", "resources", "robot"})
EXPRESSION = ABOVE_ROBOT | {"animation", "face"}
WITHOUT_ROS = EXPRESSION | {
    "assistant",
    "behavior",
    "checkup",
    "compat",
    "emulator",
    "localization",
    "manipulation",
    "music",
    "perception",
    "planning",
    "traffic",
}

# Room: (rooms it may import, packages from outside it may import). Anything else is an error.
RULES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "": (frozenset(), frozenset({"yaml"})),
    "protocol": (frozenset(), frozenset()),
    "link": (frozenset({"protocol"}), frozenset()),
    "media": (frozenset({"protocol"}), ARRAYS | SOUND),
    "resources": (frozenset({"media", "protocol"}), frozenset({"flatbuffers", "numpy"})),
    "traffic": (frozenset({"link", "protocol"}), frozenset({"dpkt"})),
    "robot": (frozenset({"link", "media", "protocol"}), frozenset({"numpy"})),
    "face": (frozenset({"media"}), frozenset({"numpy"})),
    "animation": (ABOVE_ROBOT | {"face"}, ARRAYS),
    "music": (ABOVE_ROBOT | {"animation"}, frozenset({"mido", "numpy"})),
    "emulator": (frozenset({"media", "protocol"}), ARRAYS | {"cv2", "yaml"}),
    "planning": (frozenset({"robot"}), frozenset({"numpy"})),
    "perception": (frozenset({"link", "media", "robot"}), frozenset({"cv2", "numpy"})),
    "localization": (frozenset({"link", "perception", "robot"}), frozenset({"numpy"})),
    "manipulation": (
        frozenset({"link", "perception", "planning", "robot"}),
        frozenset({"numpy"}),
    ),
    "checkup": (
        ABOVE_ROBOT | {"manipulation", "perception", "traffic"},
        ARRAYS | {"cv2", "mcap"},
    ),
    "behavior": (EXPRESSION | {"manipulation", "music", "perception"}, frozenset({"numpy"})),
    "assistant": (EXPRESSION | {"music"}, ARRAYS | MCP),
    "compat": (
        EXPRESSION | {"behavior", "emulator", "manipulation", "perception", "planning"},
        ARRAYS | {"cv2"},
    ),
    "cockpit": (EXPRESSION | {"behavior", "checkup", "emulator", "perception"}, ARRAYS | WEB),
    "cli": (WITHOUT_ROS, ARRAYS | {"argcomplete", "matplotlib", "tqdm"}),
}
# These import rclpy and messages; so do node.py and ros*.py of the rooms above.
ROS_RULES: dict[str, frozenset[str]] = {
    "ros": ABOVE_ROBOT,
    "driver": ABOVE_ROBOT | {"animation", "music", "ros", "traffic"},
    "bringup": frozenset({"cockpit", "driver", "emulator", "ros"}),
}
PARTS: dict[str, frozenset[str]] = {"perception": frozenset({"localization"})}
"""Rooms whose node has other rooms as parts, because they need the same images."""
FORMER_NAMES: dict[str, frozenset[str]] = {"eyes": frozenset({"perception", "robot"})}
"""Modules that keep names for one release, and the rooms where they are now."""
TOOLBOX = "ros"
"""Its modules are imported one by one: all of them together take a second."""
IS_ROS_FILE = re.compile(r"node|ros\w*")
ROS = re.compile(
    r"rclpy|tf2_ros|launch(_ros)?|ament_index_python|xacro|mcap|\w+_(msgs|interfaces|srvs)"
)


@cache
def imports_in(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return every import in a file, also those inside functions."""
    nodes: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    found = []
    while nodes:
        for node in ast.iter_child_nodes(nodes.pop()):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.append(node)
            elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
                nodes.append(node)  # no expression has one
    return found


def imported_modules(path: Path, package: list[str]) -> Iterator[tuple[int, str]]:
    """(Line, absolute module) of every import in a file."""
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import x` and `from cozmo_driver import x` may name modules.
            names = [f"{module}.{alias.name}" for alias in node.names] if module else []
            yield from ((node.lineno, name) for name in names)


def room_of(parts: list[str]) -> str:
    """Room that a module of the package belongs to, "" for the package itself."""
    return parts[1] if len(parts) > 1 and parts[1] in {*RULES, *ROS_RULES} else ""


def rule_of(room: str, file: Path) -> tuple[frozenset[str], frozenset[str], bool] | None:
    """Rooms and packages that a file may import, and whether ROS, too; None without a rule."""
    if room in ROS_RULES:
        return ROS_RULES[room], ARRAYS | {"yaml"}, True
    if room not in RULES:
        return None
    rooms, outside = RULES[room]
    if not room:
        rooms = FORMER_NAMES.get(file.stem, rooms)
    return (
        (rooms | ABOVE_ROBOT | {TOOLBOX} | PARTS.get(room, set()), outside | ARRAYS, True)
        if is_ros_side(room, file)
        else (rooms, outside, False)
    )


def is_ros_side(room: str, file: Path) -> bool:
    """Whether a file of a room may import ROS."""
    return bool(room) and room != "cli" and IS_ROS_FILE.fullmatch(file.stem) is not None


def violations(root: Path) -> list[str]:
    """Every import under `root`/cozmo_driver that the rules forbid, as "file:line: what"."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        relative = path.relative_to(root)
        package = list(relative.parent.parts)
        room = package[1] if len(package) > 1 else ""
        rule = rule_of(room, path)
        if rule is None:
            found.append(f"{relative}: there is no rule for the room {room!r}")
            continue
        rooms, outside, is_ros = rule
        for line, module in imported_modules(path, package):
            parts = module.split(".")
            if parts[0] == PACKAGE:
                target = room_of(parts)
                if target not in {room, "", *rooms}:
                    found.append(f"{relative}:{line}: {room or PACKAGE} imports {target}")
            elif parts[0] not in sys.stdlib_module_names and parts[0] not in outside:
                if not (is_ros and ROS.fullmatch(parts[0])):
                    found.append(f"{relative}:{line}: {room or PACKAGE} imports {parts[0]}")
    return found


def imports_past_a_door(root: Path) -> list[str]:
    """Every import of a module inside of another room, as "file:line: module".

    Examples and benchmarks keep to the robot's door only.
    """
    found = []
    for folder in (PACKAGE, "examples", "benchmarks"):
        doors = {*RULES, *ROS_RULES} - {"", TOOLBOX} if folder == PACKAGE else {"robot"}
        for path in sorted((root / folder).rglob("*.py")):
            package = list(path.relative_to(root).parent.parts)
            for line, module in imported_modules(path, package):
                parts = module.split(".")
                if parts[0] != PACKAGE or len(parts) < 3 or parts[1] not in doors:
                    continue
                is_own = package[:2] == parts[:2]
                if not is_own and is_inside(root, parts):
                    found.append(f"{path.relative_to(root)}:{line}: {module}")
    return found


def is_inside(root: Path, parts: list[str]) -> bool:
    """Whether an import is one of a module, or of what is in one, that the door does not offer."""
    door = root.joinpath(*parts[:2], "__init__.py")
    text = door.read_text() if door.is_file() else ""
    offered = re.search(rf"^from \. import (.*, )?{parts[2]}\b", text, re.MULTILINE)
    return not offered and any(
        root.joinpath(*parts[:length]).with_suffix(".py").is_file()
        for length in range(3, len(parts) + 1)
    )


def write(root: Path, path: str, text: str) -> None:
    file = root / PACKAGE / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_imports_point_downwards_only() -> None:
    assert violations(ROOT) == []


def test_rooms_are_entered_by_their_doors() -> None:
    assert imports_past_a_door(ROOT) == []


def test_an_import_past_a_door_is_found_however_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "robot/motion.py", "from .motion import Motion\n")
    write(tmp_path, "cli/a.py", "from ..robot import Motion, motion\n")
    write(tmp_path, "face/node.py", "import rclpy\nfrom cozmo_driver.robot.motion import Motion\n")
    write(tmp_path, "protocol/messages/__init__.py", "")
    write(tmp_path, "link/b.py", "from ..protocol.messages import Ping\n")

    assert imports_past_a_door(tmp_path) == [
        "cozmo_driver/cli/a.py:1: cozmo_driver.robot.motion",
        "cozmo_driver/face/node.py:2: cozmo_driver.robot.motion.Motion",
    ]


def test_every_room_of_the_package_is_looked_at() -> None:
    folders = {path.parent.name for path in (ROOT / PACKAGE).glob("*/__init__.py")}

    assert folders == {*RULES, *ROS_RULES} - {""}


def test_an_upward_import_is_found_however_it_is_written(tmp_path: Path) -> None:
    write(tmp_path, "protocol/a.py", "from cozmo_driver.link import udp\n")
    write(tmp_path, "protocol/b.py", "from ..robot.motion import Motion\n")
    write(tmp_path, "link/c.py", "from .. import robot\n")
    write(tmp_path, "robot/deep/d.py", "import cozmo_driver.driver.node\n")
    write(tmp_path, "robot/e.py", "def late():\n    from ..emulator import server\n")
    write(tmp_path, "ros/f.py", "from ..driver import node\n")

    assert violations(tmp_path) == [
        "cozmo_driver/link/c.py:1: link imports robot",
        "cozmo_driver/protocol/a.py:1: protocol imports link",
        "cozmo_driver/protocol/b.py:1: protocol imports robot",
        "cozmo_driver/robot/deep/d.py:1: robot imports driver",
        "cozmo_driver/robot/e.py:2: robot imports emulator",
        "cozmo_driver/ros/f.py:1: ros imports driver",
    ]


def test_ros_and_other_packages_are_found_where_they_do_not_belong(tmp_path: Path) -> None:
    write(tmp_path, "protocol/a.py", "import numpy as np\n")
    write(tmp_path, "link/b.py", "from PIL import Image\n")
    write(tmp_path, "robot/c.py", "import rclpy.node\n")
    write(tmp_path, "cli/node.py", "from geometry_msgs.msg import Twist\n")
    write(tmp_path, "face/node.py", "import rclpy\nfrom ..ros import context\nimport cv2\n")
    write(tmp_path, "face/ros_messages.py", "from cozmo_interfaces.msg import FaceParameters\n")
    write(tmp_path, "driver/d.py", "import rclpy, numpy\n")

    assert violations(tmp_path) == [
        "cozmo_driver/cli/node.py:1: cli imports geometry_msgs",
        "cozmo_driver/face/node.py:3: face imports cv2",
        "cozmo_driver/link/b.py:1: link imports PIL",
        "cozmo_driver/protocol/a.py:1: protocol imports numpy",
        "cozmo_driver/robot/c.py:1: robot imports rclpy",
    ]


def test_a_room_without_a_rule_is_found(tmp_path: Path) -> None:
    write(tmp_path, "utils/a.py", "import os\n")

    assert violations(tmp_path) == [
        "cozmo_driver/utils/a.py: there is no rule for the room 'utils'"
    ]
