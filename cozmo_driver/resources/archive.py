"""Files of a ZIP archive or a directory, both distrusted alike (spec 11 §1).

Refused as a whole: names that lead out of the target, links, encrypted or strangely packed
entries, more than can be unpacked in good faith. Sizes are counted while unpacking, because what
an archive declares may be a lie.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from .errors import ImportRefused

MOST_BYTES = 2 << 30
MOST_ENTRIES = 20_000
MOST_FOLDERS = 20_000
MOST_CENTRAL_BYTES = 4 << 20
"""Of the directory at an archive's end, which is read whole."""
_CHUNK = 1 << 20
_LONGEST_NAME = 1024
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What the standard library raises for archives of which something is wrong."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive or directory: relative path, declared size, how it is opened."""

    path: PurePosixPath
    size: int
    open: Callable[[], IO[bytes]]


class Budget:
    """How much may still be written; reports how much was."""

    def __init__(
        self,
        most_bytes: int = MOST_BYTES,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Allow ``most_bytes``; call ``progress(done, total)`` in bytes."""
        self.left = most_bytes
        self.done = 0
        self.total = 0
        self._progress = progress

    def plan(self, entries: list[Entry], target: Path) -> None:
        """Refuse early what declares itself too large. Raises ``ImportRefused``."""
        declared = sum(entry.size for entry in entries)
        if declared > self.left:
            raise ImportRefused(f"it would unpack to {declared} bytes, more than {self.left}")
        free = shutil.disk_usage(target).free
        if declared > free:
            raise ImportRefused(f"it needs {declared} bytes, and {target} has {free} left")
        self.total += declared

    def spend(self, size: int, what: object) -> None:
        """Count bytes before they are written. Raises ``ImportRefused``."""
        self.left -= size
        self.done += size
        if self.left < 0:
            raise ImportRefused(f"{what}: it unpacks to more than is allowed")
        self._progress(self.done, max(self.total, self.done))


def entries_of_archive(archive: zipfile.ZipFile, source: object) -> list[Entry]:
    """Return the files of an open archive. Raises ``ImportRefused``."""
    infos = archive.infolist()
    if len(infos) > MOST_ENTRIES:
        raise ImportRefused(f"{source}: it has {len(infos)} entries, more than {MOST_ENTRIES}")
    entries = []
    seen = set()
    folders: set[PurePosixPath] = set()
    for info in infos:
        path = _safe_path(info.orig_filename, source)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ImportRefused(f"{source}: {_shown(path)} is a link or a device")
        if info.is_dir():
            continue
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _PLAIN_METHODS:
            raise ImportRefused(f"{source}: {_shown(path)} is encrypted or strangely packed")
        if path in seen:
            raise ImportRefused(f"{source}: {_shown(path)} is in it twice")
        seen.add(path)
        _add_folders(folders, path, source)
        entries.append(Entry(path, info.file_size, partial(archive.open, info)))
    return entries


def entries_of_directory(root: Path) -> list[Entry]:
    """Return the files below a directory. Raises ``ImportRefused``."""
    entries: list[Entry] = []
    for path in _walk(root):
        status = path.lstat()
        relative = PurePosixPath(path.relative_to(root).as_posix())
        if not stat.S_ISREG(status.st_mode):
            raise ImportRefused(f"{root}: {_shown(relative)} is a link or a device")
        if len(entries) >= MOST_ENTRIES:
            raise ImportRefused(f"{root}: it has more than {MOST_ENTRIES} files")
        entries.append(Entry(relative, status.st_size, partial(_open_file, path)))
    return entries


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive. Raises ``ImportRefused``."""
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(_Bounded(path.open("rb", buffering=0)))
            archive = stack.enter_context(zipfile.ZipFile(file))
        except ImportRefused as error:
            raise ImportRefused(f"{path}: {error}") from None
        except _DAMAGED as error:
            raise ImportRefused(f"{path}: it is no ZIP archive: {error}") from error
        except OSError as error:
            raise ImportRefused(f"{path}: {error.strerror or error}") from error
        yield archive


def unpack(entry: Entry, path: Path, budget: Budget) -> None:
    """Write an entry to a new file, whose directories are made. Raises ``ImportRefused``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with entry.open() as source, path.open("xb") as target:
            while chunk := source.read(_CHUNK):
                budget.spend(len(chunk), _shown(entry.path))
                target.write(chunk)
    except ImportRefused:
        raise
    except _DAMAGED as error:
        raise ImportRefused(f"{_shown(entry.path)} is damaged: {error}") from error
    except OSError as error:
        raise ImportRefused(f"{_shown(entry.path)}: {error.strerror or error}") from error


class _Bounded(io.BufferedReader):
    """A file of which nothing large is read at once, as the directory of an archive would be."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MOST_CENTRAL_BYTES:
            raise ImportRefused(f"its list of entries has {size} bytes, too many")
        return super().read(size)


def _add_folders(folders: set[PurePosixPath], path: PurePosixPath, source: object) -> None:
    for folder in path.parents:
        if folder in folders:
            break
        folders.add(folder)
    if len(folders) > MOST_FOLDERS:
        raise ImportRefused(f"{source}: it has more than {MOST_FOLDERS} folders")


def _safe_path(name: str, source: object) -> PurePosixPath:
    text = name.removesuffix("/")
    parts = text.split("/")
    if (
        not text
        or len(name) > _LONGEST_NAME
        or any(part in ("", ".", "..") for part in parts)
        or any(character in name for character in ("\\", "\0"))
        or ":" in parts[0]
    ):
        raise ImportRefused(f"{source}: it has an entry with the dangerous name {name[:80]!r}")
    return PurePosixPath(text)


def _shown(path: PurePosixPath) -> str:
    return repr(str(path)[:200])


def _open_file(path: Path) -> IO[bytes]:
    # A file that became a link since it was listed is not followed.
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def _walk(root: Path) -> Iterator[Path]:
    """Every entry that is no directory, links included, in order; links are not followed."""
    for directory, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        here = Path(directory)
        yield from (here / name for name in folders if (here / name).is_symlink())
        yield from (here / name for name in sorted(files))
