"""What the robots see, show and play, for people: files in a folder, or a terminal."""

from __future__ import annotations

from .folder import ViewFolder
from .terminal import TerminalView

__all__ = ["TerminalView", "ViewFolder"]
