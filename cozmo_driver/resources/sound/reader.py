"""Little-endian numbers read one after the other; nothing is read that is not there."""

from __future__ import annotations

import struct
from typing import NoReturn

from .errors import SoundBankError

_U8, _U16, _U32 = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<I")
_I32, _F32 = struct.Struct("<i"), struct.Struct("<f")


class Reader:
    """A piece of a file. Whatever would go past its end raises ``SoundBankError``."""

    def __init__(self, data: bytes, source: str, start: int = 0) -> None:
        """Read ``data``, which begins at byte ``start`` of the file ``source``."""
        self.data = data
        self.position = 0
        self._source = source
        self._start = start

    @property
    def remaining(self) -> int:
        """Bytes not yet read."""
        return len(self.data) - self.position

    @property
    def offset(self) -> int:
        """Where in the file the next byte is."""
        return self._start + self.position

    def fail(self, reason: str) -> NoReturn:
        """Raise ``SoundBankError`` for this place."""
        raise SoundBankError(self._source, self.offset, reason)

    def u8(self) -> int:
        """Return the next byte."""
        return int(self._number(_U8))

    def u16(self) -> int:
        """Return the next 16-bit number."""
        return int(self._number(_U16))

    def u32(self) -> int:
        """Return the next 32-bit number."""
        return int(self._number(_U32))

    def i32(self) -> int:
        """Return the next signed 32-bit number."""
        return int(self._number(_I32))

    def f32(self) -> float:
        """Return the next floating-point number, which may be none."""
        return float(self._number(_F32))

    def varint(self) -> int:
        """Return a number of seven bits a byte, the highest first."""
        value, byte = 0, 0x80
        while byte & 0x80:
            byte = self.u8()
            value = value << 7 | byte & 0x7F
            if value >> 32:
                self.fail("a number has more than 32 bits")
        return value

    def skip(self, count: int) -> None:
        """Leave out bytes."""
        self._need(count)
        self.position += count

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        self._need(count)
        self.position += count
        return self.data[self.position - count : self.position]

    def count_u32(self, size: int) -> int:
        """Return a count of things of ``size`` bytes at least, for which there must be room."""
        return self._room(self.u32(), size)

    def count_u16(self, size: int) -> int:
        """Return a 16-bit count, as ``count_u32``."""
        return self._room(self.u16(), size)

    def u32s(self, count: int) -> tuple[int, ...]:
        """Return the next 32-bit numbers."""
        return struct.unpack(f"<{count}I", self.take(4 * count))

    # -- inside

    def _number(self, layout: struct.Struct) -> int | float:
        self._need(layout.size)
        value: int | float = layout.unpack_from(self.data, self.position)[0]
        self.position += layout.size
        return value

    def _need(self, count: int) -> None:
        if count > self.remaining:
            self.fail(f"{count} bytes are needed, {self.remaining} are left")

    def _room(self, count: int, size: int) -> int:
        if count * size > self.remaining:
            self.fail(f"{count} entries of {size} bytes do not fit into {self.remaining}")
        return count
