"""Maps of tags are learnt by the command: what moves the robot, and what does not."""

from __future__ import annotations

from pathlib import Path

from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.ground_truth import ground_truth
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
