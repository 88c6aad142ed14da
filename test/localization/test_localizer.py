"""A simulated robot in a room with tags knows where it is, and when it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cozmo_driver.localization import Localizer, Status

from .room import Errors, Room, relative


def drive(localizer, room, seconds, image_delay=0):
    """Drive to random places; return how far off the estimate is at each state, x, y, yaw."""
    off, late = [], []
    for state, seen in room.run(seconds):
        localizer.on_odometry(state)
        if seen is not None:
            late.append((state.stamp, seen))
        while late and late[0][0] <= state.stamp - image_delay:
            localizer.on_sightings(*late.pop(0))
        found = localizer.estimate
        if found.is_known:
            off.append(relative(np.array([found.x, found.y, found.yaw]), room.truth))
    return np.array(off)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_robot_that_sees_tags_of_a_map_knows_where_it_is(seed):
    room = Room(seed, errors=Errors.drawn(np.random.default_rng(seed)))
    localizer = Localizer(room.tags)
    assert localizer.status is Status.UNKNOWN
    off = drive(localizer, room, 60)[200:]
    assert localizer.status is Status.TRACKING
    assert np.quantile(np.hypot(off[:, 0], off[:, 1]), 0.95) < 0.010
    assert math.degrees(np.quantile(np.abs(off[:, 2]), 0.95)) < 0.6
