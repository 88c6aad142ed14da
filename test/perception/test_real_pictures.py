"""Images of real robots, which are no part of the project, where somebody has them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

from benchmarks import SHARED
from benchmarks.vision.scenes import Gray
from cozmo_driver.perception.detection.charger import find_charger
from cozmo_driver.perception.detection.learning import learn
from cozmo_driver.perception.detection.markers import MarkerDetector, as_gray
from cozmo_driver.perception.detection.rings import find_rings
from cozmo_driver.perception.detection.templates import Template, cut_out

PICTURES = SHARED / "pictures"
pytestmark = pytest.mark.skipif(not PICTURES.is_dir(), reason=f"there is no {PICTURES}")

TOO_FAINT = {("P141", 178, 136), ("P152", 235, 143), ("P157", 203, 133)}
"""Rings less than 8 levels darker than what is around them."""
NEAR = 5.0
"""Pixels between a ring's middle and where the list has it."""


def picture(name: str) -> Gray:
    (path,) = PICTURES.glob(f"{name}_*.jpg")
    return as_gray(np.asarray(Image.open(path).convert("RGB")))


def dim_rings() -> dict[str, list[tuple[int, int]]]:
    """Return the middles of the rings in each image of a dim room."""
    rows = re.findall(r"\| (P1\d\d) \| ([\d, s]+) \|", (PICTURES / "README.md").read_text())
    listed = {name: re.findall(r"(\d+),(\d+)", places) for name, places in rows}
    return {
        name: [(int(x), int(y)) for x, y in listed.get(name, [])]
        for name in (f"P{number}" for number in range(141, 169))
    }


def test_rings_in_a_dim_room_are_found_where_they_are_and_nowhere_else() -> None:
    missed = set()
    for name, places in dim_rings().items():
        middles = [ring.corners.mean(axis=0) for ring in find_rings(picture(name))]
        for place in places:
            left = [middle for middle in middles if np.abs(middle - place).max() >= NEAR]
            if len(left) == len(middles):
                missed.add((name, *place))
            middles = left
        assert middles == [], name
    assert missed <= TOO_FAINT


def test_two_cubes_learnt_in_a_bright_room_are_told_apart_in_a_dim_one() -> None:
    gray = np.ascontiguousarray(np.asarray(Image.open(PICTURES / "P140_anki.jpg").convert("L")))
    known = [
        Template(f"cube_{number}", cut_out(gray, ring), ring.size)
        for number, ring in enumerate(find_rings(gray), start=1)
    ]
    assert len(known) == 2
    for name in ("P146", "P152"):
        known, _ = learn(known, 2, picture(name))
    detector = MarkerDetector(known)
    names = [one.name for name in dim_rings() for one in detector.detect(picture(name))]
    assert set(names) <= {"cube_2", None}
    assert names.count("cube_2") >= 22


def test_rooms_with_another_robot_and_without_cubes_have_no_markers() -> None:
    detector = MarkerDetector()
    for name in (f"P{number}" for number in (*range(114, 140), *range(161, 169))):
        assert detector.detect(picture(name)) == [], name
        assert find_charger(picture(name)) is None, name
