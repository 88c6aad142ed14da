"""docs/security.md names tests and fuzz targets that exist, and every target."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from ..fuzz.table import TARGETS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
_TEST = re.compile(r"`(test/[\w/]+\.py)(?:::(\w+))?`")
_FUZZ = re.compile(r"fuzz ((?:`\w+`(?:, )?)+)")


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def rows() -> list[str]:
    threats = TEXT.partition("## Threats")[2].partition("\n## ")[0]
    lines = [line for line in threats.splitlines() if line.startswith("| ")]
    return [line for line in lines if not line.startswith("| threat |")]


def targets_of(text: str) -> set[str]:
    return {name for names in _FUZZ.findall(text) for name in re.findall(r"`(\w+)`", names)}


def test_every_threat_names_a_test_or_a_target() -> None:
    assert len(rows()) > 35
    for row in rows():
        shown_by = row.split("|")[3]
        assert _TEST.search(shown_by) or targets_of(shown_by), row


def test_every_named_test_exists() -> None:
    named = _TEST.findall(TEXT)
    assert len(named) > 50
    for file, function in named:
        assert (ROOT / file).is_file(), file
        assert not function or function in functions_of(ROOT / file), f"{file}::{function}"


def test_every_fuzz_target_shows_something() -> None:
    assert targets_of(TEXT) == set(TARGETS)
