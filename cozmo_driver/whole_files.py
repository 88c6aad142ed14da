"""Files read in bounded time and memory, and written in one step."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

DAMAGED = OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError
"""What taking a document apart raises, whatever is in it."""
_VERSION = 1


def read_whole(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file, ``most`` at most. Raises ``OSError`` for all others.

    A pipe or a device, which could keep the reader waiting for ever, is not read.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
    return data


def make_writable(folder: Path) -> None:
    """Make a folder, with those above it. Raises ``OSError`` where no file can be put into it."""
    # Of a file in its place the error is to say that it is no folder.
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def write_whole(path: Path, content: str | bytes, mode: int = 0o600) -> None:
    """Put a file into its place in one step, with its folders; text is UTF-8.

    It is on the disk when this returns. What was there stays where it fails with ``OSError``.
    """
    with whole_file(path, mode) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def whole_file(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Write a file in a ``with`` block, whose end puts it into its place as ``write_whole`` does.

    Where the block raises, what was there stays.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def read_document(path: Path, kind: str, serial: int, most: int) -> Any:
    """Return the JSON that ``write_document`` wrote of a robot, of at most so many bytes.

    Raises ``FileNotFoundError`` for no file, else one of ``DAMAGED``.
    """
    document = json.loads(read_whole(path, most))
    if (document["format"], document["version"]) != (kind, _VERSION):
        raise ValueError("it is none of this program")
    if document["head_serial"] != f"{serial:#010x}":
        raise ValueError("it is another robot's")
    return document


def write_document(path: Path, kind: str, serial: int, content: Mapping[str, Any]) -> None:
    """Write what is known of a robot in one step. Raises ``OSError``."""
    head = {"format": kind, "version": _VERSION, "head_serial": f"{serial:#010x}"}
    write_whole(path, json.dumps({**head, **content}, indent=1) + "\n")
