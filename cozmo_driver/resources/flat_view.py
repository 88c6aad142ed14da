"""FlatBuffers whose every offset and length is checked before it is followed.

The library writes well but reads blindly: Python's runtime has no verifier, so a damaged file
would be read from anywhere. The layout is that of the format's own documentation.
"""

from __future__ import annotations

import struct
from typing import Any

from .errors import ClipError
from .fields import LONGEST_TEXT, FieldType

_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")
_VTABLE_HEAD = 4
"""Two u16 before the fields' offsets: size of the vtable, size of the table."""


class FlatView:
    """A file's bytes. Everything raises ``ClipError`` with the place of what is wrong."""

    def __init__(self, data: bytes, source: str) -> None:
        """Look at ``data``; errors name ``source``."""
        self.data = data
        self.source = source
        self._vtables: dict[int, tuple[tuple[int, ...], int]] = {}

    def fail(self, at: int, reason: str) -> ClipError:
        """Return the error to raise."""
        return ClipError(self.source, at, reason)

    def root(self) -> FlatTable:
        """Return the root table."""
        if len(self.data) < 8:
            raise self.fail(0, f"{len(self.data)} bytes are no FlatBuffers file")
        return self.table(self.follow(0))

    def follow(self, at: int) -> int:
        """Return where the forward offset at ``at`` leads to."""
        self._within(at, 4, "an offset")
        (offset,) = _U32.unpack_from(self.data, at)
        if offset < 4 or at + offset + 4 > len(self.data):
            raise self.fail(at, f"an offset of {offset} leads out of the file")
        return at + int(offset)

    def table(self, at: int) -> FlatTable:
        """Return the table at ``at``."""
        self._within(at, 4, "a table")
        (back,) = _I32.unpack_from(self.data, at)
        slots, size = self._vtable(at - back, at)
        self._within(at, size, "a table")
        return FlatTable(self, at, slots, size)

    def text(self, at: int) -> str:
        """Return the string at ``at``."""
        first, size = self._counted(at, 1, LONGEST_TEXT, "a text")
        if self.data[first + size : first + size + 1] != b"\0":
            raise self.fail(first + size, "a text does not end with a zero")
        try:
            return self.data[first : first + size].decode("utf-8")
        except UnicodeDecodeError:
            raise self.fail(first, "a text is no UTF-8") from None

    def numbers(self, at: int, type_: FieldType) -> tuple[Any, ...]:
        """Return the vector of numbers at ``at``."""
        number = type_.number
        first, count = self._counted(at, number.bytewidth, type_.longest, "a list of numbers")
        code = number.packer_type.format[-1]
        return struct.unpack_from(f"<{count}{code}", self.data, first)

    def number(self, at: int, type_: FieldType) -> Any:
        """Return the number at ``at``, which is known to be inside."""
        return type_.number.packer_type.unpack_from(self.data, at)[0]

    def offsets(self, at: int, most: int, what: str) -> range:
        """Return the places of the offsets in the vector of tables at ``at``."""
        first, count = self._counted(at, 4, most, what)
        return range(first, first + 4 * count, 4)

    def _counted(self, at: int, width: int, most: int, what: str) -> tuple[int, int]:
        self._within(at, 4, what)
        (count,) = _U32.unpack_from(self.data, at)
        if count > most:
            raise self.fail(at, f"{what} has {count} elements, more than {most}")
        self._within(at + 4, count * width, what)
        return at + 4, int(count)

    def _vtable(self, at: int, table: int) -> tuple[tuple[int, ...], int]:
        """Offsets of the fields in the table, 0 for an absent one, and the table's size."""
        known = self._vtables.get(at)
        if known is not None:
            return known
        if at < 0:
            raise self.fail(table, "the layout of a table lies before the file")
        self._within(at, _VTABLE_HEAD, "the layout of a table")
        (size,) = _U16.unpack_from(self.data, at)
        (table_size,) = _U16.unpack_from(self.data, at + 2)
        if size < _VTABLE_HEAD or size % 2 or table_size < 4:
            raise self.fail(at, f"a table's layout of {size} bytes for {table_size} is impossible")
        self._within(at, size, "the layout of a table")
        count = (size - _VTABLE_HEAD) // 2
        slots = struct.unpack_from(f"<{count}H", self.data, at + _VTABLE_HEAD)
        self._vtables[at] = slots, table_size
        return slots, table_size

    def _within(self, at: int, size: int, what: str) -> None:
        if at + size > len(self.data):
            raise self.fail(at, f"{what} of {size} bytes goes beyond the file's {len(self.data)}")


class FlatTable:
    """A table inside a file."""

    __slots__ = ("_size", "_slots", "at", "view")

    def __init__(self, view: FlatView, at: int, slots: tuple[int, ...], size: int) -> None:
        """Take the table at ``at`` with its fields' offsets, 0 for an absent one."""
        self.view = view
        self.at = at
        self._slots = slots
        self._size = size

    def place(self, index: int, width: int = 4) -> int | None:
        """Return where a field of that many bytes lies, None where it is absent."""
        offset = self._slots[index] if index < len(self._slots) else 0
        if not offset:
            return None
        if offset < 4 or offset + width > self._size:
            raise self.view.fail(self.at, f"field {index} lies outside of its table")
        return self.at + offset

    def target(self, index: int) -> int | None:
        """Return where the offset in a field leads to, None where the field is absent."""
        place = self.place(index)
        return None if place is None else self.view.follow(place)

    def value(self, index: int, type_: FieldType) -> Any:
        """Return a field's value, None where it is absent."""
        if type_.number is None or type_.is_vector:
            target = self.target(index)
            if target is None:
                return None
            view = self.view
            return view.numbers(target, type_) if type_.is_vector else view.text(target)
        place = self.place(index, type_.number.bytewidth)
        return None if place is None else self.view.number(place, type_)
