"""docs/assumptions.md tells the values that the driver has, and steps that there are."""

from __future__ import annotations

from collections import Counter

import pytest

from docs.assumptions import (
    CALIBRATE,
    FIELDS,
    KINDS,
    NOTHING,
    PAGE,
    STEPS,
    Row,
    confirming,
    groups,
    names_of,
    page,
    value_of,
)

ROWS: list[Row] = [row for group in groups().values() for row in group["rows"]]
OPTIONAL = {"unit"}


def test_the_page_has_the_values_of_today() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make docs"


def test_every_constant_of_the_table_is_there() -> None:
    missing = []
    for module, name in (one for row in ROWS for one in names_of(row)):
        try:
            value_of(module, name)
        except (AttributeError, ImportError) as error:
            missing.append(f"{module}:{name}: {error}")
    assert missing == []


def test_no_constant_is_in_two_rows() -> None:
    names = Counter(one for row in ROWS for one in names_of(row))
    assert [one for one, count in names.items() if count > 1] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["constant"])
def test_every_row_says_all_that_is_asked(row: Row) -> None:
    assert FIELDS - OPTIONAL <= set(row) <= FIELDS
    assert all(row[name].strip() for name in FIELDS - OPTIONAL)
    assert row["stands_on"].partition(",")[0] in KINDS
    steps, note = confirming(row)
    assert set(steps) <= {*STEPS, CALIBRATE, NOTHING}
    if NOTHING in steps:
        assert steps == [NOTHING]
        assert note, "what would confirm it?"


def test_the_steps_are_those_of_the_checkup() -> None:
    steps = pytest.importorskip("cozmo_driver.checkup.steps").STEPS
    assert [step for step in STEPS if step not in {one.name for one in steps}] == []
