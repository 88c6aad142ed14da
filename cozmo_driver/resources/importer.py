"""Taking over the app's assets from a file that the user owns (spec 11 §1).

Nothing is downloaded. What is taken is ``cozmo_resources`` alone; it is unpacked beside the target
and moved there when it is whole, so that an import that ends early changes nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from .archive import (
    MOST_BYTES,
    Budget,
    Entry,
    entries_of_archive,
    entries_of_directory,
    open_archive,
    unpack,
)
from .errors import ImportRefused
from .locations import ASSETS, MARKER, TREE, tree_at
from .sound.recordings import converted_files

SOUND_ARCHIVE = PurePosixPath("sound", "AudioAssets.zip")
_SOUNDS = Path(TREE, SOUND_ARCHIVE.parent)
_WORK = ".import-"
_OLD = ".replaced-"
_LOCK = ".lock"
_EXPANSION = ".obb"
_LONGEST_LIST = 4 << 20
"""Bytes of the list of files."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import has done."""

    tree: Path
    file_count: int
    size: int
    """Bytes."""
    missing: tuple[str, ...]
    """Files of the list that the source does not have."""
    sound_file_count: int = 0


def import_resources(
    source: Path,
    directory: Path,
    *,
    with_sounds: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    most_bytes: int = MOST_BYTES,
) -> Imported:
    """Take over the assets of ``source`` into ``directory``/assets, replacing an earlier import.

    ``source``: expansion file, a ZIP around it, an APK that has assets, or a directory at any of
    the three levels. ``with_sounds`` unpacks the archive of sounds beside itself as well. Sounds
    that the user has converted stay. ``progress`` gets (bytes done, bytes in all). Raises
    ``ImportRefused``.
    """
    source = source.expanduser()
    if not source.is_dir() and not source.is_file():
        raise ImportRefused(f"{source}: there is no such file or directory")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _alone(directory), _work_directory(directory) as work:
            _check_target(directory / ASSETS)
            budget = Budget(most_bytes, progress)
            with _entries(source, work, budget) as entries:
                imported = _unpack_tree(entries, source, work / ASSETS, budget, with_sounds)
            _keep_converted(directory / ASSETS / _SOUNDS, work / ASSETS / _SOUNDS)
            _put_in_place(work / ASSETS, directory)
    except ImportRefused:
        raise
    except OSError as error:
        name = error.filename or directory
        raise ImportRefused(f"{name}: {error.strerror or error}") from error
    return replace(imported, tree=directory / ASSETS / TREE)


def remove_resources(directory: Path) -> bool:
    """Delete what was imported, if anything. Raises ``ImportRefused`` for anything else."""
    assets = directory / ASSETS
    if not os.path.lexists(assets):
        return False
    if assets.is_symlink() or not _is_imported(assets):
        raise ImportRefused(f"{assets}: no import has made this, so it is not removed")
    try:
        with _alone(directory):
            doomed = Path(tempfile.mkdtemp(prefix=_OLD, dir=directory))
            assets.rename(doomed / ASSETS)
            shutil.rmtree(doomed)
    except OSError as error:
        raise ImportRefused(f"{error.filename or assets}: {error.strerror or error}") from error
    return True


def missing_files(assets: Path) -> tuple[str, ...] | None:
    """Return the listed files that are not there, None where there is no list (spec 11 §1).

    Of the list only what lies in ``cozmo_resources`` counts; a name without a suffix may be that of
    a directory.
    """
    try:
        with (assets / MARKER).open("rb") as file:
            text = file.read(_LONGEST_LIST).decode("utf-8-sig", "replace")
    except OSError:
        return None
    return tuple(name for name in _listed(text) if not os.path.exists(assets / name))


def _unpack_tree(
    entries: list[Entry], source: Path, assets: Path, budget: Budget, with_sounds: bool
) -> Imported:
    tree, listing = _split(entries, source)
    assets.mkdir()
    budget.plan(list(tree.values()), assets)
    for path, entry in tree.items():
        unpack(entry, assets / TREE / path, budget)
    if tree_at(assets) is None:
        raise ImportRefused(f"{source}: its {TREE} has no animations")
    sound_count = _unpack_sounds(assets / TREE, budget) if with_sounds else 0
    if listing is not None:
        unpack(listing, assets / MARKER, budget)
    else:
        names = sorted(f"{TREE}/{path}\n" for path in tree)
        (assets / MARKER).write_text("".join(names), encoding="utf-8")
    size = sum(entry.size for entry in tree.values())
    return Imported(assets / TREE, len(tree), size, missing_files(assets) or (), sound_count)


def _unpack_sounds(tree: Path, budget: Budget) -> int:
    path = tree / SOUND_ARCHIVE
    if not path.is_file():
        raise ImportRefused(f"there is no {SOUND_ARCHIVE}, so sounds cannot be unpacked")
    with open_archive(path) as archive:
        entries = [
            entry
            for entry in entries_of_archive(archive, SOUND_ARCHIVE)
            if not os.path.lexists(path.parent / entry.path)
        ]
        budget.plan(entries, path.parent)
        for entry in entries:
            unpack(entry, path.parent / entry.path, budget)
    return len(entries)


def _split(entries: list[Entry], source: Path) -> tuple[dict[PurePosixPath, Entry], Entry | None]:
    """Return the files of the tree by their paths in it, and the list of files."""
    trees: dict[PurePosixPath, dict[PurePosixPath, Entry]] = {}
    for entry in entries:
        parts = entry.path.parts
        if TREE in parts[:-1]:
            at = parts.index(TREE)
            inside = trees.setdefault(PurePosixPath(*parts[:at]), {})
            inside[PurePosixPath(*parts[at + 1 :])] = entry
    if not trees:
        raise ImportRefused(f"{source}: there is no {TREE} in it; is it the app's expansion file?")
    if len(trees) > 1:
        raise ImportRefused(f"{source}: there are {len(trees)} directories {TREE} in it")
    ((parent, tree),) = trees.items()
    listing = next((entry for entry in entries if entry.path == parent / MARKER), None)
    if listing is not None and listing.size > _LONGEST_LIST:
        raise ImportRefused(f"{source}: {listing.path} has {listing.size} bytes")
    return tree, listing


@contextlib.contextmanager
def _entries(source: Path, work: Path, budget: Budget) -> Iterator[list[Entry]]:
    if source.is_dir():
        yield _entries_of_tree(source)
        return
    with open_archive(source) as outer:
        entries = entries_of_archive(outer, source)
        expansions = [entry for entry in entries if entry.path.suffix == _EXPANSION]
        if any(TREE in entry.path.parts for entry in entries) or len(expansions) != 1:
            yield entries
            return
        # Reading an archive inside of another one would unpack it again at every step back.
        inner = work / expansions[0].path.name
        budget.plan(expansions, work)
        unpack(expansions[0], inner, budget)
        budget.left += expansions[0].size
        with open_archive(inner) as archive:
            yield entries_of_archive(archive, f"{source}, {expansions[0].path}")


def _entries_of_tree(source: Path) -> list[Entry]:
    """Return the files of the tree that a directory names, and the list of files beside it."""
    root = tree_at(source)
    if root is None:
        raise ImportRefused(f"{source}: there is no {TREE} with animations in it")
    entries = [
        Entry(PurePosixPath(TREE, entry.path), entry.size, entry.open)
        for entry in entries_of_directory(root)
    ]
    listing = root.parent / MARKER
    if listing.is_file():
        size = listing.stat().st_size
        entries.append(Entry(PurePosixPath(MARKER), size, lambda: listing.open("rb")))
    return entries


def _listed(text: str) -> Iterator[str]:
    for line in text.splitlines():
        name = line.strip().replace("\\", "/").removeprefix("./").removeprefix(f"{ASSETS}/")
        parts = PurePosixPath(name).parts
        if parts[:1] == (TREE,) and ".." not in parts and "\0" not in name:
            yield name


def _is_imported(assets: Path) -> bool:
    return (assets / TREE).is_dir() and (assets / MARKER).is_file()


def _check_target(target: Path) -> None:
    """Refuse to replace what is the user's own. Raises ``ImportRefused``, ``OSError``."""
    if target.is_symlink():
        raise ImportRefused(f"{target}: it is a link; remove it, or import somewhere else")
    is_free = not target.exists() or (target.is_dir() and not any(target.iterdir()))
    if not is_free and not _is_imported(target):
        raise ImportRefused(
            f"{target}: no import has made this, so it is not replaced; move it away, or import "
            "somewhere else"
        )


def _keep_converted(old: Path, new: Path) -> None:
    """Copy the sounds that the user has converted to the new assets; none replaces a new file."""
    for path in converted_files(old):
        kept = new / path.relative_to(old)
        if not os.path.lexists(kept):
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, kept, follow_symlinks=False)


def _put_in_place(new: Path, directory: Path) -> None:
    """Move the new assets to where the old ones are, which stay until the new ones are there."""
    target = directory / ASSETS
    old = new.parent / "old"
    if target.exists():
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


@contextlib.contextmanager
def _work_directory(directory: Path) -> Iterator[Path]:
    for left_over in (*directory.glob(f"{_WORK}*"), *directory.glob(f"{_OLD}*")):
        shutil.rmtree(left_over, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=directory))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    with (directory / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ImportRefused(f"{directory}: another import is under way") from None
        yield
