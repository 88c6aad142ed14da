"""``python -m docs.old_programs_table``: write the table of names of docs/old_programs.md."""

from __future__ import annotations

from pathlib import Path

from cozmo_driver.compat import differences, offered

PAGE = Path(__file__).parent / "old_programs.md"
NAMES = Path(__file__).parent / "old_programs_names.tsv"
BEGIN, END = "<!-- made by: python -m docs.old_programs_table -->\n", "<!-- end -->\n"


def used_names() -> list[tuple[str, int]]:
    """Return the names of the SDK in 633 programs, and how many use each (spec 21 §1)."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    return [(name, int(count)) for name, count in (line.split("\t") for line in lines)]


def table() -> str:
    """Return the names in order of use: there, different, or missing."""
    lines = ["| Name | Programs | Here |", "| --- | --- | --- |"]
    for name, count in used_names():
        difference = differences().get(name.rpartition(".")[2])
        here = "no" if not offered(name) else difference or "yes"
        lines.append(f"| `{name}` | {count} | {here} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
