"""What a fuzz target is, and the pieces of data that hold several datagrams."""

from __future__ import annotations

import atexit
import functools
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LENGTH = struct.Struct("<H")
MOST_PIECES = 64
_SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Target:
    """A function of bytes that raises nothing: what is declared it catches itself."""

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    share: int
    """Inputs in the long run."""
    tokens: tuple[bytes, ...] = ()
    """Words of the format, to be mixed in."""
    longest: int = 16 << 10
    count: Callable[[bytes], int] = lambda data: 1
    """How many datagrams or files an input holds."""
    is_datagrams: bool = False
    quick: int = 100
    """Inputs in the short run of ``make test``."""


def pieces(data: bytes) -> Iterator[bytes]:
    """Yield the pieces of an input, each behind its length; a wrong length ends the last one."""
    at = 0
    for _ in range(MOST_PIECES):
        if at + _LENGTH.size > len(data):
            return
        (size,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        yield data[at : at + size]
        at += size


def join(parts: Iterable[bytes]) -> bytes:
    """Return an input of these pieces."""
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def number_of_pieces(data: bytes) -> int:
    """Return how many pieces an input holds."""
    return sum(1 for _ in pieces(data))


@functools.cache
def scratch() -> Path:
    """Return a folder for files of this process, in memory where possible; removed at the end."""
    parent = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="cozmo-fuzz-", dir=parent))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def file_with(name: str, data: bytes) -> Path:
    """Return a file of that name with this content."""
    path = scratch() / name
    path.write_bytes(data)
    return path
