"""The robot's flash storage: the app's entries and the factory's records (spec 09 §2-5, §10)."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from math import inf

from ..protocol import NVEntryTag, NVOperation, NVResult
from ..protocol.messages import NVCommand, NVOpResult
from .core import Core
from .world.optics import Lens

USER_START, USER_END = 0x180000, 0x198000
SECTOR = 0x1000
BLOCK = 1024

_STEP = 0.005
"""Seconds between two steps of an operation."""
_SECTOR_ERASE = 0.020
_FACTORY_BIT = 0x8000_0000
_ERASED = b"\xff"
_NO_BLOCK = -1
"""What the robot puts in the block of an answer to a write."""
_MAGIC = 0x435A4D4F
_HEADER = struct.Struct("<IIII")
_RECORD = struct.Struct("<5f2H8f")
_LENS = Lens()
_MEASURED_DISTORTION = (0.01389, 0.16597, 0.000778, -0.002705, -0.51256, 3e-33, inf, 0.0)
_PROTECTED = ((0xDE000, 0x100000), (0x1C0000, 1 << 32))

Reply = tuple[int, NVResult, bytes]
"""Block, result and data."""


def calibration_record(
    fx: float = _LENS.fx,
    fy: float = _LENS.fy,
    cx: float = _LENS.cx,
    cy: float = _LENS.cy,
    rows: int = 240,
    columns: int = 320,
    distortion: tuple[float, ...] = _MEASURED_DISTORTION,
) -> bytes:
    """Return the factory's record of a camera; the defaults were read from a real robot."""
    return _RECORD.pack(fx, fy, cx, cy, 0.0, rows, columns, *distortion)


@dataclass(slots=True)
class StorageFaults:
    """What goes wrong; counts are used up, the rest stays until it is taken back."""

    silent: int = 0
    """Commands that are never answered."""
    busy: int = 0
    """Commands that are answered with BUSY."""
    answers: deque[NVResult] = field(default_factory=deque)
    """Results of the next commands, which do nothing else."""
    dropped: set[int] = field(default_factory=set)
    """Blocks left out of the next read that has them, each once."""
    is_reversed: bool = False
    """Blocks of a read come last first."""
    is_doubled: bool = False
    """Every block of a read comes twice."""
    dies_after: int | None = None
    """Replies of an operation after which it falls silent."""
    bad_bits: int = 0
    """Writes that clear one bit too many."""
    erased_is_data: bool = False
    """An empty entry reads as erased flash instead of NOT_FOUND."""


class Storage:
    """Flash survives the connection; one operation at a time, as in the robot."""

    def __init__(self, core: Core, lens: Lens = _LENS) -> None:
        """``lens`` is what the factory found of the camera's."""
        self._core = core
        self._is_busy = False
        self.flash = bytearray(_ERASED) * (USER_END - USER_START)
        record = calibration_record(lens.fx, lens.fy, lens.cx, lens.cy)
        self.factory: dict[int, bytes] = {NVEntryTag.CAMERA_CALIB: record}
        self.faults = StorageFaults()
        self.erased_sectors = self.written_blocks = 0
        core.handle(NVCommand, self._on_command)
        core.when_disconnected(self._on_disconnected)

    # -- for tests

    def put(self, tag: int, data: bytes, second: int = 0, fourth: int = 0) -> None:
        """Set a user entry as the app would have written it."""
        self.put_image(tag, _HEADER.pack(_MAGIC, second, len(data), fourth) + data)

    def put_image(self, tag: int, image: bytes) -> None:
        start = tag - USER_START
        self.flash[start : start + len(image)] = image

    def image(self, tag: int, size: int) -> bytes:
        return bytes(self.flash[tag - USER_START : tag - USER_START + size])

    def get(self, tag: int) -> bytes | None:
        """Return the data of a user entry; None when it has no header."""
        magic, _, size, _ = _HEADER.unpack_from(self.flash, tag - USER_START)
        start = tag - USER_START + _HEADER.size
        return bytes(self.flash[start : start + size]) if magic == _MAGIC else None

    # -- commands

    def _on_command(self, m: NVCommand) -> None:
        faults = self.faults
        if faults.silent:
            faults.silent -= 1
        elif self._is_busy or faults.busy:
            faults.busy -= bool(faults.busy) and not self._is_busy
            self._reply(m, (0, NVResult.BUSY, b""))
        else:
            self._is_busy = True
            replies = self._replies(m)
            if faults.answers:
                replies = iter([(0, faults.answers.popleft(), b"")])
            self._core.after(_STEP, partial(self._step, m, replies, 0))

    def _step(self, m: NVCommand, replies: Iterator[Reply | float], sent: int) -> None:
        """Send the next reply when the transport has room for one, as the firmware does."""
        if sent and self._core.connection.waiting:
            self._core.after(_STEP, partial(self._step, m, replies, sent))
            return
        if sent == self.faults.dies_after:
            self._is_busy = False
            return
        step = next(replies, None)
        if step is None:
            self._is_busy = False
            return
        if isinstance(step, float):
            self._core.after(step, partial(self._step, m, replies, sent))
            return
        self._reply(m, step)
        if step[1] == NVResult.MORE:
            self._core.after(_STEP, partial(self._step, m, replies, sent + 1))
        else:
            self._is_busy = False

    def _reply(self, m: NVCommand, reply: Reply) -> None:
        block, result, data = reply
        self._core.send(NVOpResult(m.tag, block, m.op, result, data))

    def _replies(self, m: NVCommand) -> Iterator[Reply | float]:
        """Yield replies and, between them, seconds that pass."""
        if m.op == NVOperation.READ:
            yield from self._impaired(list(self._read(m.tag, m.length)))
        elif m.op == NVOperation.WIPEALL or _is_protected(m.tag):
            yield (0, NVResult.ERROR, b"")
        elif m.op == NVOperation.WRITE:
            yield self._write(m)
        elif m.op == NVOperation.ERASE:
            yield from self._erase(m)
        else:
            yield (0, NVResult.BAD_ARGS, b"")

    def _read(self, tag: int, length: int) -> Iterator[Reply]:
        if tag & _FACTORY_BIT:
            yield from self._read_factory(tag, length)
        elif length <= 0 or tag < USER_START or tag + length > USER_END or tag % 4:
            yield (0, NVResult.BAD_ARGS, b"")
        elif self.image(tag, 4) == _ERASED * 4 and not self.faults.erased_is_data:
            yield (0, NVResult.NOT_FOUND, b"")
        else:
            last = (length - 1) // BLOCK
            for block in range(last + 1):
                data = self.image(tag + block * BLOCK, min(BLOCK, length - block * BLOCK))
                yield (block, NVResult.OKAY if block == last else NVResult.MORE, data)

    def _read_factory(self, tag: int, length: int) -> Iterator[Reply]:
        """The length counts records here, not bytes."""
        found = [(key - tag, self.factory[key]) for key in sorted(self.factory)]
        found = [(offset, data) for offset, data in found if 0 <= offset < length]
        if not found:
            yield (0, NVResult.NOT_FOUND, b"")
        elif length == 1:
            yield (0, NVResult.OKAY, found[0][1])
        else:
            for offset, data in found:
                yield (offset, NVResult.MORE, data)
            yield (0, NVResult.OKAY, b"")

    def _impaired(self, replies: list[Reply]) -> Iterator[Reply]:
        """Leave blocks out, reverse or repeat them; the order of the results stays."""
        faults = self.faults
        content = [(block, data) for block, _, data in replies]
        if faults.is_reversed:
            content.reverse()
        for (_, result, _), (block, data) in zip(replies, content, strict=True):
            if data and block in faults.dropped:
                faults.dropped.discard(block)
                if result == NVResult.MORE:
                    continue
                data = b""
            if faults.is_doubled and data:
                yield (block, NVResult.MORE, data)
            yield (block, result, data)

    def _write(self, m: NVCommand) -> Reply:
        """Flash memory can only clear bits; setting them takes an erase."""
        end = m.tag + len(m.data)
        inside = m.tag >= USER_START and end <= USER_END
        if not inside or not m.data or len(m.data) > BLOCK or len(m.data) % 4 or m.tag % 4:
            return (_NO_BLOCK, NVResult.BAD_ARGS, b"")
        start = m.tag - USER_START
        for offset, value in enumerate(m.data, start):
            self.flash[offset] &= value
        if self.faults.bad_bits:
            self.faults.bad_bits -= 1
            self.flash[start + next(i for i, v in enumerate(m.data) if v)] = 0
        self.written_blocks += 1
        return (_NO_BLOCK, NVResult.OKAY, b"")

    def _erase(self, m: NVCommand) -> Iterator[Reply | float]:
        whole = m.length > 0 and m.length % SECTOR == 0 and m.tag % SECTOR == 0
        if not whole or m.tag < USER_START or m.tag + m.length > USER_END:
            yield (0, NVResult.BAD_ARGS, b"")
            return
        for address in range(m.tag, m.tag + m.length, SECTOR):
            yield _SECTOR_ERASE
            self.put_image(address, _ERASED * SECTOR)
            self.erased_sectors += 1
        yield (m.length // SECTOR, NVResult.OKAY, b"")

    def _on_disconnected(self) -> None:
        self._is_busy = False


def _is_protected(tag: int) -> bool:
    return any(low <= tag < high for low, high in _PROTECTED)
