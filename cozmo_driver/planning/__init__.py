"""Paths around known obstacles: obstacles and goals in, segments out (spec 16 §5).

Pure: no clock, no robot. m, rad, s; poses are those of the drive center, in any one frame.
"""

from __future__ import annotations

from .lattice_search import NoPath
from .obstacles import (
    CARRYING,
    ROBOT,
    Box,
    Footprint,
    boxes_of_grid,
    first_hit,
    remaining,
    track,
)
from .planner import Plan, plan
