"""What is wrong with a file of the user, in words for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class ResourceError(ValueError):
    """A file cannot be used; the text names it and says why."""


class DamagedFile(ResourceError):
    """A file is damaged: which, at which byte (None in text files), what is wrong there."""

    def __init__(self, source: str, offset: int | None, reason: str) -> None:
        place = "" if offset is None else f", byte {offset}"
        super().__init__(f"{source}{place}: {reason}")
        self.source = source
        self.offset = offset
        self.reason = reason


class UnsupportedFile(DamagedFile):
    """The file is well but of a kind that is not read here; the text says what to do."""


class ClipNotFound(LookupError):
    """There is no clip, group or trigger of that name."""


class ImportRefused(ResourceError):
    """An archive or directory is not taken over: it is damaged, dangerous or something else."""


@dataclass(frozen=True, slots=True)
class LoadWarning:
    """Something of a file was left out; the rest is used."""

    source: str
    text: str

    @classmethod
    def of(cls, path: str | Path, error: ResourceError) -> LoadWarning:
        reason = str(error).removeprefix(str(path)).lstrip(":, ")
        return cls(str(path), f"left out: {reason}")

    def __str__(self) -> str:
        return f"{self.source}: {self.text}"


def quoted(names: Iterable[str], most: int = 3) -> str:
    """Return the first names in quotes and how many there are besides."""
    every = list(names)
    text = ", ".join(repr(name) for name in every[:most])
    return f"{text} and {len(every) - most} more" if len(every) > most else text
