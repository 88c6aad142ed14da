"""World files: what they mean, and how mistakes in them are told."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world import World, WorldFileError, find_world, load_layout
from cozmo_driver.emulator.world.layout_file import LARGEST_FILE
from cozmo_driver.emulator.world.things import CubePlace

from .worlds import FOLDER, TABLE, layout

_CUBE = {"number": 1, "x": 0.1, "y": 0.0}


def png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (width, height)).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("name", ["table", "room", "maze"])
def test_the_worlds_of_the_package_are_found_by_name_and_make_sense(name: str) -> None:
    assert find_world(name).resolve() == (FOLDER / f"{name}.yaml").resolve()
    world = load_layout(find_world(name))
    assert world.name == name
    assert world.charger is not None
    assert world.cubes
    assert len(world.robots) >= 2


def test_lengths_are_in_metres_and_angles_in_degrees() -> None:
    world = layout(TABLE, cubes=[_CUBE | {"yaw": 90}], robots=[{"x": -0.1, "y": 0.05}])
    assert world.cubes == {1: CubePlace(Pose2D(100.0, 0.0, math.pi / 2))}
    assert world.robots == (Pose2D(-100.0, 50.0),)
    assert world.floors[0].corners[0] == (-300.0, -200.0)


def test_a_robot_may_start_on_the_charger() -> None:
    world = layout(TABLE, charger={"x": -0.1, "y": 0.0, "yaw": 180}, robots=[{"on_charger": True}])
    (start,) = world.robots
    assert (start.x, start.y) == pytest.approx((-130.0, 0.0))
    assert start == World(world).dock


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"flor": []}, "flor is not known; known here: name, floor"),
        ({"flo\n\x1bor": []}, r"flo\\n\\x1bor is not known"),
        ({"name": ""}, "name is ''"),
        ({"name": "../victim"}, r"name is '\.\./victim': write printable characters, no / and"),
        ({"name": ".hidden"}, "no . at its start"),
        ({"name": "a\x1b[2Jb"}, r"name is 'a\\x1b\[2Jb'"),
        ({"floor": []}, "at least one piece of floor"),
        ({"floor": [{"polygon": [[0, 0], [1, 0]]}]}, r"floor\[0\].polygon is .* 3 to 64 points"),
        ({"floor": [{"polygon": [[0, 0], [1, 0], [2, 0]]}]}, r"floor\[0\]: its corners enclose"),
        ({"floor": [{"rectangle": [0, 0, 1]}]}, r"floor\[0\].rectangle"),
        ({"floor": [{"rectangle": [0, 0, 1, 1], "gray": 300}]}, r"gray is 300: .* 0 to 255"),
        ({"floor": [{"rectangle": [0, 0, 1, 1], "pattern": "lava"}]}, "plain, checker, wood"),
        ({"walls": [{"points": [[0, 0], ["a", 0]]}]}, r"walls\[0\].points\[1\] is \['a', 0\]"),
        ({"walls": [{"points": [[0, 0], [0, 0]]}]}, "the same"),
        ({"walls": [{"points": [[0.2, 0], [0.2, 0.1]], "height": "tall"}]}, r"height is 'tall'"),
        ({"walls": {}}, r"walls is \{\}: write a list"),
        ({"boxes": [{"polygon": [[0, 0], [1, 0], [0.1, 0.1], [0, 1]], "height": 1}]}, "has a dent"),
        ({"cubes": [_CUBE | {"number": 4}]}, r"number is 4: write a whole number from 1 to 3"),
        ({"cubes": [_CUBE, _CUBE | {"y": 0.1}]}, "another cube 1"),
        ({"cubes": [_CUBE | {"x": 0.9}]}, "no floor under the cube"),
        ({"cubes": [_CUBE | {"x": math.nan}]}, "x is nan"),
        ({"cubes": [_CUBE | {"x": 0.0}]}, "the robot stands in a cube"),
        ({"cubes": [{"number": 1, "y": 0}]}, r"cubes\[0\].x is missing"),
        ({"cubes": [{"number": 1, "on_cube": 2}]}, "list the lower one first"),
        ({"cubes": [_CUBE, {"number": 2, "on_cube": 1, "x": 0.2, "y": 0}]}, "it would fall off"),
        ({"cubes": [_CUBE | {"tags": [{"tag": "36h11:587"}]}]}, "36h11 has the tags 0 to 586"),
        ({"cubes": [_CUBE | {"tags": [{"tag": "7"}]}]}, "'7' is no tag: write one as 36h11:5"),
        ({"cubes": [_CUBE | {"tags": [{"tag": "36h11:1", "side": "up"}]}]}, "no side up"),
        ({"moving": [{"path": [[0, 0, 0], [0, 0, 0]]}]}, "its path has no length"),
        ({"moving": [{"path": [[0, 0]]}]}, r"path is .*: write a list of 2 to 64 points \[x, y, z"),
        ({"pictures": [{"x": 0.2, "y": 0, "file": "none.png"}]}, "none.png cannot be read"),
        ({"pictures": [{"x": 0.2, "y": 0, "file": "a\nb"}]}, "file has characters"),
        ({"robots": [{"on_charger": True}]}, "no charger in this world"),
        ({"robots": [{"x": 0, "y": 0}] * 9}, "at most 8"),
    ],
)
def test_mistakes_are_told_with_their_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(WorldFileError, match=message) as refused:
        layout(TABLE, **changes)
    assert str(refused.value).startswith("test.yaml: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["", "7", "[]", "{", "name: [", "a: !!python/object/apply:os.system [ls]", "\0", "[" * 5000],
    ids=["empty", "number", "list", "open", "unfinished", "object", "binary", "deep"],
)
def test_what_is_no_world_file_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "world.yaml"
    file.write_text(text)
    with pytest.raises(WorldFileError) as refused:
        load_layout(file)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "world.yaml"
    file.write_text("name: large\n" + "#" * LARGEST_FILE)
    with pytest.raises(OSError, match="more than 262144 bytes"):
        load_layout(file)


def test_a_world_of_too_many_things_is_refused_at_once() -> None:
    zigzag = [[0.4 + 0.001 * i, 0.4 + 0.01 * (i % 2)] for i in range(64)]
    with pytest.raises(WorldFileError, match="more than 400"):
        layout(TABLE, walls=[{"points": zigzag}] * 7)


def test_a_file_is_taken_as_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump({"name": "own"} | TABLE))
    assert load_layout(find_world(str(file))).name == "own"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "face.png is no JPEG or PNG picture"),
        (b"GIF89a" + bytes(50), "face.png is no JPEG or PNG picture"),
        (b"\x89PNG\r\n\x1a\n" + b"junk" * 9, "face.png cannot be read: "),
        (png(9000, 1), "9000 x 1 pixels are more than 4096"),
        (png(90, 90)[:60], "face.png cannot be read: "),
        (png(1, 4000), "it would be 102.4 m high"),
    ],
    ids=["empty", "gif", "damaged", "huge", "cut", "tall"],
)
def test_a_picture_is_refused_unless_it_is_one_of_a_sane_size(
    tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / "face.png").write_bytes(content)
    (tmp_path / "world.yaml").write_text(
        yaml.safe_dump(
            {"name": "a"} | TABLE | {"pictures": [{"file": "face.png", "x": 0.2, "y": 0.0}]}
        )
    )
    with pytest.raises(WorldFileError, match=told) as refused:
        load_layout(tmp_path / "world.yaml")
    assert "pictures[0]" in str(refused.value)
    assert "\n" not in str(refused.value)
