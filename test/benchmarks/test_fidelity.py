"""The emulator errs like the robots that were measured (spec 18)."""

from __future__ import annotations

import pytest

from benchmarks.fidelity import driving
from benchmarks.fidelity.__main__ import PAGE, SECTIONS, measure, table


@pytest.mark.parametrize("section", SECTIONS)
def test_every_figure_is_within_its_tolerance(section: str) -> None:
    rows = measure(section)
    assert rows
    assert not [row for row in rows if not row.is_met]
    named = {line.split(" |")[0] for line in PAGE.read_text().splitlines()}
    missing = {line.split(" |")[0] for line in table(rows).splitlines()} - named
    assert not missing, "scripts/env python -m benchmarks.fidelity --write"


def test_the_recorded_drive_shows_the_real_figures() -> None:
    drive = driving.recorded()
    if drive is None:
        pytest.skip(f"there is no {driving.RECORDING}")
    assert not [row for row in driving.rows(drive) if not row.is_met]
