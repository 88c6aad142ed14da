"""How long the planner takes for 1 m among ten cubes."""

from __future__ import annotations

import statistics
import time

from cozmo_driver.planning import plan
from test.planning.scenes import table, touched

from .rows import Row, limit_row

_SEEDS = 300
_CUBES = 10


def rows() -> list[Row]:
    """Measure plans for many tables; one that touches a cube raises ``RuntimeError``."""
    times = []
    for seed in range(_SEEDS):
        start, goal, boxes = table(seed, _CUBES)
        begun = time.process_time()
        found = plan(start, [goal], boxes)
        times.append(1000 * (time.process_time() - begun))
        if hits := touched(found.segments, start, boxes):
            raise RuntimeError(f"the way through table {seed} touches {hits}")
    what = f"CPU time to plan 1 m among {_CUBES} cubes, {_SEEDS} tables"
    return [
        limit_row(f"{what}, median", None, statistics.median(times), 50.0, "ms"),
        limit_row(f"{what}, worst", None, max(times), 500.0, "ms"),
    ]
