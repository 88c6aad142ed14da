"""What the packages of this repository say about themselves and about what they need."""

from __future__ import annotations

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..test_layers import imports_in

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "cozmo_driver": ROOT,
    "cozmo_interfaces": ROOT / "cozmo_interfaces",
    "cozmo_description": ROOT / "cozmo_description",
}
RUNNING = ("depend", "exec_depend")
# Modules that are called otherwise than their package.
# uvicorn brings h11.
ROSDEP_NAMES = {
    "cv2": "python3-opencv",
    "PIL": "python3-pil",
    "h11": "python3-uvicorn",
    # FastAPI is made of it; it has no key of its own.
    "starlette": "python3-fastapi",
    "yaml": "python3-yaml",
}
PYPI_NAMES = {
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "yaml": "pyyaml",
    # It is made of it and has it in its own interface.
    "h11": "uvicorn",
}


def manifest(package: str) -> ElementTree.Element:
    """The package.xml of a package."""
    return ElementTree.parse(PACKAGES[package] / "package.xml").getroot()


def dependencies(package: str, *tags: str) -> list[str]:
    """Keys under some tags of a package.xml."""
    return [(entry.text or "").strip() for entry in manifest(package) if entry.tag in tags]


def setup_argument(name: str) -> Any:
    """A literal argument of `setup()` in setup.py."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (call,) = [
        node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "setup"
    ]
    (value,) = [keyword.value for keyword in call.keywords if keyword.arg == name]
    return ast.literal_eval(value)


def assigned(file: str, name: str) -> Any:
    """A literal that a file gives a name at its outermost level."""
    tree = ast.parse((ROOT / file).read_text())
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    return ast.literal_eval(value)


def required_by_wheel() -> set[str]:
    """PyPI's names of what the wheel wants, with all extras for users."""
    wanted = list(setup_argument("install_requires"))
    for extra, names in setup_argument("extras_require").items():
        wanted += names if extra != "test" else []
    return {re.split(r"[^\w-]", name)[0].lower() for name in wanted}


def from_pip() -> set[str]:
    """What docs/dependencies.md tells to install with pip beside a ROS 2."""
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^python3 -m pip install (.*)$", text, re.MULTILINE)
    return {word for word in line.split() if not word.startswith("-")}


def outside_modules(*places: str, without: str = "$") -> dict[str, str]:
    """Every module from outside that files below `places` import, and one file that does."""
    own = {*PACKAGES, "launch"} if "launch" not in places else {*PACKAGES}
    found: dict[str, str] = {}
    for place in places:
        for path in sorted((ROOT / place).rglob("*.py")):
            relative = path.relative_to(ROOT).as_posix()
            if re.match(without, relative):
                continue
            for module in imported(path):
                if module not in sys.stdlib_module_names and module not in own:
                    found.setdefault(module, relative)
    return found


def imported(path: Path) -> Iterator[str]:
    """Top names of the modules that a file imports, wherever in it."""
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif not node.level and node.module:
            yield node.module.split(".")[0]
