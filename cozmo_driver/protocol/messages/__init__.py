"""All declared messages; import them from here (spec 02)."""
# ruff: noqa: F403

from __future__ import annotations

from ..registry import all_specs
from .animation import *
from .cube_messages import *
from .maintenance import *
from .motion import *
from .sensors import *
from .system import *

__all__ = [spec.name for spec in all_specs()]
