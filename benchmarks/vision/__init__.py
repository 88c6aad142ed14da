"""Pictures of cubes made up for measuring the eyes, and what the eyes make of them."""

from __future__ import annotations

from ..rows import Row


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    from . import detection, node

    return [*detection.rows(), *node.rows()]
