"""Which test covers what: ``@pytest.mark.covers("name", ...)``, read without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "covers"


class MarkError(ValueError):
    """A mark that cannot be read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One test, or a whole file, and the names that it covers."""

    test: str
    names: tuple[str, ...]


def read_marks(root: Path, folder: str = "test") -> list[Mark]:
    """Return the marks of every test file below ``root``/``folder``. Raises ``MarkError``."""
    return [
        mark
        for path in sorted((root / folder).rglob("test_*.py"))
        for mark in _marks_of(path, path.relative_to(root).as_posix())
    ]


def _marks_of(path: Path, name: str) -> Iterator[Mark]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = 0
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            calls = [call for place in statement.decorator_list for call in _calls(place)]
            test = f"{name}::{statement.name}"
        elif isinstance(statement, ast.Assign) and _is_pytestmark(statement):
            calls, test = list(_calls(statement)), name
        else:
            continue
        known += len(calls)
        if calls:
            yield Mark(test, tuple(dict.fromkeys(n for call in calls for n in _names(call, name))))
    if known != len(list(_calls(tree))):
        raise MarkError(f"{name}: a mark '{MARK}' stands neither on a test nor in pytestmark")


def _is_pytestmark(statement: ast.Assign) -> bool:
    return any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in statement.targets)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == MARK
            and ast.unparse(node.func.value).endswith("mark")
        ):
            yield node


def _names(call: ast.Call, file: str) -> Iterator[str]:
    if not call.args or call.keywords:
        raise MarkError(f"{file}:{call.lineno}: the mark '{MARK}' takes names, one at least")
    for argument in call.args:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            raise MarkError(f"{file}:{call.lineno}: the mark '{MARK}' takes names as plain texts")
        yield argument.value
