"""``python -m docs.protocol [FILE]``: write the page."""

from __future__ import annotations

import sys
from pathlib import Path

from .page import page

PAGE = Path(__file__).parents[1] / "protocol.md"

if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE).write_text(page(), encoding="utf-8")
