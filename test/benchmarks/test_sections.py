"""``python -m benchmarks``: what a section costs that fails or is left out."""

from __future__ import annotations

import sys
import time
from types import ModuleType
from typing import Any

import pytest

from benchmarks import __main__ as program
from benchmarks.machine import Others
from benchmarks.rows import Row, limit_row


@pytest.fixture
def sections(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """Have three sections that take no time, the second of which fails; return the document."""

    def well() -> list[Row]:
        return [limit_row("a figure", None, 1.0, 2.0, "ms")]

    def badly() -> list[Row]:
        raise RuntimeError("no browser here")

    for name, rows in (("codec", well), ("cockpit", badly), ("planning", well)):
        module = ModuleType(name)
        module.rows = rows  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, f"benchmarks.{name}", module)
    document = tmp_path / "docs" / "benchmarks.md"
    document.parent.mkdir()
    document.write_text("# Old\n\n## Accuracy\n\nkept\n")
    monkeypatch.setattr(program, "SECTIONS", ("codec", "cockpit", "planning"))
    monkeypatch.setattr(program, "_DOCUMENT", document)
    return document


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    return program.main()


def test_a_section_that_fails_costs_its_own_rows(
    sections: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == 1
    printed = capsys.readouterr().out
    assert printed.count("a figure") == 2
    assert "cockpit: not measured, RuntimeError: no browser here" in printed
    written = sections.read_text()
    assert written.count("a figure") == 2
    assert written.endswith("## Accuracy\n\nkept\n")
    assert "Other programs took" in written


def test_sections_can_be_left_out(
    sections: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sections.read_text()
    assert run(monkeypatch, "--without", "cockpit", "planning") == 0
    assert capsys.readouterr().out.count("a figure") == 1
    assert sections.read_text() == before


def test_what_else_took_the_machine_is_told_and_the_own_work_is_not() -> None:
    others = Others()
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass
    text = str(others)
    assert text.startswith("Other programs took ")
    assert " cores meanwhile" in text
