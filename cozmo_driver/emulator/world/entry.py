"""A mapping of a world file, every value of which is checked; errors name its place."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, TypeVar

_Choice = TypeVar("_Choice", bound=Enum)
_REQUIRED: Any = object()


class WorldFileError(ValueError):
    """What is wrong in a world file, where, and what to write instead; one line."""


class Entry:
    """A mapping of a file; remembers which keys were read."""

    def __init__(self, value: object, file: str, place: str = "") -> None:
        """Take a value at ``place`` of ``file``. Raises ``WorldFileError`` if it is no mapping."""
        self._file, self._place = file, place
        self._known: list[str] = []
        if not isinstance(value, dict):
            raise self._wrong("", value, "write keys with values, one a line")
        self._values: dict[object, object] = value

    def number(self, key: str, low: float, high: float, default: float = _REQUIRED) -> float:
        value = self._get(key, default)
        if not _is_number(value) or not low <= value <= high:
            raise self._wrong(key, value, f"write a number from {low:g} to {high:g}")
        return float(value)

    def integer(self, key: str, low: int, high: int, default: int = _REQUIRED) -> int:
        value = self._get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise self._wrong(key, value, f"write a whole number from {low} to {high}")

    def flag(self, key: str) -> bool:
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "write true or false")
        return value

    def text(self, key: str, longest: int, default: str = _REQUIRED) -> str:
        """Return a text that is not empty."""
        value = self._get(key, default)
        if not isinstance(value, str) or not 0 < len(value) <= longest:
            raise self._wrong(key, value, f"write a text of at most {longest} characters")
        return value

    def choice(self, key: str, kind: type[_Choice], default: _Choice) -> _Choice:
        """Return a member of ``kind`` by its value."""
        value = self._get(key, default.value)
        for member in kind:
            if member.value == value:
                return member
        names = ", ".join(str(member.value) for member in kind)
        raise self._wrong(key, value, f"choose one of: {names}")

    def numbers(self, key: str, count: int, low: float, high: float) -> tuple[float, ...]:
        """Return a list of ``count`` numbers within limits."""
        value = self._get(key)
        if not _are_numbers(value, count, low, high):
            expected = f"write [{', '.join(['number'] * count)}], each from {low:g} to {high:g}"
            raise self._wrong(key, value, expected)
        return tuple(map(float, value))

    def points(
        self, key: str, least: int, most: int, limit: float
    ) -> tuple[tuple[float, float], ...]:
        """Return a list of [x, y] with coordinates up to ``limit``."""
        return tuple((x, y) for x, y in self.lists(key, 2, least, most, limit))

    def lists(
        self, key: str, count: int, least: int, most: int, limit: float
    ) -> list[tuple[float, ...]]:
        """Return a list of points of ``count`` coordinates up to ``limit``."""
        value = self._get(key)
        shown = f"[{', '.join('xyz'[:count])}]"
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self._wrong(key, value, f"write a list of {least} to {most} points {shown}")
        for index, point in enumerate(value):
            if not _are_numbers(point, count, -limit, limit):
                expected = f"write {shown}, each from {-limit:g} to {limit:g}"
                raise self._wrong(f"{key}[{index}]", point, expected)
        return [tuple(map(float, point)) for point in value]

    def has(self, key: str) -> bool:
        self._known.append(key)
        return key in self._values

    def entry(self, key: str) -> Entry:
        """Return the mapping under a key that is there."""
        return Entry(self._get(key), self._file, self._at(key))

    def entries(self, key: str, most: int) -> Iterator[Entry]:
        """Return the mappings in the list under a key; none when it is not there.

        Refuses keys of one that were not read before the next one was asked for.
        """
        value = self._get(key, [])
        if not isinstance(value, list) or len(value) > most:
            raise self._wrong(key, value, f"write a list of at most {most} entries")
        for index, item in enumerate(value):
            entry = Entry(item, self._file, self._at(f"{key}[{index}]"))
            yield entry
            entry.done()

    def done(self) -> None:
        """Refuse keys that were not read."""
        for key in self._values:
            if key not in self._known:
                known = ", ".join(dict.fromkeys(self._known))
                raise self._error(f"{self._at(str(key)[:40])} is not known; known here: {known}")

    def refuse(self, why: str) -> WorldFileError:
        """Return the error that this entry makes no sense, to be raised."""
        return self._error(f"{self._place}: {why}" if self._place else why)

    def _get(self, key: str, default: object = _REQUIRED) -> Any:
        self._known.append(key)
        value = self._values.get(key, default)
        if value is _REQUIRED:
            raise self._error(f"{self._at(key)} is missing: write it")
        return value

    def _at(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place and key else self._place or key

    def _wrong(self, key: str, value: object, expected: str) -> WorldFileError:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        return self._error(f"{self._at(key) or 'the file'} is {shown}: {expected}")

    def _error(self, text: str) -> WorldFileError:
        """Return the error, with nothing in it that a terminal would obey."""
        shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
        return WorldFileError(f"{self._file}: {shown}")


def _is_number(value: object) -> bool:
    """NaN and infinity are numbers, too; both are outside of any limits."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(value: object, count: int, low: float, high: float) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(_is_number(each) and low <= each <= high for each in value)
    )
