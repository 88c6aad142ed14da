"""Pages that a code host shows lead somewhere, and say what the packages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .declared import PACKAGES, ROOT, from_pip

PAGES = [*ROOT.glob("*.md"), *(page for name in PACKAGES for page in PACKAGES[name].glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """Names of the headings of a page, as links give them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", sorted(set(PAGES)), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"https?://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            wrong.append(target)

    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_declares_its_quality_and_links_to_it(package: str) -> None:
    folder = PACKAGES[package]

    assert f"`{package}` claims **Quality Level " in (folder / "QUALITY_DECLARATION.md").read_text()
    assert "](QUALITY_DECLARATION.md)" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_what_pip_brings_as_the_dependencies_do() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^python3 -m pip install ([^#\n]*)", text, re.MULTILINE)

    assert {word for word in line.split() if not word.startswith("-")} == from_pip()
