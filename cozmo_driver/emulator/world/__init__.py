"""The world around emulated robots: floors, walls, boxes, cubes and the charger."""

from __future__ import annotations

from .entry import WorldFileError
from .layout import Layout
from .layout_file import find_world, load_layout
from .world import World

__all__ = ["Layout", "World", "WorldFileError", "find_world", "load_layout"]
