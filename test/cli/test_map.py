"""Maps of tags are learnt by the command: what moves the robot, and what does not."""

from __future__ import annotations

from pathlib import Path

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.ground_truth import ground_truth
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.localization import load_map

from .command import ROOT, run

TAGS = ROOT / "config" / "maps" / "landmarks_tags.yaml"


def test_who_carries_the_robot_is_not_driven_away_from(folder: Path) -> None:
    """Also where a map is extended: the robot finds itself as it is carried."""
    output = folder / "more.yaml"
    with running_emulator(calibration_time=0.0) as emulator:
        before = emulator.call(ground_truth)
        where = ("--robot", "127.0.0.1", "--port", emulator.port)
        words = ("--map", TAGS, "--output", output, "--by-hand", "0.5")
        code, _, errors = run("map", "learn", *words, *where)
        after = emulator.call(ground_truth)
    assert after.pose == before.pose
    assert code == 0, errors
    assert load_map(output).tags.keys() == load_map(TAGS).tags.keys()


def test_a_number_that_hangs_twice_is_told_and_not_on_the_map(folder: Path) -> None:
    output, twin = folder / "more.yaml", "4x4_50:8"
    printed = {"size": [0.01, 0.08, 0.08], "gray": 235, "tags": [{"tag": twin, "size": 0.06}]}
    boxes = [{"x": 0.35, "y": y, "yaw": 0, **printed} for y in (-0.06, 0.06)]
    floor = [{"rectangle": [-0.5, -0.5, 0.5, 0.5], "pattern": "wood"}]
    layout = layout_of({"name": "desk", "floor": floor, "boxes": boxes}, "desk")
    with running_emulator(calibration_time=0.0, world=World(layout)) as emulator:
        where = ("--robot", "127.0.0.1", "--port", emulator.port)
        words = ("--map", TAGS, "--output", output, "--by-hand", "4")
        code, _, errors = run("map", "learn", *words, *where)
    assert code == 0, errors
    assert errors.splitlines()[-1] == f"{twin} is in two places: a number may hang in one only"
    assert load_map(output).tags.keys() == load_map(TAGS).tags.keys() - {twin}
