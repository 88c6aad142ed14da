"""Sphinx's configuration of the site: ``make site``."""

from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

project = "cozmo_driver"
author = "the cozmo_driver authors"
copyright = f"{author}, Apache-2.0"
version = release = ET.parse(ROOT / "package.xml").findtext("version", "")

extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["interface", "protocol", "images"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
copybutton_exclude = ".linenos, .gp"

html_theme = "furo"
html_title = "cozmo_driver"
html_static_path: list[str] = []
html_show_sphinx = False
nitpicky = True

_LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+\.md)[^)]*\)")
_TEST = re.compile(r"`test/[\w/]+\.py::test_(\w+)`")
_TYPE = re.compile(r"(?<=\| )(\w+/)(\w+)(?= \|)")


def setup(app: Any) -> None:
    """Fit the pages to the site: it lacks what is beside docs/, and its tables are narrow."""

    def fit(_: Any, page: str, source: list[str]) -> None:
        def named(link: re.Match[str]) -> str:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
            return f"{link[1]} (`{path[3:]}`)" if path.startswith("../") else link[0]

        source[0] = _LINK.sub(named, source[0])
        source[0] = _TEST.sub(lambda test: f"*{test[1].replace('_', ' ')}*", source[0])
        source[0] = _TYPE.sub(r"\1<wbr>\2", source[0])

    app.connect("source-read", fit)
