"""A parsed file seen key by key: what is wrong is reported with file and key (spec 11 §3)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from .errors import LoadWarning, ResourceError
from .files import read_json


@dataclass(frozen=True, slots=True)
class Graph:
    """Linear between nodes, constant outside; equal x is a step. Raises ``ValueError``."""

    nodes: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not self.nodes or not all(map(math.isfinite, (v for node in self.nodes for v in node))):
            raise ValueError("a graph has at least one node, of finite numbers")
        if any(a[0] > b[0] for a, b in zip(self.nodes, self.nodes[1:], strict=False)):
            raise ValueError("the nodes of a graph are in the order of x")

    def __call__(self, x: float) -> float:
        index = bisect_right(self.nodes, x, key=lambda node: node[0])
        if index == 0:
            return self.nodes[0][1]
        if index == len(self.nodes):
            return self.nodes[-1][1]
        (x0, y0), (x1, y1) = self.nodes[index - 1], self.nodes[index]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    def fraction(self, x: float) -> float:
        return min(1.0, max(0.0, self(x)))


ENGINE = Path("config", "engine")
"""Where a tree has the files of moods, needs and behaviours."""
MOST_FILES = 20_000
"""Of one directory tree."""

T = TypeVar("T")


class ConfigError(ResourceError):
    """A file says something that makes no sense; the text names the thing and the key."""


class BadEntry(ConfigError):
    """Something in a file makes no sense: which file, by which keys one gets there, why."""

    def __init__(self, source: str, path: str, reason: str) -> None:
        super().__init__(f"{source}: {path or 'the file'} {reason}")
        self.source = source
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class View:
    """A value of a file and the keys that lead to it. Its methods raise ``BadEntry``."""

    value: Any
    source: str
    path: str = ""

    def refuse(self, reason: str) -> NoReturn:
        raise BadEntry(self.source, self.path, reason)

    def entries(self) -> Iterator[tuple[str, View]]:
        if not isinstance(self.value, dict):
            self.refuse("is no object")
        return ((key, self._inner(key, value)) for key, value in self.value.items())

    def items(self) -> list[View]:
        if not isinstance(self.value, list):
            self.refuse("is no list")
        return [View(one, self.source, f"{self.path}[{i}]") for i, one in enumerate(self.value)]

    def at(self, key: str) -> View:
        found = self.get(key)
        if found is None:
            self.refuse(f"has no {key!r}")
        return found

    def get(self, key: str) -> View | None:
        if not isinstance(self.value, dict):
            self.refuse("is no object")
        value = self.value.get(key)
        return None if value is None else self._inner(key, value)

    def number(self, least: float = -math.inf, most: float = math.inf) -> float:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(f"is a number, not {value!r}")
        # Also for NaN, and for whole numbers that no float can hold.
        if not (least <= value <= most and abs(value) < 1e300):
            self.refuse(f"is from {least:g} to {most:g}, not {value}")
        return float(value)

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            self.refuse(f"is a text, not {self.value!r}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.refuse(f"is true or false, not {self.value!r}")
        return self.value

    def with_value(self, value: Any) -> View:
        return View(value, self.source, self.path)

    def graph(self) -> Graph:
        """Return the graph of a file's ``{"nodes": [{"x", "y"}]}``."""
        nodes = self.at("nodes").items()
        try:
            points = [(float(node.value["x"]), float(node.value["y"])) for node in nodes]
            return Graph(tuple(sorted(points, key=lambda point: point[0])))
        except (TypeError, KeyError, ValueError) as error:
            self.refuse(f"is no graph: {error}")

    def items_at(self, key: str) -> list[View]:
        found = self.get(key)
        return [] if found is None else found.items()

    def graph_or_none(self) -> Graph | None:
        """Return the graph, None for one without nodes."""
        return self.graph() if self.at("nodes").items() else None

    def number_at(
        self, key: str, default: float, least: float = -math.inf, most: float = math.inf
    ) -> float:
        found = self.get(key)
        return default if found is None else found.number(least, most)

    def text_at(self, key: str, default: str = "") -> str:
        """Return the text under a key, the default where there is none or an empty one."""
        found = self.get(key)
        return default if found is None or found.value == "" else found.text()

    def flag_at(self, key: str, default: bool) -> bool:
        found = self.get(key)
        return default if found is None else found.flag()

    def read(self, kind: type[T], **given: Any) -> T:
        """Return a dataclass whose fields say by ``key`` where in this object they are.

        Fields that are ``given`` are not looked for.
        """
        for one in fields(kind):  # type: ignore[arg-type]
            if "key" not in one.metadata or one.name in given:
                continue
            name, read = one.metadata["key"]
            found = self.at(name) if one.default is MISSING else self.get(name)
            is_empty = found is None or (found.value == "" and read is View.text)
            if found is not None and not (is_empty and one.default is not MISSING):
                given[one.name] = read(found)
        return kind(**given)

    def _inner(self, key: str, value: Any) -> View:
        return View(value, self.source, f"{self.path}.{key}" if self.path else key)


def key(name: str, read: Callable[[View], object], default: Any = MISSING) -> Any:
    """Return a field for ``View.read``: its key in files, how its value is read, and its default.

    An empty text counts as none.
    """
    return field(default=default, metadata={"key": (name, read)})


def number(least: float = -math.inf, most: float = math.inf) -> Callable[[View], float]:
    return lambda view: view.number(least, most)


def each(read: Callable[[View], T]) -> Callable[[View], tuple[T, ...]]:
    """Return what reads every entry of a list."""
    return lambda view: tuple(map(read, view.items()))


def record(kind: type[T]) -> Callable[[View], T]:
    return lambda view: view.read(kind)


def usable(
    views: Iterable[View], read: Callable[[View], T], warnings: list[LoadWarning]
) -> Iterator[T]:
    """Return what can be read; the rest is left out with a warning."""
    for view in views:
        try:
            yield read(view)
        except BadEntry as error:
            text = f"{view.path or 'the file'} is left out: {error.path} {error.reason}"
            warnings.append(LoadWarning(view.source, text))


def usable_at(
    view: View, key: str, read: Callable[[View], T], warnings: list[LoadWarning]
) -> Iterator[T]:
    """Return what can be read of the list under a key; nothing where there is none."""
    for listed in usable([view], lambda one: one.items_at(key), warnings):
        yield from usable(listed, read, warnings)


def merge(
    known: dict[str, T], found: Iterable[tuple[str, str, T]], warnings: list[LoadWarning]
) -> None:
    """Add what one tree has: names, their files and what they mean.

    The first of each name counts. That a later tree has it too is how trees are meant; a later
    file of the same tree gets a warning.
    """
    of_tree: set[str] = set()
    for name, source, one in found:
        if name in of_tree:
            text = f"{name!r} is left out: an earlier file has one of that name"
            warnings.append(LoadWarning(source, text))
        of_tree.add(name)
        known.setdefault(name, one)


def files_in(trees: Sequence[Path], relative: str, warnings: list[LoadWarning]) -> Iterator[View]:
    """Return the content of one file of ``ENGINE`` in each tree that has a readable one."""
    for tree in trees:
        yield from read_view(tree / ENGINE / relative, warnings)


def views_in(folder: Path, warnings: list[LoadWarning]) -> Iterator[View]:
    """Return the content of every readable JSON file below a folder, in order of the paths."""
    for path in islice(filter(Path.is_file, sorted(folder.rglob("*.json"))), MOST_FILES):
        yield from read_view(path, warnings)


def read_view(path: Path, warnings: list[LoadWarning]) -> Iterator[View]:
    """Return a file's content; nothing for one that is not there or cannot be read."""
    try:
        if path.is_file():
            yield View(read_json(path), str(path))
    except ResourceError as error:
        warnings.append(LoadWarning.of(path, error))
