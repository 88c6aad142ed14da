from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.markers import MarkerDetector
from cozmo_driver.perception.detection.objects import ObjectsError, objects_of
from cozmo_driver.perception.detection.poses import marker_poses
from cozmo_driver.perception.detection.tags import FAMILIES, TagError, draw_tag, parse_tag
from cozmo_driver.perception.world.frames import side_pose
from cozmo_driver.plain_yaml import load_yaml

from .pictures import Gray

BOX = """
objects:
  box:
    size: [0.06, 0.08, 0.1]
    tags:
      - {tag: "36h11:5", size: 0.03, side: front}
      - {tag: "4x4_50:7", size: 0.02, side: top, offset: [0.01, -0.02], turn: 90}
"""


def wall_with(text: str, pixels: int, turns: int = 0) -> Gray:
    """A gray wall with a tag on white in the middle of the image."""
    picture = np.full((240, 320), 140, np.uint8)
    tag = np.rot90(draw_tag(parse_tag(text), pixels), -turns) // 2 + 20
    top, left, white = 120 - pixels // 2, 160 - pixels // 2, pixels // 5
    picture[top - white : top + pixels + white, left - white : left + pixels + white] = 200
    picture[top : top + pixels, left : left + pixels] = tag
    return picture


@pytest.mark.parametrize("turns", range(4))
def test_a_declared_tag_is_named_and_its_pose_known(turns: int) -> None:
    (marker,) = MarkerDetector(objects=objects_of(load_yaml(BOX))).detect(
        wall_with("36h11:5", 60, turns)
    )
    assert (marker.family, marker.code, marker.name) == ("36h11", 5, "box")
    assert (marker.side, marker.turns) == ("front", turns)
    assert marker.corners[0] == pytest.approx((129.5, 89.5), abs=1.0)
    assert marker.corners[2] == pytest.approx((189.5, 149.5), abs=1.0)
    pose = marker_poses(marker.own_corners, marker.size, Camera())[0]
    assert pose.distance == pytest.approx(292.0 * 0.03 / 60, rel=0.02)
    up = (0, 1, 0, -1)[turns], (-1, 0, 1, 0)[turns]
    assert pose.matrix[:2, 2] == pytest.approx(up, abs=0.05)


def test_a_tag_that_is_not_declared_has_a_number_and_no_name_nor_size() -> None:
    (marker,) = MarkerDetector(objects=objects_of(load_yaml(BOX))).detect(wall_with("36h11:6", 40))
    assert (marker.family, marker.code, marker.name, marker.size) == ("36h11", 6, None, None)


def test_without_declared_tags_none_is_looked_for() -> None:
    assert MarkerDetector().detect(wall_with("36h11:5", 60)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_can_be_drawn_and_seen(family: str) -> None:
    text = f"{family}:3"
    known = {
        "objects": {"x": {"size": [0.1] * 3, "tags": [{"tag": text, "size": 0.1, "side": "top"}]}}
    }
    (marker,) = MarkerDetector(objects=objects_of(known)).detect(wall_with(text, 90))
    assert (marker.name, marker.code) == ("x", 3)


@pytest.mark.parametrize("wrong", ["36h11", "36h11:587", "36h12:1", "36h11:-1", "", "4x4_50:50"])
def test_a_tag_that_does_not_exist_is_refused(wrong: str) -> None:
    with pytest.raises(TagError, match="36h11"):
        parse_tag(wrong) if wrong != "4x4_50:50" else parse_tag("36h11:9999")
    assert parse_tag("TAG36h11:586").number == 586


def test_tags_are_where_they_are_declared_on_their_box() -> None:
    (box,) = objects_of(load_yaml(BOX))
    front, top = box.tags
    assert front.pose[:3, 3] == pytest.approx((-0.03, 0.0, 0.0))
    # Seen from the front, right is the box's right.
    assert front.pose[:3, :3] @ (1, 0, 0) == pytest.approx((0.0, -1.0, 0.0))
    # Of the top up is the back; 10 mm to the right and 20 mm down of the middle.
    assert top.pose[:3, 3] == pytest.approx((-0.02, -0.01, 0.05))
    assert top.pose[:3, 2] == pytest.approx((0.0, 1.0, 0.0))


@pytest.mark.parametrize("side", ["front", "left", "back", "right", "top", "bottom"])
def test_a_marker_looks_out_of_its_side(side: str) -> None:
    pose = side_pose(side, (0.044, 0.044, 0.044), turn=math.radians(30))
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
    assert pose[:3, 3] == pytest.approx(-pose[:3, 1] * 0.022)


def declared(**changes: Any) -> Any:
    tag = {"tag": "36h11:5", "size": 0.03, "side": "front"}
    entry = {"size": [0.06, 0.06, 0.06], "tags": [tag]}
    name = changes.pop("name", "box")
    for key, value in changes.items():
        (entry if key in ("tags", "color") or type(value) is list else tag)[key] = value
    return {"objects": {name: entry}}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], "needs the key objects"),
        ({"things": {}}, "needs the key objects"),
        ({"objects": [1]}, "no mapping"),
        (declared(name="cube_1"), "not of a cube"),
        (declared(name="a b"), "a name is"),
        (declared(color=3), "and no others"),
        (declared(size=[1, 2]), "three lengths"),
        (declared(size=["a", 1, 1]), "size is a number"),
        (declared(size=[9.0, 1, 1]), "from 0.005 to 2"),
        (declared(tags=[]), "1 to 20"),
        (declared(tags=["36h11:5"]), "and no others"),
        (declared(tag="36h11:999"), "0 to 586"),
        (declared(side="inside"), "side is one of"),
        (declared(turn=float("nan")), "turn is a number"),
        ({"objects": {"box": {"size": [1, 1, 1]}}}, "'tags' is missing"),
        (
            {"objects": {**declared()["objects"], **declared(name="bag")["objects"]}},
            "36h11:5 is on box, too",
        ),
    ],
)
def test_objects_that_cannot_be_are_refused_with_the_reason(content: Any, reason: str) -> None:
    with pytest.raises(ObjectsError) as error:
        objects_of(content)
    assert reason in str(error.value)


def test_the_file_of_the_package_declares_nothing_and_its_example_is_valid() -> None:
    with open("config/vision.yaml", encoding="utf-8") as file:
        text = file.read()
    assert objects_of(load_yaml(text)) == []
    lines = [line.lstrip("#") for line in text.partition("objects: {}")[2].splitlines()]
    example = "\n".join(line for line in lines if not line.startswith("  # "))
    assert len(objects_of(load_yaml("objects:\n" + example))) == 2
