"""The world around emulated robots: floors, walls, boxes, cubes, the charger and hands."""

from __future__ import annotations

from .entries import WorldFileError
from .handling import Handling
from .layout import Layout
from .layout_file import load_layout
from .place import Place
from .world import World
from .world_files import find_world

__all__ = ["Handling", "Layout", "Place", "World", "WorldFileError", "find_world", "load_layout"]
