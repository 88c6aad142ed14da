"""The generated pages of docs/ are those that the code makes."""

from __future__ import annotations

import re
from pathlib import Path

from docs import diagrams
from docs.protocol.__main__ import PAGE
from docs.protocol.page import page

from .commands import ROOT, pages


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


def test_bags_are_recorded_by_topics_that_are_named_as_such() -> None:
    """Since ROS 2 Lyrical topics without ``--topics`` are an error."""
    texts = [page.read_text(encoding="utf-8") for page in pages()]
    recipes = [one for text in texts for one in re.findall(r"ros2 bag record +[^`\n]+", text)]
    assert len(recipes) > 2
    assert [one for one in recipes if not re.search("--(topics|all) ", one)] == []


def test_the_examples_lead_to_the_page_about_recordings_and_do_not_repeat_it() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert "](../docs/tutorials/recording.md)" in text
    assert "ros2 bag" not in text
