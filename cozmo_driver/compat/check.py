"""``cozmo run --check``: what of a program is missing or different here."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .former_names import parsed
from .modules import FACADES
from .offers import classes, differences, has_attribute, module_of

_ROBOT_NAMES = {"robot", "cozmo_robot", "coz"}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A line of a program, and what is to be known of it."""

    line: int
    name: str
    text: str
    is_missing: bool


def names_used(program: Path) -> set[str]:
    """Return every attribute, name and keyword in a program and what it imports from its folder.

    Files that cannot be read have none.
    """
    names: set[str] = set()
    main = program.resolve()
    left, found = [main], {main}
    while left:
        file = left.pop()
        try:
            tree = parsed(file)
        except (SyntaxError, ValueError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.keyword) and node.arg:
                names.add(node.arg)
        own = {one for one in _imported(tree, file, main.parent) if one.is_file()} - found
        left += own
        found |= own
    return names


def _imported(tree: ast.Module, file: Path, folder: Path) -> Iterator[Path]:
    """Yield the files in ``folder``, there or not, that the imports of one of them may mean."""
    for node in ast.walk(tree):
        base = folder
        if isinstance(node, ast.Import):
            paths = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            paths = [[*module, alias.name] for alias in node.names]
            base = [folder, *file.parents][min(node.level, len(file.parents))]
        else:
            continue
        for path in paths:
            if base.is_relative_to(folder) and not (base == folder and path[0] in FACADES):
                for count in range(1, len(path) + 1):
                    place = base.joinpath(*path[:count])
                    yield from (place.with_suffix(".py"), place / "__init__.py")


def check_program(program: Path) -> list[Finding]:
    """Return what a program uses that is missing or different. Raises ``SyntaxError``, ``OSError``.

    Judged by names alone: what a program makes of them when it runs is not known.
    """
    tree = parsed(program)
    findings = {*_missing(tree), *_different(tree)}
    return sorted(findings)


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return the names that stand for the façades and their modules in a program."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root in FACADES:
                    found[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module in FACADES:
            for alias in node.names:
                path = f"{node.module}.{alias.name}"
                if _is_module(path):
                    found[alias.asname or alias.name] = path
    return found


def _is_module(path: str) -> bool:
    try:
        module_of(path)
    except ImportError:
        return False
    return True


def _missing(tree: ast.Module) -> Iterator[Finding]:
    aliases = _aliases(tree)
    # Robots of a program's own have methods of its own.
    owns = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    has_own_robot = bool(owns & {"robot_factory", "world_factory"})
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FACADES:
            assert node.module is not None
            if not _is_module(node.module):
                yield _lacks(node.lineno, node.module, ())
                continue
            module = module_of(node.module)
            for alias in node.names:
                path = f"{node.module}.{alias.name}"
                if alias.name != "*" and not hasattr(module, alias.name) and not _is_module(path):
                    yield _lacks(node.lineno, path, dir(module))
        elif isinstance(node, ast.Attribute):
            chain = _chain(node)
            if chain and chain[0] in aliases:
                yield from _missing_in(node.lineno, [aliases[chain[0]], *chain[1:]])
            elif (
                has_own_robot
                or not any(p.startswith("cozmo") for p in aliases.values())
                or len(chain) < 2
            ):
                continue
            elif chain[-2] in _ROBOT_NAMES:
                yield from _missing_of("Robot", node)
            elif chain[-2] == "world":
                yield from _missing_of("World", node)


def _missing_in(line: int, chain: list[str]) -> Iterator[Finding]:
    """Follow a chain of attributes from a module on; methods are not followed further."""
    path, *rest = chain
    owner = module_of(path)
    for name in rest:
        path = f"{path}.{name}"
        if not has_attribute(owner, name):
            yield _lacks(line, path, dir(owner))
            return
        owner = getattr(owner, name, None)
        if owner is None:
            return


def _missing_of(kind: str, node: ast.Attribute) -> Iterator[Finding]:
    # A program may give objects attributes of its own.
    if isinstance(node.ctx, ast.Load) and not has_attribute(classes()[kind], node.attr):
        yield _lacks(node.lineno, f"{kind}.{node.attr}", dir(classes()[kind]))


def _lacks(line: int, path: str, known: object) -> Finding:
    names = list(known) if isinstance(known, list | tuple) else []
    near = difflib.get_close_matches(path.rpartition(".")[2], names, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Finding(line, path, f"is missing here{hint}", True)


def _chain(node: ast.AST) -> list[str]:
    """Return the names of ``a.b.c``; without a name at its begin those that follow."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.insert(0, node.id)
    return names


def _different(tree: ast.Module) -> Iterator[Finding]:
    known, told = differences(), set()
    for line, name in _names(tree):
        # Once for each name: what is different is the same in every line.
        if name in known and name not in told:
            told.add(name)
            yield Finding(line, name, known[name], False)


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of attributes, keywords and what is imported from the façades."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FACADES:
            yield from ((node.lineno, alias.name) for alias in node.names)
