"""Which cube is on the lift."""

from __future__ import annotations

import numpy as np

from .frames import carried_place
from .objects import Kind
from .world_model import WorldModel

_ON_LIFT = 0.075
"""m seen from above; a cube that is farther from where one is carried is not on the lift. At the
end of an approach that is askew the robot drives 50 mm against the cube (spec 16 §2.3)."""


def on_carrying(world: WorldModel, is_carrying: bool) -> None:
    """Follow what the robot believes to have on its lift: the nearest cube that none stands on."""
    last = world.history.last
    if last is None:
        return
    known = [one for one in world.objects(last.stamp) if one.kind is Kind.CUBE]
    if not is_carrying:
        for cube in known:
            world.on_put_down(cube.name)
        return
    lift = (last.base @ (*carried_place(last.lift), 1.0))[:2]
    below = {cube.on_top_of for cube in known}
    away = {
        cube.name: float(np.linalg.norm(cube.pose[:2, 3] - lift))
        for cube in known
        if cube.pose is not None and cube.name not in below
    }
    nearest = min(away, key=lambda name: away[name], default=None)
    if nearest is not None and away[nearest] <= _ON_LIFT:
        world.on_picked_up(nearest)
