from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cozmo_driver.perception.detection.template_file import (
    MOST_TEMPLATES,
    TemplateFileError,
    cube_template,
    load_templates,
    save_templates,
)

PIXELS = np.random.default_rng(1).integers(0, 256, (48, 48)).astype(np.uint8)


def test_drawings_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "of" / "mine.json"
    assert load_templates(path) == []
    save_templates(
        path, [cube_template(3, PIXELS, 61.25), cube_template(1, PIXELS.T, 30.0, "left")]
    )
    first, second = load_templates(path)
    assert (first.name, first.side, first.code, first.size) == ("cube_3", "", None, 61.2)
    assert (second.name, second.side, second.code, second.size) == ("cube_1", "left", 7, 30.0)
    assert np.array_equal(first.pixels, PIXELS)
    assert np.array_equal(second.pixels, PIXELS.T)


def damaged(change: Any) -> Any:
    def write(path: Path) -> None:
        save_templates(path, [cube_template(3, PIXELS, 61.0)])
        content = json.loads(path.read_text())
        change(content, content["drawings"][0])
        path.write_text(json.dumps(content))

    return write


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda path: path.write_bytes(b"\x00\xff"), "no JSON"),
        (lambda path: path.write_text("[" * 10**5), "no JSON"),
        (lambda path: path.write_text("[]"), "holds no templates"),
        (lambda path: path.write_bytes(b" " * 10**7), "more than"),
        (lambda path: path.mkdir(), "a directory"),
        (damaged(lambda whole, one: whole.update(version=9)), "version is 9"),
        (damaged(lambda whole, one: whole.pop("drawings")), "'drawings' is missing"),
        (
            damaged(lambda whole, one: whole.update(drawings=[one] * (MOST_TEMPLATES + 1))),
            "at most",
        ),
        (damaged(lambda whole, one: whole.update(drawings=[3])), "no object"),
        (damaged(lambda whole, one: one.update(cube=4)), "no cube 4"),
        (damaged(lambda whole, one: one.update(cube=True)), "of no cube"),
        (damaged(lambda whole, one: one.update(side=["front"])), "no side"),
        (damaged(lambda whole, one: one.update(size=math.inf)), "of inf pixels is impossible"),
        (damaged(lambda whole, one: one.update(size=10**400)), "damaged"),
        (damaged(lambda whole, one: one.update(pixels="!!!!")), "unreadable"),
        (damaged(lambda whole, one: one.update(pixels="AAAA")), "3 pixels instead of 2304"),
        (damaged(lambda whole, one: one.update(pixels="A" * 3072)), "empty"),
        (damaged(lambda whole, one: one.update(pixels=7)), "damaged"),
    ],
)
def test_a_damaged_file_is_refused_with_the_reason(tmp_path: Path, write: Any, reason: str) -> None:
    path = tmp_path / "mine.json"
    write(path)
    with pytest.raises(TemplateFileError, match=reason) as error:
        load_templates(path)
    assert str(path) in str(error.value)
