"""The generated pages of docs/ are those that the code makes."""

from __future__ import annotations

import re
from pathlib import Path

from docs import diagrams
from docs.protocol.__main__ import PAGE
from docs.protocol.page import page


def words_of(svg: str) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", svg))


def test_the_reference_of_the_protocol_is_that_of_the_declared_messages() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make docs"


def test_the_diagrams_say_what_is_in_the_code(tmp_path: Path) -> None:
    diagrams.main(tmp_path)
    for name in ("layers.svg", "connection.svg"):
        drawn = words_of((tmp_path / name).read_text(encoding="utf-8"))
        assert len(drawn) > 5
        assert words_of((diagrams.IMAGES / name).read_text(encoding="utf-8")) == drawn, "make docs"
