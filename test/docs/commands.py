"""Finds the commands that the documents tell people to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^( *)```(?:sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_FIRST = re.compile(r"(sudo|[A-Z_]+=\S+|ros2|cozmo|make|scripts/\S+)$")


@dataclass(frozen=True)
class Command:
    """Words of a command line, and where it stands."""

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def pages() -> list[Path]:
    """Every document of people: README and docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands_of(page: Path) -> Iterator[Command]:
    """Every shell command in the page's code blocks, without comments and what is piped on."""
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        for line in block[2].replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and (words[0] == "sudo" or re.fullmatch(r"[A-Z_]+=\S*", words[0])):
                words = words[1:]
            if words[:1] == ["scripts/env"]:
                words = words[1:]
            for stop in ("|", ">", "&", "&&", ";"):
                if stop in words:
                    words = words[: words.index(stop)]
            if words and _FIRST.match(words[0]):
                yield Command(str(page.relative_to(ROOT)), tuple(words))
