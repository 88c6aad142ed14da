"""Map files: what is written is read again; what is wrong is refused with its place."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest

from cozmo_driver.localization import (
    Localizer,
    MapError,
    MapTag,
    TagMap,
    angles_of,
    learnt,
    load_map,
    map_of,
    pose_of,
    save_map,
)
from cozmo_driver.perception import pose
from cozmo_driver.robot import Reason, RobotError

HEAD = {"format": "cozmo_driver tag map", "version": 1}
TAG = {"tag": "36h11:3", "size": 0.06, "position": [1.0, 0.5, 0.08], "facing": 90}


def test_what_is_saved_is_loaded(tmp_path):
    random = np.random.default_rng(1)
    tags = [
        MapTag(
            f"36h11:{number}",
            0.06,
            pose_of(tuple(random.normal(0, 1, 3)), *random.uniform(-1.4, 1.4, 3)),
            (0.003, 0.02),
        )
        for number in range(8)
    ]
    tags.append(MapTag("charger", 0.0, pose(0.2, 0.1, 0.0, 0.3)))
    path = tmp_path / "map.yaml"
    save_map(path, TagMap.of(tags, 'a "room"', "36h11:0"))
    loaded = load_map(path)
    assert (loaded.name, loaded.origin) == ('a "room"', "36h11:0")
    assert list(loaded.tags) == [one.name for one in tags]
    for one in tags:
        again = loaded.tags[one.name]
        assert np.allclose(again.pose, one.pose, atol=3e-5)
        assert np.allclose(again.deviation, one.deviation, atol=1e-4)
        assert again.size == one.size


def test_a_tag_a_hair_beside_the_origin_is_loaded(tmp_path):
    """In YAML 1e-05 is a text."""
    path = tmp_path / "map.yaml"
    hair = MapTag("36h11:0", 0.06, pose_of((2e-5, -9e-5, 0.1), 2e-5, -2e-5, 1e-4))
    save_map(path, TagMap.of([hair]))
    assert np.allclose(load_map(path).tags["36h11:0"].pose, hair.pose, atol=3e-5)


@pytest.mark.parametrize("facing", [-3.0, 0.0, 1.6])
@pytest.mark.parametrize("lean", [-1.2, 0.0, 0.4])
@pytest.mark.parametrize("turn", [-2.0, 0.0, 0.7])
def test_angles_are_those_of_the_frame(facing, lean, turn):
    assert np.allclose(angles_of(pose_of((0, 0, 0), facing, lean, turn)), (facing, lean, turn))


def test_a_tag_on_the_floor_has_a_pose():
    flat = pose_of((0.0, 0.0, 0.0), 0.4, math.pi / 2, 0.3)
    assert np.allclose(pose_of((0.0, 0.0, 0.0), *angles_of(flat)), flat, atol=1e-6)


def test_a_tag_that_faces_along_x_is_read_from_there():
    placed = pose_of((0.0, 0.0, 0.1), 0.0, 0.0, 0.0)
    assert np.allclose(-placed[:3, 1], (1.0, 0.0, 0.0))
    assert np.allclose(placed[:3, 0], (0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "empty"),
        ([], "no keys"),
        ({"tags": [TAG]}, "format"),
        ({**HEAD, "version": 2, "tags": [TAG]}, "version"),
        ({**HEAD}, "no tags"),
        ({**HEAD, "tags": []}, "no tags"),
        ({**HEAD, "tags": {"36h11:3": TAG}}, "list"),
        ({**HEAD, "tags": ["36h11:3"]}, "tag 1"),
        ({**HEAD, "tags": [TAG], "sizes": 1}, "'sizes' is no key"),
        ({**HEAD, "tags": [{**TAG, "colour": 1}]}, "'colour' is no key"),
        ({**HEAD, "tags": [TAG, TAG]}, "36h11:3 stands twice"),
        ({**HEAD, "tags": [{**TAG, "tag": "tag36h11:03"}, TAG]}, "36h11:3 stands twice"),
        ({**HEAD, "tags": [{**TAG, "tag": "36h11:587"}]}, "0 to 586"),
        ({**HEAD, "tags": [{**TAG, "tag": "cube"}]}, "no tag like"),
        ({**HEAD, "tags": [{**TAG, "size": 60}]}, "size, m, is a number from 0.01 to 0.5"),
        ({**HEAD, "tags": [{**TAG, "size": 0}]}, "size"),
        ({**HEAD, "tags": [{**TAG, "size": True}]}, "size"),
        ({**HEAD, "tags": [{**TAG, "size": math.nan}]}, "size"),
        ({**HEAD, "tags": [{**TAG, "position": [0, 0]}]}, "position"),
        ({**HEAD, "tags": [{**TAG, "position": [0, 0, math.inf]}]}, "position"),
        ({**HEAD, "tags": [{**TAG, "position": [1e9, 0, 0]}]}, "position"),
        ({**HEAD, "tags": [{**TAG, "position": "here"}]}, "position"),
        ({**HEAD, "tags": [{**TAG, "facing": math.nan}]}, "facing"),
        ({**HEAD, "tags": [{**TAG, "facing": None}]}, "facing"),
        ({**HEAD, "tags": [{**TAG, "deviation": [0.1]}]}, "deviation"),
        ({**HEAD, "tags": [{**TAG, "deviation": [-1, 0]}]}, "deviation"),
        ({**HEAD, "name": 7, "tags": [TAG]}, "name"),
        ({**HEAD, "tags": [{**TAG, "tag": f"36h11:{n}"} for n in range(101)]}, "100"),
    ],
)
def test_a_map_that_cannot_be_used_is_refused_with_the_reason(content, words):
    with pytest.raises(MapError, match=words.replace("(", r"\(")):
        map_of(content)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00broken",
        b"tags: [",
        b"&a [*a]",
        b"tags: " + b"[" * 1000,
        b"format: cozmo_driver tag map\nversion: 1\ntags:\n  - {tag: 36h11:1, size: " + b"9" * 500,
    ],
)
def test_a_damaged_file_is_refused_with_its_name(tmp_path, data):
    path = tmp_path / "map.yaml"
    path.write_bytes(data)
    with pytest.raises(MapError, match=r"map\.yaml: "):
        load_map(path)


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_bytes(b"#" * (1 << 20))
    with pytest.raises(OSError, match="more than"):
        load_map(path)


def test_every_shortened_file_is_refused_or_holds_fewer_tags(tmp_path):
    path = tmp_path / "map.yaml"
    known = TagMap.of([MapTag(f"36h11:{n}", 0.06, pose_of((n, 0, 0.1), 0, 0, 0)) for n in range(3)])
    save_map(path, known)
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:length])
        with contextlib.suppress(MapError):
            assert len(load_map(path).tags) <= 3


@pytest.mark.parametrize("place", [math.nan, 1e6])
def test_a_map_that_makes_no_sense_is_not_kept(place: float) -> None:
    known = TagMap.of([MapTag("4x4_50:1", 0.06, pose(place, 0.0, 0.05), (0.01, 0.1))])
    with pytest.raises(RobotError) as refused:
        learnt(Localizer(known), "")
    assert refused.value.reason is Reason.NOT_SEEN
