"""Sphinx's configuration of the site: ``make site``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

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
