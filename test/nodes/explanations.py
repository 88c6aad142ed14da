"""Comments of the parameter files."""

from __future__ import annotations

from pathlib import Path


def explanation_of(name: str, file: Path) -> str:
    lines = file.read_text().splitlines()
    [at] = [i for i, line in enumerate(lines) if line.strip().startswith(f"{name}:")]
    above: list[str] = []
    while lines[at - 1].strip().startswith("#"):
        at -= 1
        above.insert(0, lines[at].strip("# "))
    return " ".join(above)
