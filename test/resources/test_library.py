"""Clips, groups and triggers of several trees together, and where trees are found."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from cozmo_driver.resources import json_clips
from cozmo_driver.resources.binary_clips import write_binary_clips
from cozmo_driver.resources.clip_library import ClipLibrary
from cozmo_driver.resources.errors import ClipNotFound, DamagedFile, ResourceError
from cozmo_driver.resources.json_clips import write_json_clips as write_json
from cozmo_driver.resources.library import library_of, load_library
from cozmo_driver.resources.locations import find_own_tree, find_user_tree, user_directory

from .app_tree import TREE, clip, write_tree
from .clips import GOLDEN


def write_clip_file(path: Path, *names: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    clips = [clip(name) for name in names]
    if path.suffix == ".json":
        path.write_text(write_json(clips))
    else:
        path.write_bytes(write_binary_clips(clips))
    return path


def test_clips_of_both_formats_are_found_by_name(tmp_path: Path) -> None:
    write_clip_file(tmp_path / "deep" / "a.bin", "one", "two")
    write_clip_file(tmp_path / "b.json", "three")
    library = ClipLibrary([tmp_path])
    assert library.names == ("one", "three", "two")
    assert library.warnings == ()
    assert "two" in library
    for name in library.names:
        assert library.load(name).clip == clip(name)
        assert library.info(name).duration_ms == 100
        assert library.info(name).keyframe_counts == {"head_angle": 1}
    assert {info.name for info in library.infos()} == set(library.names)


def test_a_text_file_is_not_read_again_to_list_its_clips(tmp_path: Path) -> None:
    write_clip_file(tmp_path / "a.json", *map(str, range(50)))
    library = ClipLibrary([tmp_path])
    with mock.patch.object(json_clips, "read_clips", wraps=json_clips.read_clips) as read:
        infos = list(library.infos())
    assert {info.duration_ms for info in infos} == {100}
    assert (len(infos), read.call_count) == (50, 0)


def test_of_two_clips_with_one_name_the_first_counts_and_the_other_is_mentioned(
    tmp_path: Path,
) -> None:
    first = write_clip_file(tmp_path / "x" / "z.bin", "same")
    second = write_clip_file(tmp_path / "y" / "a.bin", "same", "other")
    library = ClipLibrary([tmp_path / "x", tmp_path / "y"])
    assert library.info("same").path == first
    assert library.names == ("other", "same")
    assert [str(one) for one in library.warnings] == [
        f"{second}: the clip 'same' is left out: {first} has one of that name"
    ]


def test_a_damaged_file_is_left_out_and_the_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(GOLDEN.read_bytes()[:100])
    (tmp_path / "worse.json").write_text("{")
    write_clip_file(tmp_path / "good.bin", "good")
    library = ClipLibrary([tmp_path, tmp_path / "nowhere"])
    assert library.names == ("good",)
    assert [warning.source for warning in library.warnings] == [
        str(tmp_path / "bad.bin"),
        str(tmp_path / "worse.json"),
    ]
    assert "byte" in str(library.warnings[0])


def test_only_some_clips_stay_decoded(tmp_path: Path) -> None:
    path = write_clip_file(tmp_path / "a.bin", "a", "b", "c")
    library = ClipLibrary([tmp_path], cache_size=2)
    first = library.load("a")
    library.load("b")
    assert library.load("a") is first
    library.load("c")
    assert library.load("a") is first
    path.unlink()
    assert library.load("a") is first
    with pytest.raises(ResourceError, match="there is no such file"):
        library.load("b")
    assert list(library.infos()) == []


@pytest.mark.parametrize("suffix", ["bin", "json"])
def test_a_file_that_changed_since_is_told(tmp_path: Path, suffix: str) -> None:
    path = write_clip_file(tmp_path / f"a.{suffix}", "a")
    library = ClipLibrary([tmp_path])
    write_clip_file(path, "b")
    with pytest.raises(DamagedFile, match="'a' is no longer here"):
        library.load("a")
    with pytest.raises(ClipNotFound, match="there is no clip 'b'"):
        library.load("b")


def test_a_tree_is_read_whole(tmp_path: Path) -> None:
    library = library_of([write_tree(tmp_path)])
    assert library.warnings == ()
    assert library.clips.names == ("anim_test_nod_01", "anim_test_nod_02")
    assert [member.weight for member in library.groups["ag_test_nod"].members] == [0.7, 0.3]
    assert library.triggers == {"ReactToTest": "ag_test_nod"}
    assert library.cube_triggers == {"TestTapped": "testBlink"}
    assert library.cube_lights["testBlink"][0].duration_ms == 1200
    assert library.backpack_patterns["charging"][0].on_color == (0.0, 0.5, 0.0, 1.0)
    assert [one.read_bytes() for one in library.face_pictures("face_test")] == [b"first", b"second"]
    assert library.face_pictures("none") == ()
    assert library.sound_directories == (tmp_path / "sound",)


def test_the_users_assets_go_before_and_both_are_there(tmp_path: Path) -> None:
    own = write_tree(tmp_path / "own")
    files = {
        "assets/animations/user.bin": write_binary_clips(
            [clip("anim_user"), clip("anim_test_nod_01", 9)]
        ),
        "assets/animationGroups/ag_user.json": b'{"Animations": [{"Name": "anim_user"}]}',
        "assets/animationGroupMaps/a.json": json.dumps(
            {
                "Pairs": [
                    {"CladEvent": "ReactToTest", "AnimName": "ag_user"},
                    {"CladEvent": "ReactToTest", "AnimName": "ag_test_nod"},
                    {"CladEvent": 5},
                    {"CladEvent": "ProceduralLive", "AnimName": ""},
                ]
            }
        ).encode(),
    }
    user = write_tree(tmp_path / "user", files)
    library = library_of([user, own])
    assert set(library.groups) == {"ag_user", "ag_test_nod"}
    assert library.triggers == {"ReactToTest": "ag_user"}
    assert library.clips.load("anim_test_nod_01").clip == clip("anim_test_nod_01", 9)
    assert "anim_test_nod_02" in library.clips
    assert [str(one).split(": ", 1)[1][:30] for one in library.warnings] == [
        "the clip 'anim_test_nod_01' is",
        "Pairs[2] is left out: Pairs[2]",
    ]


def test_the_users_tree_is_searched_where_it_may_be(tmp_path: Path) -> None:
    data, theirs, home = tmp_path / "data", tmp_path / "theirs", tmp_path / "home"
    environment = {"XDG_DATA_HOME": str(data), "PYCOZMO_DIR": str(theirs), "HOME": str(home)}
    assert find_user_tree("", environment) is None
    at_home = write_tree(home / ".pycozmo" / "assets" / TREE)
    assert find_user_tree("", environment) is None
    assert find_user_tree("", {"HOME": str(home)}) == at_home
    pycozmos = write_tree(theirs / "assets" / TREE)
    assert find_user_tree("", environment) == pycozmos
    imported = write_tree(data / "cozmo" / "assets" / TREE)
    assert find_user_tree("", environment) == imported
    assert find_user_tree(theirs, environment) == pycozmos
    assert user_directory({"HOME": "/h", "XDG_DATA_HOME": "not/absolute"}) == Path(
        "/h/.local/share/cozmo"
    )


def test_a_named_directory_without_assets_is_told_and_the_rest_works(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="there is no cozmo_resources with animations in it"):
        find_user_tree(tmp_path, {})
    library = load_library(tmp_path)
    assert str(tmp_path) in str(library.warnings[0])
    own = find_own_tree()
    assert library.trees == (() if own is None else (own,))
