"""The world from above."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions, Pose2D
from cozmo_driver.emulator.view.top import TopView
from cozmo_driver.protocol.messages import DriveWheels

from ..bench import Bench
from ..world.worlds import ROOM, bench_in, world

_BLUE = (40, 110, 220)


def count(picture: np.ndarray, color: tuple[int, int, int]) -> int:
    return int((np.abs(picture.astype(int) - color).max(axis=2) < 12).sum())


def drawn(top: TopView) -> np.ndarray:
    picture = top.update()
    assert picture is not None
    return np.asarray(picture)


def test_things_are_where_they_are_in_the_world() -> None:
    box = {"x": 0.5, "y": 0.25, "size": [0.2, 0.2, 0.1], "gray": 100, "tint": "red"}
    shared = world(ROOM, boxes=[box])
    with_box, without = drawn(TopView(shared)).astype(int), drawn(TopView(world(ROOM))).astype(int)
    rows, columns = np.nonzero((with_box != without).any(axis=2))
    height, width = with_box.shape[:2]
    # The room is 2 m wide; y points up.
    scale = (width - 48) / 2.0
    assert columns.mean() - width / 2 == pytest.approx(0.5 * scale, abs=2)
    assert height / 2 - rows.mean() == pytest.approx(0.25 * scale, abs=2)


def test_a_robot_that_drives_leaves_a_trail_and_a_carried_one_does_not() -> None:
    bench = bench_in(ROOM)
    top = TopView(bench.firmware.place.world)
    standing = count(drawn(top), _BLUE)
    bench.firmware.ground.put_down(Pose2D(500.0, 500.0))
    assert count(drawn(top), _BLUE) == pytest.approx(standing, abs=standing * 0.3)
    bench.send(DriveWheels(-100, -100))
    for _ in range(50):
        bench.run(0.1)
        top.update()
    bench.send(DriveWheels(0, 0))
    bench.firmware.ground.put_down(Pose2D(0.0, -500.0))
    assert count(drawn(top), _BLUE) > standing + 150


def test_an_endless_floor_is_shown_as_far_as_the_robot_went() -> None:
    bench = Bench(EmulatorOptions(ideal=True))
    top = TopView(bench.firmware.place.world)
    near = drawn(top).shape
    bench.firmware.ground.put_down(Pose2D(3000.0, 0.0))
    far = drawn(top).shape
    assert near[1] == near[0]
    assert far[1] > 2 * far[0]
