"""A robot's lens, measured by images of a chessboard that stands in its world."""

from __future__ import annotations

import asyncio
import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.checkup import Board, CalibrationRefused, board, keep_lens, measure_lens
from cozmo_driver.emulator import Identity, Pose2D
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.link import end
from cozmo_driver.perception import LearntMount, Mount, load_mount, save_mount
from cozmo_driver.robot import (
    CameraOptions,
    Measurement,
    load_robot_calibration,
)
from cozmo_driver.robot.camera.calibration import DEFAULT_CALIBRATION
from cozmo_driver.robot_bounds import MOUNT_BOUND

from ..robot.hands import act
from ..robot.virtual import in_virtual_time

SERIAL = 3105
BOARD = Board(8, 6, 0.02)
PLACES = [(0, 0), (-40, 130), (30, -120), (-60, -150), (20, 150), (-30, 40)]
"""mm"""
HEADS = (0.25, 0.1, 0.0)
"""rad; a nod takes a robot long."""
VIEWS = 9
_FLOOR = [{"rectangle": [-0.5, -0.5, 0.5, 0.5], "pattern": "wood"}]


def before_a_board(folder: Path, columns: int) -> dict[str, Any]:
    """Return an emulated robot before a chessboard of 20 mm squares with a margin of 10 mm."""
    dark = np.indices((6 + 1, columns + 1)).sum(axis=0) % 2 == 0
    squares = np.kron(np.where(dark, 20, 235), np.ones((40, 40))).astype(np.uint8)
    file = folder / "board.png"
    Image.fromarray(np.pad(squares, 20, constant_values=235)).save(file)
    width = 0.02 * (columns + 1) + 0.02
    stand = {"file": str(file), "x": 0.3, "y": 0, "yaw": 0, "width": width}
    layout = layout_of({"name": "desk", "floor": _FLOOR, "pictures": [stand]}, "desk")
    return {
        "world": lambda: World(layout, seed=SERIAL),
        "seed": SERIAL,
        "identity": Identity(head_serial=SERIAL),
    }


async def carry(world: Any) -> None:
    """Put the robot before the board again and again, aslant in other ways."""
    await world.pass_time(2.0)  # its head rises
    for head in itertools.cycle(HEADS):
        for number, (x, y) in enumerate(PLACES):
            aside = 0.12 * (-1) ** number
            place = Pose2D(x, y, math.atan2(-y, 300.0 - x) + aside)
            act(world, lambda firmware, place=place: firmware.body.carry_to(place))
            await world.pass_time(0.25)
        await world.robot.joints.move_head(head)


def test_the_lens_is_that_of_the_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "VIEWS", VIEWS)
    found: list[dict[str, Measurement]] = []

    @in_virtual_time(before_a_board(tmp_path, BOARD.columns), camera=CameraOptions(enabled=True))
    async def measure(world: Any) -> None:
        counts: list[int] = []
        person = asyncio.ensure_future(carry(world))
        found.append(await measure_lens(world.robot, BOARD, counts.append))
        await end(person)
        assert counts == list(range(1, VIEWS + 1))

    measure()
    lens = variation_of(SERIAL).optics.lens
    for name, one in found[0].items():
        assert one.value == pytest.approx(getattr(lens, name), abs=3.5 * one.deviation), name
        assert one.value == pytest.approx(getattr(lens, name), abs=3.0), name
        assert one.source.startswith("cozmo calibrate --board 20")


def test_a_board_of_another_size_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "_TIMEOUT", 1.5)

    @in_virtual_time(before_a_board(tmp_path, 7), camera=CameraOptions(enabled=True))
    async def measure(world: Any) -> None:
        with pytest.raises(CalibrationRefused, match="8 x 6 inner corners"):
            await measure_lens(world.robot, BOARD)

    measure()


def test_views_that_are_all_alike_do_not_tell() -> None:
    random = np.random.default_rng(1)
    flat = 1e3 * BOARD.points[:, :2] + (80.0, 60.0)
    views = [flat + random.normal(0.0, 0.2, flat.shape) + (25.0 * n, 0.0) for n in range(6)]
    with pytest.raises(CalibrationRefused, match="aslant"):
        board.lens_of(BOARD, views, DEFAULT_CALIBRATION)


def test_a_lens_is_kept_and_the_middle_of_the_image_stays_where_it_is(tmp_path: Path) -> None:
    mount = Mount(-0.02, 0.015, 0.01)
    save_mount(tmp_path, SERIAL, LearntMount(mount, (0.001, 0.001, 0.001), 9))
    values = {"fx": 300.0, "fy": 301.0, "cx": 150.0, "cy": 125.0}
    lens = {name: Measurement(value, 0.5, "a test") for name, value in values.items()}
    keep_lens(tmp_path, SERIAL, lens, DEFAULT_CALIBRATION)
    assert load_robot_calibration(tmp_path, SERIAL).measured == lens
    kept = load_mount(tmp_path, SERIAL)
    assert kept is not None
    was = DEFAULT_CALIBRATION
    # A pixel that is right of the axis, or below it, shows what is farther right, or lower.
    assert kept.mount.yaw - math.atan((160 - 150.0) / 300.0) == pytest.approx(
        mount.yaw - math.atan((160 - was.cx) / was.fx), abs=1e-6
    )
    assert kept.mount.pitch - math.atan((120 - 125.0) / 301.0) == pytest.approx(
        mount.pitch - math.atan((120 - was.cy) / was.fy), abs=1e-6
    )
    assert kept.mount.roll == mount.roll


def test_a_camera_that_a_lens_turns_farther_than_any_is_learnt_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mount = Mount(0.0, 0.0, -0.9 * MOUNT_BOUND)
    save_mount(tmp_path, SERIAL, LearntMount(mount, (0.001, 0.001, 0.001), 9))
    stored = replace(DEFAULT_CALIBRATION, cx=160.0)
    values = {"fx": stored.fx, "fy": stored.fy, "cx": 170.0, "cy": stored.cy}
    lens = {name: Measurement(value, 0.5, "a test") for name, value in values.items()}
    keep_lens(tmp_path, SERIAL, lens, stored)
    assert load_robot_calibration(tmp_path, SERIAL).measured == lens
    (told,) = caplog.messages
    assert "learnt anew: with this lens, the camera's yaw is -5" in told
    assert load_mount(tmp_path, SERIAL) is None
    assert caplog.messages == [told], "it is told once"
