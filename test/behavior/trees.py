"""Trees of files as tests make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cozmo_driver.resources.locations import find_own_tree
from cozmo_driver.resources.views import ENGINE


def own_tree() -> Path:
    found = find_own_tree()
    assert found is not None
    return found


def tree_with(root: Path, files: dict[str, Any]) -> Path:
    """A tree with engine files; a text is written as it is."""
    for name, content in files.items():
        path = root / ENGINE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return root
