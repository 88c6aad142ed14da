"""docs/troubleshooting.md quotes what the programs really say, and names what there really is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "troubleshooting.md"
COMMANDS = re.compile(
    r"(ros2|sudo|cozmo|nmcli|iw|ip|pip|journalctl|cd) |.*(_URI|[a-z]:)=|--|.*--ros-args"
)
OF_OTHERS = (
    "Could not transform",
    "Failed to make progress",
    "Operation not permitted",
    "Robot is out of bounds",
    "detected collision ahead",
    "extrapolation into the future",
)
"""What Nav2 and the system say."""
VALUES = re.compile(r"\.\.\.|[;:] |'[^']*'|\S*\d\S*|\b(?:nan|linear\.x|cmd_vel|wheels|map|odom)\b")
"""What stands between two pieces of a text: values, and where two texts are joined."""
FEWEST_WORDS = 3


def texts_of_programs() -> str:
    """Return every text in the package; what is put into them later is left out."""
    found = []
    for path in (ROOT / "cozmo_driver").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"%[\d.]*[a-z]", "\n", node.value))
    return "\n".join(found)


def quotations(page: str) -> Iterator[str]:
    """Yield the pieces of quoted sentences that hold no values."""
    outside_blocks = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    for quoted in re.findall(r"`([^`\n]+)`", outside_blocks):
        if COMMANDS.match(quoted) or any(text in quoted for text in OF_OTHERS):
            continue
        for piece in VALUES.split(quoted):
            if len(piece.split()) >= FEWEST_WORDS:
                yield piece.strip(" ,;:.?")


def test_what_the_page_quotes_is_what_the_programs_say() -> None:
    said = texts_of_programs()
    pieces = list(quotations(PAGE.read_text()))
    assert len(pieces) > 30
    assert [piece for piece in pieces if piece not in said] == []


def test_who_does_not_see_a_cube_is_told_to_learn_it() -> None:
    """Cubes of the maker are known only then."""
    (row,) = re.findall(r"^\| \d+ \| NOT_SEEN \| .*$", PAGE.read_text(), re.M)
    assert "cozmo vision learn --cube" in row
    assert "learn_markers" in row


def test_every_parameter_and_reason_on_the_page_exists() -> None:
    page = PAGE.read_text()
    reasons = (ROOT / "cozmo_interfaces/msg/Reason.msg").read_text()
    for name, number in re.findall(r"^uint8 (\w+)=(\d+)", reasons, re.M):
        if name != "NONE":
            assert re.search(rf"\b{name}\b", page), f"{name} ({number}) is not explained"
    config = (ROOT / "config/cozmo.yaml").read_text()
    known = set(re.findall(r"^    (\w+):", config, re.M))
    for name in re.findall(r"ros2 param [gs]et /cozmo_driver (\w+)", page):
        assert name in known
